// Measures the page that is one file in a browser: `node wasm/measure.mjs FILE [CHROMIUM]`, from the
// root of the repository. Needs `playwright-core`, which npm installs.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [file, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const OPENINGS = 5;
const STEPS = 60;
const LARGE = ["last-of-us/caves-500x500-1008", "last-of-us/four-quarters-500x500", "last-of-us/open-500x500-1004"];
const SOLVED = ["last-of-us/area-0-sample", "last-of-us/lattice-497x497-2001"];
const SECONDS = 10;

const sorted = (times) => [...times].sort((a, b) => a - b);
const part = (times, share) => sorted(times)[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
const BAR = 16;
const told = (times) => `median ${part(times, 0.5)} ms, most ${part(times, 1)} ms, ${times.filter((it) => it > BAR).length} of ${times.length} above ${BAR} ms`;

/** Opens the file until its first board is playable: the page, and how long it took. */
async function open(browser) {
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(`file://${resolve(file)}`);
  await page.waitForFunction(() => window.outwit?.board.game?.setup && window.outwit.play.game.busy === 0, null, { polling: 10 });
  return { page, took: performance.now() - began };
}

async function go(page, area) {
  await page.evaluate((id) => (location.hash = `#area=${id}`), area);
  await page.waitForFunction((id) => window.outwit.area?.id === id && window.outwit.play.game.busy === 0, area);
}

/**
 * Plays the first steps of the best plan: how long each takes until it is drawn. With `rests` the
 * browser shows each step before the next one begins, as when a person plays; without, a step also
 * waits for the frame of the one before.
 */
async function play(page, area, rests) {
  await go(page, area);
  await page.evaluate(() => window.outwit.play.game.undo(window.outwit.play.game.steps.length));
  const steps = readFileSync(`solutions/${area}.plan`, "utf8").split("\n").slice(1, STEPS + 1);
  return page.evaluate(async ([all, rests]) => {
    const shown = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const times = [];
    for (const step of all) {
      const began = performance.now();
      await window.outwit.play.game.act(step);
      window.outwit.board.drawNow();
      times.push(performance.now() - began);
      if (rests) await shown();
    }
    return times;
  }, [steps, rests]);
}

/** Solves an area of which no plan is known, in the worker: the result, and how long it took. */
async function solve(page, area) {
  await go(page, area);
  await page.evaluate(() => window.outwit.openRef({ text: window.outwit.area.text, game: window.outwit.area.game }, { tab: "solve" }));
  await page.fill("#seconds", String(SECONDS));
  const began = performance.now();
  await page.click("#solve-form button.strong");
  await page.waitForFunction(() => [...window.outwit.solve.jobs.values()].at(-1)?.job?.result, null, { polling: 10 });
  const took = performance.now() - began;
  const { verdict, length } = await page.evaluate(() => [...window.outwit.solve.jobs.values()].at(-1).job.result);
  return `${verdict}, length ${length}, in ${took.toFixed(0)} ms`;
}

const openings = [];
let last = null;
for (let i = 0; i < OPENINGS; i++) {
  await last?.browser.close();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
  last = { browser, ...(await open(browser)) };
  openings.push(last.took);
}
console.log(`${file}: ${statSync(file).size} bytes; open to a playable board: median ${part(openings, 0.5)} ms, most ${part(openings, 1)} ms`);
for (const area of LARGE) {
  console.log(`a step on ${area}: ${told(await play(last.page, area, true))}`);
  console.log(`one right after the other: ${told(await play(last.page, area, false))}`);
}
for (const area of SOLVED) console.log(`${area}: ${await solve(last.page, area)}`);
await last.browser.close();
