// The line that says whether a drawing can be solved, a moment after each change.

import { counted } from "../dom.js";
import { measured } from "../games.js";
import { Errand } from "../judge/errand.js";
import { judge } from "../judge/judge.js";

/** Time without a change after which the drawing is read, in milliseconds. */
const REST = 60;
/** Time that the solver has, in seconds. */
const SECONDS = 2;

/** Reads and solves drawings, and says what comes of it. */
export class Line {
  /** `say` gets the sentence and its tone, `read` what the judge made of the drawing: `{text, problem, cell, stuck}`. */
  constructor({ say, read }) {
    Object.assign(this, { say, read });
    this.asked = null;
  }

  /** Reads a drawing of a game, and solves it. */
  ask(game, drawing) {
    this.stop();
    const asked = (this.asked = {});
    this.timer = setTimeout(() => this.answer(game, drawing, () => this.asked === asked).catch((problem) => this.asked === asked && this.failed(problem)), REST);
  }

  /** Gives up what was asked for. */
  stop() {
    clearTimeout(this.timer);
    this.asked = null;
    this.end?.();
    this.end = null;
  }

  failed(problem) {
    this.say(problem.detail ?? problem.message ?? String(problem), "bad");
  }

  async answer(game, drawing, current) {
    const told = await judge.draft({ game, drawing });
    if (!current()) return;
    this.read(told);
    if (told.problem) return this.say(`Not an area yet: ${told.problem}`, "note");
    if (told.stuck.length > 0) return this.say(`Dead: ${counted(told.stuck.length, "thing")} marked with a cross can never be brought home`, "bad");
    this.say("Solving…", "");
    const area = { text: told.text, game };
    let searches = true;
    const plan = (text) => this.found(area, text, () => searches && current()).catch(() => {});
    const result = await (judge.probers.edit ? this.probe(area, plan) : this.job(area, current));
    searches = false;
    if (current() && result) this.say(...verdict(game, result));
  }

  /** A search in a worker of this browser. */
  probe(area, plan) {
    const prober = judge.probers.edit;
    this.end = () => prober.stop();
    return prober.ask({ area, seconds: SECONDS }, plan);
  }

  /** A plan was found; perhaps there are shorter ones. */
  async found(area, plan, current) {
    const told = await judge.verify({ area, plan });
    if (current() && told.valid) this.say(`Solvable in ${measured(area.game, told.length)}; looking for less…`, "good");
  }

  /** A search of the server's. */
  async job(area, current) {
    const errand = await Errand.begin({ area, budget: { seconds: SECONDS } });
    if (!current()) errand.leave();
    else this.end = () => errand.leave();
    const job = await errand.ended;
    if (job?.error) throw new Error(job.error);
    return job?.result ?? null;
  }
}

/** What a search has come to, in a sentence, and its tone. */
function verdict(game, { verdict: word, length, bound, optimal }) {
  if (word === "impossible") return ["It cannot be solved: proven", "bad"];
  if (length == null) return [`Not known after ${SECONDS} s`, "note"];
  const solvable = `Solvable in ${measured(game, length)}`;
  if (optimal) return [`${solvable}, proven shortest`, "good"];
  return [bound > 0 ? `${solvable}; at least ${measured(game, bound)} are needed` : solvable, "good"];
}
