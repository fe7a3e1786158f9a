// WebAssembly against the native library: the same requests, the same answers.
//
//   node agree.mjs LIBRARY NATIVE AREAS…     LIBRARY is the folder with `outwit.wasm` and `worker.mjs`,
//                                            NATIVE the example `native`; AREAS are files

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { pathToFileURL } from "node:url";

const [library, native, ...files] = process.argv.slice(2);
const WALKS = 4;
const STEPS = 30;
const NODES = 500;

/** A small generator of numbers, so that a seed gives the same walk everywhere. */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What depends neither on the clock nor on how wide a pointer is. */
const timeless = (line) => line.replace(/"(seconds|memory_bytes)":[^,}]*/g, '"$1":0');

const { load } = await import(pathToFileURL(join(library, "worker.mjs")));
/** The plans that the search of this moment has told of. */
const told = [];
const outwit = await load(readFileSync(join(library, "outwit.wasm")), { plan: (text) => told.push(text) });
const asked = [];
const heard = [];
function ask(request) {
  const line = typeof request === "string" ? request : JSON.stringify(request);
  asked.push(line);
  heard.push(outwit.answer(line));
  return JSON.parse(heard.at(-1));
}

/** Plays at random, and sometimes takes back, aims, looks elsewhere. */
function walk(area, seed) {
  const draw = random(seed);
  let { token, setup, view, extent } = ask({ do: "begin", area }).ok;
  for (let step = 0; step < STEPS; step++) {
    const request = { show: { revision: view.revision } };
    const way = draw(10);
    if (way === 0) request.undo = draw(step + 1);
    else if (way === 1) request.aim = [draw(extent.rows), draw(extent.cols)];
    else request.steps = [setup.keys[draw(setup.keys.length)].step];
    if (way === 2) request.show.window = { row: -1, col: draw(5), rows: 7, cols: 9 };
    const told = ask({ do: "move", token, request });
    view = told.ok?.view ?? view;
  }
  const begun = ask({ do: "plan", token }).ok;
  ask({ do: "leave", token });
  return begun;
}

ask({ do: "games" });
for (const hostile of ["", "{", "{}", '{"do":"fly"}', '{"do":"move","token":"9","request":{}}',
  '{"do":"check","area":{"text":"#####\\n#@$.#\\n#####\\n"},"certificate":"none","budget":{"seconds":1,"memory_mib":1,"seed":0}}',
  '{"do":"levels","text":"#####","game":"chess"}', '{"do":"levels","text":"no game"}',
  '{"do":"solve","area":{"text":"#####\\n#@$.#\\n#####\\n"},"budget":{"seconds":-1,"memory_mib":1,"seed":0}}']) {
  const answer = ask(hostile);
  if (!answer.error?.title) throw new Error(`no error for ${hostile}`);
}
for (const { name } of ask({ do: "games" }).ok) {
  ask({ do: "generate", game: name, seed: 1 });
}
// A text with plans of two levels, of the first of them two.
const pair = "; First\n########\n#@ $ . #\n########\n\n; Second\n######\n#.$@ #\n######\n";
const both = "; level 1: First\nSolution 1\nrlrRR\nSolution 2\nr2(R)\n; level 2: Second\nL\n";
for (const [level, only, steps] of [[1, "r2(R)\n", 3], [2, "L\n", 1]]) {
  const area = { text: pair, game: "sokoban", level };
  const verdict = ask({ do: "verify", area, plan: both }).ok;
  if (!verdict.valid || verdict.plan !== only) throw new Error(`level ${level}: ${JSON.stringify(verdict)}`);
  if (ask({ do: "begin", area, plan: both }).ok.tape !== steps) throw new Error(`level ${level} is not watched`);
  const budget = { seconds: 3600, nodes: NODES, memory_mib: 64, seed: 1 };
  const { certificate: { text }, plan, length } = ask({ do: "solve", area, budget, optimal: true, certify: true }).ok;
  const checked = (certificate) => ask({ do: "check", area, certificate, budget }).ok;
  if (!checked(`${text}plan\n${plan}`).optimal) throw new Error(`level ${level} is not certified`);
  const more = text.replace(`than ${length}`, `than ${length + 1}`);
  if (more === text || checked(more).certified !== false) throw new Error(`level ${level}: a false claim is certified`);
}
// A search that is given up has a report of what it has told of itself.
const corridor = { text: "######\n#@$ .#\n######\n", game: "sokoban" };
const givenUp = { do: "settle", area: corridor, bound: 1, expanded: 7, seconds: 0.5, optimal: true };
const settled = (more) => ask({ ...givenUp, ...more }).ok;
for (const [more, verdict, length] of [
  [{}, "unknown", null], [{ plan: "RR\n" }, "found", 2], [{ plan: "RR\n", bound: 2 }, "optimal", 2],
  [{ plan: "UU\n", known: "RR\n" }, "found", 2], [{ plan: "RR\n", bound: 3 }, "found", 2]]) {
  const report = settled(more);
  if (report.verdict !== verdict || report.length !== length || report.effort.stopped !== "cancelled") throw new Error(JSON.stringify(report));
}
let plans = 0;
let toldPlans = 0;
let positions = 0;
for (const file of files) {
  const game = basename(dirname(file));
  const area = { text: readFileSync(file, "utf8"), game };
  ask({ do: "levels", ...area });
  ask({ do: "describe", area, side: 44 });
  const known = join("solutions", game, `${parse(file).name}.plan`);
  if (existsSync(known)) {
    const plan = readFileSync(known, "utf8");
    if (!ask({ do: "verify", area, plan }).ok.valid) throw new Error(`${known} does not hold`);
    const { token, tape } = ask({ do: "begin", area, plan }).ok;
    if (ask({ do: "move", token, request: { seek: tape } }).ok.status !== "won") throw new Error(`${known} does not win`);
  }
  const budget = { seconds: 3600, nodes: NODES, memory_mib: 64, seed: 1 };
  told.length = 0;
  const solved = ask({ do: "solve", area, budget }).ok;
  for (const plan of told) {
    toldPlans += 1;
    if (!ask({ do: "verify", area, plan }).ok.valid) throw new Error(`${file}: a plan that the search tells of does not hold`);
  }
  if (solved.plan) {
    plans += 1;
    if (!ask({ do: "verify", area, plan: solved.plan }).ok.valid) throw new Error(`${file}: the plan does not hold`);
    ask({ do: "verify", area, plan: solved.plan.slice(0, -2) });
  }
  for (let seed = 0; seed < WALKS; seed++) {
    const begun = walk(area, seed);
    if (seed > 0) continue;
    const { plan, verdict } = ask({ do: "solve", area, begun, budget }).ok;
    positions += verdict !== "unknown";
    if (plan && !ask({ do: "verify", area, plan }).ok.valid) throw new Error(`${file}: the plan from a position does not hold`);
  }
}

const input = asked.map((line) => `${line}\n`).join("");
const ran = spawnSync(native, { input, maxBuffer: 1 << 30, encoding: "utf8" });
if (ran.status !== 0) throw new Error(`the native program failed: ${ran.stderr}`);
const expected = ran.stdout.trimEnd().split("\n");
if (expected.length !== heard.length) throw new Error("the native program has not answered all");
asked.forEach((line, at) => {
  if (timeless(expected[at]) === timeless(heard[at])) return;
  const cut = (text) => text.slice(0, 800);
  throw new Error(`they differ\n  asked  ${cut(line)}\n  native ${cut(expected[at])}\n  wasm   ${cut(heard[at])}`);
});
if (plans === 0 || toldPlans === 0 || positions === 0) throw new Error("no area was solved, no plan told of before the end, or nothing said of a position");
console.log(`${asked.length} answers agree, ${plans} plans among them, ${toldPlans} told of before the end`);
