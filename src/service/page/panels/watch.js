// Watching a plan: a scrubber, a clock that steps, the plan's text with the step that was done.

import { $, complain, counted, grouped, make, say, seenWaits } from "../dom.js";
import { lengthText } from "../games.js";
import { Game } from "../game.js";
import { judge } from "../judge/judge.js";
import { finderText } from "../areas/records.js";

/** Number of steps that are shown before and after the one that was done. */
const SHOWN_AROUND = 80;
/** Upper limit of the shown text of a plan whose steps are not found in it, in characters. */
const LONG_TEXT = 20_000;
const SPEEDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

function labelOf(game, known) {
  const finder = finderText(known);
  return `Best known: ${lengthText(game, known.length, known.facts)}${known.optimal ? ", proven shortest" : ""}${finder && `, ${finder}`}`;
}

export class WatchPanel {
  constructor(desk) {
    this.desk = desk;
    this.game = null;
    this.playing = false;
    this.wanted = null;
    /** Settled when the plan that the panel opens by itself is there. */
    this.loading = Promise.resolve();
    $("#watch-play").onclick = () => (this.playing ? this.pause() : this.start());
    $("#watch-back").onclick = () => this.stepBy(-1);
    $("#watch-next").onclick = () => this.stepBy(1);
    $("#watch-first").onclick = () => this.go(0);
    $("#watch-last").onclick = () => this.go(this.game?.tape ?? 0);
    $("#scrubber").oninput = (event) => this.go(Number(event.target.value));
    $("#watch-best").onclick = () => this.best();
    $("#watch-check").onclick = () => this.game && desk.check(this.game.tapeText);
    const speed = $("#speed");
    speed.replaceChildren(...SPEEDS.map((one) => make("option", { value: one, selected: one === 8 }, `${one}/s`)));
    speed.onchange = () => this.rebase();
  }

  /** Forgets the plan of another area. */
  open() {
    this.pause();
    this.game?.leave();
    this.game = null;
    this.refresh();
  }

  enter() {
    const { board } = this.desk;
    board.show(this.game ?? this.desk.play.game);
    board.wish();
    this.refresh();
    if (!this.game && this.desk.area?.id) this.loading = this.best();
  }

  /** Says where the plan is. */
  tell() {
    if (this.game) this.report();
    else say(this.desk.area.id ? "Asking for the best known plan…" : "No plan is known of your own area yet: ask for one under Solve", "note");
  }

  leave() {
    this.pause();
  }

  /** Watches the best plan that is known. */
  async best() {
    const { area } = this.desk;
    try {
      const known = await judge.bestPlan(area.id);
      if (area !== this.desk.area) return;
      // It may have become known since the area was opened.
      if (!area.best) this.desk.reloadArea();
      await this.watch(known.plan, labelOf(area.game, known));
    } catch (problem) {
      if (problem.status === 404) say("No plan is known of this area yet: ask for one under Solve", "note");
      else complain(problem);
    }
  }

  /** Watches a plan from a step on. */
  async watch(plan, label, step = 0) {
    this.pause();
    const game = new Game(this.desk.area.ref, { plan });
    const { area } = this.desk;
    try {
      await game.run();
      if (step > 0) await game.seek(step);
    } catch (problem) {
      if (problem.diagnostic) this.desk.check(plan, problem);
      return complain(problem);
    }
    if (area !== this.desk.area) return game.leave();
    this.game?.leave();
    this.game = game;
    this.label = label;
    game.addEventListener("change", () => this.refresh());
    if (this.desk.tab !== "watch") this.desk.choose("watch");
    else this.desk.board.show(game);
    this.refresh();
    this.report();
  }

  // Going through it.

  start() {
    if (!this.game) return;
    if (this.position() >= this.game.tape) this.go(0);
    this.playing = true;
    say("Playing…");
    this.rebase();
    this.refresh();
    requestAnimationFrame(() => this.tick());
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.refresh();
  }

  /** Speed counts from now on. */
  rebase() {
    this.base = { at: performance.now(), step: this.position() };
  }

  position() {
    return this.wanted ?? this.game?.position ?? 0;
  }

  async tick() {
    if (!this.playing) return;
    const { game } = this;
    const passed = ((performance.now() - this.base.at) / 1000) * Number($("#speed").value);
    const step = Math.min(this.base.step + Math.floor(passed), game.tape);
    if (step > this.position() && game.busy === 0) await this.go(step, true);
    if (game.refused || game.over || this.position() >= game.tape) this.pause();
    if (this.playing) requestAnimationFrame(() => this.tick());
  }

  stepBy(count) {
    this.pause();
    return this.go(this.position() + count);
  }

  /** Goes to a step; of several wishes while one is on its way only the last is sent. */
  async go(step, playing = false) {
    const { game } = this;
    if (!game) return;
    if (!playing) this.pause();
    this.wanted = Math.min(Math.max(step, 0), game.tape ?? 0);
    $("#scrubber").value = this.wanted;
    if (game.busy > 0) return;
    try {
      while (this.wanted !== null && this.game === game) {
        const target = this.wanted;
        await game.seek(target);
        if (this.wanted === target) this.wanted = null;
      }
      if (!playing || game.refused || game.over) this.report();
    } catch (problem) {
      this.wanted = null;
      this.pause();
      complain(problem);
    }
  }

  report() {
    const { game } = this;
    if (!game) return;
    const at = `Step ${grouped(game.position)} of ${grouped(game.tape)}`;
    if (game.refused) say(`Step ${game.position + 1} (${game.refused.step}) is refused: ${game.refused.reason}`, "bad");
    else if (game.status === "lost") say(`${at}: lost, ${game.why}`, "bad");
    else if (game.status === "won") say(`${at}: out`, "good");
    else if (game.position === game.tape) say(`${at}: the plan ends here, and nothing is won yet`, "bad");
    else say(`${at}${this.stepText(game.position - 1)}`);
  }

  stepText(index) {
    const place = this.game.places[index];
    return place ? `: ${place.step === " " ? "wait" : place.step}` : "";
  }

  key(name) {
    switch (name) {
      case "space":
        return this.playing ? this.pause() : this.start(), true;
      case "left":
      case "up":
        return this.stepBy(-1), true;
      case "right":
      case "down":
        return this.stepBy(1), true;
      case "PageUp":
        return this.stepBy(-10), true;
      case "PageDown":
        return this.stepBy(10), true;
      case "Home":
        return this.go(0), true;
      case "End":
        return this.go(this.game?.tape ?? 0), true;
      case ",":
        return this.faster(-1), true;
      case ".":
        return this.faster(1), true;
      default:
        return false;
    }
  }

  faster(by) {
    const speed = $("#speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), SPEEDS.length - 1);
    this.rebase();
    say(`${speed.value} steps a second`);
  }

  // What is shown.

  /** Shows the plan around the step that was done last, which is marked. */
  layText() {
    const { game } = this;
    const { places, tapeText, position } = game;
    const text = $("#watch-text");
    if (places.length === 0) {
      const shown = seenWaits(tapeText.length > LONG_TEXT ? `${tapeText.slice(0, LONG_TEXT)}…` : tapeText);
      if (text.textContent !== shown) text.replaceChildren(shown);
      return;
    }
    const at = game.refused ? position : position - 1;
    const first = Math.max(0, at - SHOWN_AROUND);
    const last = Math.min(places.length - 1, at + SHOWN_AROUND);
    const from = first === 0 ? 0 : places[first].from;
    const to = last === places.length - 1 ? undefined : places[last].to;
    const parts = [first > 0 ? "…\n" : ""];
    const place = places[at];
    if (place) {
      const step = game.tapePart(place.from, place.to);
      const bad = game.refused || game.status === "lost";
      const mark = make("mark", { class: bad ? "bad" : null }, seenWaits(step));
      parts.push(seenWaits(game.tapePart(from, place.from)), mark, seenWaits(game.tapePart(place.to, to)));
    } else parts.push(seenWaits(game.tapePart(from, to)));
    parts.push(last < places.length - 1 ? "\n…" : "");
    text.replaceChildren(...parts);
    const mark = text.querySelector("mark");
    text.scrollTop = mark ? mark.offsetTop - text.clientHeight / 2 : 0;
  }

  refresh() {
    const { game, desk } = this;
    const here = Boolean(game);
    $("#watch-none").hidden = here;
    $("#watch-some").hidden = !here;
    $("#watch-best").hidden = !desk.area?.best;
    $("#watch-play").textContent = this.playing ? "Pause" : "Play";
    $("#watch-play").setAttribute("aria-pressed", String(this.playing));
    if (desk.tab !== "watch") return;
    if (!here) return desk.play.game?.setup && desk.showFacts(desk.play.game);
    const scrubber = $("#scrubber");
    scrubber.max = game.tape ?? 0;
    if (this.wanted === null) scrubber.value = game.position;
    scrubber.setAttribute("aria-valuetext", `step ${game.position} of ${game.tape}`);
    $("#watch-at").textContent = `${grouped(game.position)} / ${counted(game.tape ?? 0, "step")}`;
    $("#watch-label").textContent = this.label ?? "";
    desk.board.setFog(null);
    desk.showFacts(game);
    desk.describe(game);
    this.layText();
    desk.remember();
  }
}
