// A hint: what to do from here. On the way of the best known plan that is its next step; elsewhere
// the position is solved in the background, which also tells where it is lost.

import { $, complain, counted, grouped, say } from "../dom.js";
import { described } from "../games.js";
import { Game } from "../game.js";
import { Errand } from "../judge/errand.js";
import { judge } from "../judge/judge.js";

/** Time limit of a search from a position, in seconds. */
const SECONDS = 15;
/** Time limit of a search that has found a way, in seconds: there might be a shorter one. */
const SECONDS_WITH_PLAN = 3;

export class Hint {
  constructor(panel) {
    this.panel = panel;
    this.button = $("#hint");
    this.button.onclick = () => this.ask();
    this.errand = null;
  }

  /** Gives up a search that nobody waits for any more. */
  stop() {
    this.asked = null;
    this.errand?.leave();
    this.errand = null;
    this.button.disabled = !this.panel.game || this.panel.game.over;
    if (!this.shown) return;
    this.shown = false;
    Object.assign(this.panel.desk.board, { preview: null, cursor: null });
  }

  async ask() {
    const { game } = this.panel;
    if (!game?.setup || game.over) return;
    this.stop();
    this.button.disabled = true;
    const asked = (this.asked = {});
    const current = () => this.asked === asked;
    try {
      const known = await this.bestSteps();
      if (!current()) return;
      const same = commonLength(game.steps, known);
      if (known.length > 0 && same === game.steps.length) this.show(known[same], `${counted(known.length - same, "step")} to go on the best known plan`);
      else await this.solve(known, same, current);
    } catch (problem) {
      complain(problem);
    }
    if (current()) this.button.disabled = game.over;
  }

  /** The steps of the best known plan; none where none is known. */
  async bestSteps() {
    const { area } = this.panel.desk;
    if (!area.id || !area.best) return [];
    if (this.best?.id !== area.id || this.best.length !== area.best.length) {
      const { plan } = await judge.bestPlan(area.id);
      this.best = { id: area.id, length: area.best.length, steps: await stepsOf(area.ref, plan) };
    }
    return this.best.steps;
  }

  /** Solves the position: the plans that begin with the steps done. */
  async solve(known, same, current) {
    const { game, desk } = this.panel;
    const done = game.steps.length;
    const back = known.length > 0 ? ` Undo ${grouped(done - same)} to be on the way of the best known plan.` : "";
    say("Looking for a way from here…", "note");
    const most = desk.limits?.most_budget.seconds ?? SECONDS;
    const area = desk.area.ref;
    const begun = await game.plan();
    // The game may have gone on while its plan was on its way.
    if (!current()) return;
    const enough = performance.now() + 1000 * SECONDS_WITH_PLAN;
    const heard = ({ progress }, errand) => progress?.best != null && performance.now() > enough && errand.cancel();
    const errand = await Errand.begin({ area, begun, budget: { seconds: Math.min(SECONDS, most) } }, heard);
    if (!current()) return errand.leave();
    this.errand = errand;
    const job = await errand.ended;
    if (job && current()) await this.tell(area, job, done, back, current);
  }

  /** Tells what a search from the position after `done` steps has come to. */
  async tell(area, { result, error }, done, back, current) {
    if (error) return say(`No hint from here: ${error}.${back}`, "bad");
    if (result?.verdict === "impossible") return say(`Lost from here: no way leads to the end any more.${back || " Undo, and try another way."}`, "bad");
    if (!result?.plan) return say(`No way was found in ${SECONDS} s: perhaps there is none.${back}`, "note");
    const steps = await stepsOf(area, result.plan);
    if (!current()) return;
    if (steps.length > done) this.show(steps[done], `${counted(steps.length - done, "step")} to go`);
    else say("There is a way from here, too long to be shown.", "good");
  }

  /** Shows a step on the board, and says it. */
  show(step, more) {
    if (step === undefined) return;
    const { game, desk } = this.panel;
    const { board } = desk;
    if (step.aim) board.cursor = { row: step.aim[0], col: step.aim[1], reach: 0 };
    else if (step.player) board.preview = [game.player, step.player];
    this.shown = true;
    board.wish();
    say(`Hint: ${inWords(game, step)} (${more})`, "good");
  }
}

/** The steps of a plan of an area, and where they lead; none where there are too many to tell. */
export async function stepsOf(area, plan) {
  const game = new Game(area, { plan });
  await game.run();
  game.leave();
  return game.places;
}

function inWords({ setup }, { step, aim }) {
  const key = setup.keys.find((one) => one.step === step);
  if (key) return key.about;
  return aim ? `${described(setup.game).aim?.action ?? step} at the marked cell` : step;
}

/** In how many steps two plans begin alike. What a step does may be told by large letters. */
function commonLength(steps, others) {
  let at = 0;
  while (at < steps.length && at < others.length && steps[at].toLowerCase() === others[at].step.toLowerCase()) at++;
  return at;
}
