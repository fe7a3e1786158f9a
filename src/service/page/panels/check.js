// Submitting a plan: the verdict, where it fails, and the way to look at it there.

import { $, bytesOf, complain, counted, factList, inBytes, keep, kept, make, plates, problemBox, say, selectLine, textOf } from "../dom.js";
import { lengthText, measured } from "../games.js";
import { judge } from "../judge/judge.js";

/** The beginning of a certificate. */
const CERTIFICATE = /^outwit certificate /;

/** Who submits, where they say so: part of a request. */
export function finder() {
  const by = (kept("finder") ?? "").trim();
  return by === "" ? {} : { by };
}

export class CheckPanel {
  constructor(desk) {
    this.desk = desk;
    this.field = $("#check-text");
    $("#check-form").onsubmit = (event) => {
      event.preventDefault();
      this.submit(event.submitter?.value === "submit");
    };
    $("#finder").value = kept("finder") ?? "";
    $("#finder").onchange = (event) => keep("finder", event.target.value);
    $("#check-played").onclick = () => desk.checkPlayed();
    $("#check-best").onclick = () => this.best();
    $("#check-file").onchange = async (event) => {
      const [file] = event.target.files;
      if (file) this.fill(await textOf(file));
      event.target.value = "";
    };
  }

  open() {
    this.field.value = "";
    $("#verdict").replaceChildren();
  }

  enter() {
    $("#check-best").hidden = !this.desk.area?.best;
    $("#check-played").disabled = !this.desk.play.game?.steps.length;
  }

  tell() {
    say("Paste a plan or a certificate, or take a plan from below the field");
  }

  leave() {}

  key() {
    return false;
  }

  fill(plan) {
    this.field.value = plan;
    $("#verdict").replaceChildren();
  }

  async best() {
    try {
      this.fill((await judge.bestPlan(this.desk.area.id)).plan);
    } catch (problem) {
      complain(problem);
    }
  }

  /** Whether nothing but blanks may be a plan: there is a step that is written so. */
  hasBlankStep() {
    return this.desk.play.game.setup.keys.some(({ step }) => step.trim() === "");
  }

  /** Has the plan in the field verified; with `store` also kept, where it is the best. */
  async submit(store) {
    const plan = this.field.value;
    const verdict = $("#verdict");
    if (CERTIFICATE.test(plan)) return this.prove(plan);
    if (plan.trim() === "" && !this.hasBlankStep()) return say("Paste a plan first", "note");
    const most = this.desk.limits?.plan_bytes ?? Infinity;
    if (bytesOf(plan) > most) return say(`This plan has ${inBytes(bytesOf(plan))}; plans up to ${inBytes(most)} are taken here`, "bad");
    verdict.replaceChildren(make("p", { class: "quiet" }, "Replaying…"));
    try {
      const told = await (store ? judge.submit({ area: this.desk.area.ref, plan, ...finder() }) : judge.verify({ area: this.desk.area.ref, plan }));
      verdict.replaceChildren(this.show(told, plan, store));
      say(told.valid ? `Valid: ${lengthText(this.desk.area.game, told.length, told.facts)}` : `Not valid: ${told.reason}`, told.valid ? "good" : "bad");
      if (!told.valid && told.line) selectLine(this.field, told.line);
      verdict.scrollIntoView({ block: "nearest" });
      if (told.best_known) this.desk.reloadArea();
    } catch (problem) {
      this.refuse(problem);
    }
  }

  /** Has a certificate checked. */
  async prove(certificate) {
    const verdict = $("#verdict");
    verdict.replaceChildren(make("p", { class: "quiet" }, "Checking…"));
    try {
      const told = await judge.check({ area: this.desk.area.ref, certificate });
      verdict.replaceChildren(this.showProof(told, certificate));
      say(told.certified ? `Certified: ${told.claim}` : `Not certified: ${told.reason}`, told.certified ? "good" : "bad");
      verdict.scrollIntoView({ block: "nearest" });
    } catch (problem) {
      this.refuse(problem);
    }
  }

  showProof({ certified, claim, length, optimal, states, reason }, certificate) {
    const box = make("div", { class: `verdict ${certified ? "good" : "bad"}` }, make("strong", {}, certified ? `✓ Certified: ${claim}` : certified === null ? "Not decided here" : "✗ Not certified"));
    if (!certified) box.append(make("p", { id: "reason" }, reason));
    if (certified === null) box.append(make("p", { class: "quiet" }, "The program outwit takes all the time that it needs: outwit check AREA CERTIFICATE."));
    if (!certified) return box;
    const { game } = this.desk.area;
    if (length != null) box.append(make("p", {}, `Its plan has ${measured(game, length)}${optimal ? ": no plan is shorter" : ""}.`));
    box.append(make("p", { class: "quiet" }, `Proven from the rules alone: ${counted(states, "state")}.`));
    const plan = certificate.split(/^plan\r?\n/m)[1];
    if (plan) box.append(make("button", { type: "button", class: "button", onclick: () => this.desk.watch.watch(plan, "The plan of the certificate") }, "Watch its plan"));
    return box;
  }

  /** Shows why a plan cannot be read. */
  refuse(problem) {
    if (!problem.sentence) return complain(problem);
    $("#verdict").replaceChildren(problemBox(problem));
    const place = problem.diagnostic;
    if (["plan", "certificate"].includes(place?.file) && place.line > 0) selectLine(this.field, place.line, place.column, place.length);
    $("#verdict").scrollIntoView({ block: "nearest" });
    say(problem.sentence, "bad");
  }

  show(told, plan, stored) {
    return told.valid ? this.showValid(told, plan, stored) : this.showInvalid(told, plan);
  }

  showValid(told, plan, stored) {
    const { game, best } = this.desk.area;
    const known = best?.length;
    const box = make("div", { class: "verdict good" }, make("strong", {}, `✓ Valid: ${lengthText(game, told.length, told.facts)}`));
    if (factList(told.facts).length > 0) box.append(make("p", { class: "plates" }, ...plates(told.facts)));
    for (const remark of told.remarks ?? []) box.append(make("p", { class: "quiet" }, remark));
    if (told.best_known) box.append(make("p", {}, "It is the best known plan of this area from now on."));
    else if (stored) box.append(make("p", {}, known != null ? `The best known plan, of ${measured(game, known)}, stays.` : "It is kept only for stored areas."));
    else if (known != null) box.append(make("p", { class: "quiet" }, told.length < known ? `Better than the best known, ${measured(game, known)}: submit it.` : `Best known: ${measured(game, known)}.`));
    box.append(make("button", { type: "button", class: "button", onclick: () => this.desk.watch.watch(plan, "The checked plan") }, "Watch it"));
    box.append(make("button", { type: "button", class: "button", id: "shorten", onclick: () => this.desk.solve.shorten(plan) }, "Ask for a shorter one"));
    return box;
  }

  showInvalid(told, plan) {
    const where = told.line != null ? `Step ${told.step}, line ${told.line}` : `Step ${told.step}`;
    const box = make("div", { class: "verdict bad", id: "verdict-bad" }, make("strong", {}, "✗ Not valid"));
    box.append(make("p", {}, `${where}: `, told.text != null ? make("code", {}, told.text === " " ? "␣" : told.text) : "", make("br"), make("span", { id: "reason" }, told.reason)));
    if (told.board) box.append(make("pre", { class: "excerpt board-text", tabindex: "0", "aria-label": "the board there" }, told.board));
    const look = () => this.desk.watch.watch(plan, `The checked plan, to step ${told.step}`, told.step);
    box.append(make("button", { type: "button", class: "button strong", id: "show-failure", onclick: look }, `Show ${counted(told.step - 1, "step")} and where it fails`));
    return box;
  }
}
