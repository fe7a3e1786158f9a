// A win: the card over the board with how good it is, one click to submit it, the way on.

import { finder } from "./check.js";
import { $, calm, complain, copy, say } from "../dom.js";
import { gameTitle, lengthText, measured } from "../games.js";
import { recordText, setDone } from "../areas/done.js";
import { judge } from "../judge/judge.js";
import { link } from "../areas/share.js";

/** Pattern of a phone's vibration, in milliseconds. */
const FELT = [30, 40, 70];

export class WonCard {
  constructor(desk) {
    this.desk = desk;
    this.root = $("#won");
    /** The win that is shown: the steps it took. */
    this.steps = null;
    $("#won-submit").onclick = () => this.submit();
    $("#won-next").onclick = () => desk.goOn(1);
    $("#won-share").onclick = () => desk.share();
    $("#won-close").onclick = () => {
      this.root.hidden = true;
      desk.focusBoard();
    };
  }

  /** Shows or hides it, as a game that is played stands. */
  follow(game) {
    if (game?.status !== "won") return this.hide();
    const steps = game.steps.join("\n");
    if (steps === this.steps) return;
    this.steps = steps;
    this.celebrate(game).catch(complain);
  }

  hide() {
    this.steps = null;
    this.plan = null;
    this.root.hidden = true;
  }

  async celebrate(game) {
    const { area } = this.desk;
    const steps = this.steps;
    $("#won-length").textContent = "…";
    $("#won-compare").textContent = "";
    $("#won-submit").hidden = !area.id;
    $("#won-submit").disabled = true;
    $("#won-next").hidden = !this.desk.beside(1);
    this.root.hidden = false;
    // A browser forbids it to pages that nobody has touched.
    if (!calm() && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(FELT);
    const plan = await game.plan();
    const told = await judge.verify({ area: area.ref, plan });
    if (steps !== this.steps || area !== this.desk.area) return;
    this.plan = plan;
    $("#won-length").textContent = told.valid ? lengthText(area.game, told.length, told.facts) : `Not valid: ${told.reason}`;
    if (!told.valid) return;
    $("#won-submit").disabled = false;
    $("#won-compare").textContent = compared(area, told.length);
    const record = setDone(area.game, area.key, told);
    if (!record) return;
    this.desk.areas.render();
    if (!area.id) $("#won-compare").textContent = record === "first" ? "Won for the first time." : `Your record from now on: ${recordText(area.game, area.key)}.`;
  }

  async submit() {
    const { area } = this.desk;
    $("#won-submit").disabled = true;
    try {
      const told = await judge.submit({ area: area.ref, plan: this.plan, ...finder() });
      if (area !== this.desk.area) return;
      const kept = `Submitted: ${measured(area.game, told.length)} is the best known from now on`;
      const text = told.best_known ? kept : "Submitted: the best known plan stays";
      $("#won-compare").textContent = `${text}.`;
      say(text, told.best_known ? "good" : "note");
      if (told.best_known) this.desk.reloadArea();
    } catch (problem) {
      $("#won-submit").disabled = false;
      complain(problem);
    }
  }
}

/** How a length is beside the best one that is known. */
function compared(area, length) {
  const { best } = area;
  if (!area.id) return `Your record: ${recordText(area.game, area.key) || gameTitle(area.game)}.`;
  if (!best) return "Nobody has submitted a plan before you.";
  if (length < best.length) return `Better than the best known, which has ${measured(area.game, best.length)}!`;
  if (length === best.length) return best.optimal ? "As short as can be: proven." : "As short as the best known.";
  return `The best known has ${measured(area.game, best.length)}.`;
}

/** Copies a link to an area, with a plan where one is given. */
export async function copyLink(area, plan) {
  const address = (await link(area, plan)) ?? (plan && (await link(area, null)));
  if (!address) return say("This area is too large for a link: send its file", "bad");
  await copy(address);
  say(plan ? "Copied a link with the plan" : "Copied a link", "good");
}
