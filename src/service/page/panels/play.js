// Playing by hand: keys, buttons, clicks; taking back; the plan that grows beside the board.

import { $, calm, complain, copy, counted, download, factList, factOf, keep, kept, make, recall, remember, say, seenWaits } from "../dom.js";
import { described } from "../games.js";
import { Game } from "../game.js";
import { Hint, stepsOf } from "./hint.js";
import { stretch, walkTo as walkLong } from "../board/walls.js";
import { marked, walkTo } from "../board/paths.js";
import { isBox, pushTo } from "../board/push.js";
import { markSigns, sign } from "../rules.js";
import { isGround } from "../board/tiles.js";
import { Snapshots } from "./snapshots.js";
import { Warning } from "./warning.js";
import { WonCard } from "./won.js";

/** Where the direction keys are on the pad, and what is drawn on them. */
const PAD = {
  7: [1, 1, "↖"],
  up: [1, 2, "↑"],
  9: [1, 3, "↗"],
  left: [2, 1, "←"],
  space: [2, 2, "•"],
  right: [2, 3, "→"],
  1: [3, 1, "↙"],
  down: [3, 2, "↓"],
  3: [3, 3, "↘"],
};
/** The numeric keypad walks also in games that have no such keys. */
const NUMPAD = { 8: "up", 2: "down", 4: "left", 6: "right", 5: "space" };

/** Whether the pointer is a finger: it decides what the player is told to do. */
const TOUCH = matchMedia("(pointer: coarse)");
const welcome = (game) => `${described(game).goal}: ${TOUCH.matches ? "tap" : "arrow keys, or click"} where to go`;
const DARK_WELCOME = "It is dark: look around, look ahead, or feel your way step by step";

/** How fast walks are shown: milliseconds between their steps, and the upper limit of the steps that are sent at
 * once while nobody can hear them. */
const PACES = { slow: { pause: 160, stride: 1 }, usual: { pause: 45, stride: 8 }, "at once": { pause: 0, stride: 64 } };
const USUAL_PACE = "usual";
/** Kinds of marks that warn of what is lost. */
const WARNINGS = ["dead", "stuck"];

/** Upper limit of the distance from the player at which a way is shown ahead of a click, in cells. */
const PREVIEW_REACH = 80;
/** Cells of an area above which the marks are asked for once it is known what is seen of it. */
const LARGE_CELLS = 20_000;
const NO_MARKS = { row: 0, col: 0, rows: 0, cols: 0 };

export class PlayPanel {
  constructor(desk) {
    this.desk = desk;
    this.root = $("#panel-play");
    this.game = null;
    this.walk = null;
    this.won = new WonCard(desk);
    this.hint = new Hint(this);
    this.snapshots = new Snapshots(this);
    this.warning = new Warning((game) => this.warned(game));
    $("#undo").onclick = () => this.undo();
    $("#redo").onclick = () => this.redo();
    $("#restart").onclick = () => this.restart();
    $("#throw").onclick = () => this.throwing(!this.desk.board.throwing);
    $("#step-form").onsubmit = (event) => {
      event.preventDefault();
      const step = $("#step-text").value.trim();
      if (step) this.act(...this.written(step));
    };
    document.addEventListener("paste", (event) => this.paste(event));
    this.layOptions();
    $("#dark").onchange = () => {
      this.refresh();
      if ($("#dark").checked) say(DARK_WELCOME, "note");
    };
    $("#plan-copy").onclick = () => this.game?.plan().then(copy, complain);
    $("#plan-save").onclick = () => this.save().catch(complain);
    $("#plan-check").onclick = () => desk.checkPlayed();
  }

  /** The pace of walks and whether it is warned of what is lost: as chosen the last time. */
  layOptions() {
    const pace = $("#pace");
    const chosen = kept("pace") ?? USUAL_PACE;
    pace.replaceChildren(...Object.keys(PACES).map((name) => make("option", { value: name, selected: name === chosen }, name)));
    pace.onchange = () => keep("pace", pace.value);
    const warns = $("#warns");
    warns.checked = kept("warns") ?? true;
    const apply = () => {
      this.desk.board.hidden = new Set(warns.checked ? [] : WARNINGS);
      this.desk.board.wish();
    };
    warns.onchange = () => {
      keep("warns", warns.checked);
      apply();
      if (!this.game?.setup) return;
      this.watchOver();
      this.refresh();
    };
    apply();
  }

  get pace() {
    return PACES[$("#pace").value] ?? PACES[USUAL_PACE];
  }

  /** Begins a game on an area, with the steps that this tab has done there before. */
  static async begin(area) {
    const game = new Game(area.ref, { steps: recall(`steps:${area.key}`) ?? [] });
    if (isLarge(area)) game.marksWanted = NO_MARKS;
    return game.run();
  }

  /** Takes up a game that has begun. */
  open(game) {
    this.stop();
    this.won.hide();
    this.game?.leave();
    this.game = game;
    // The board takes a change in first: the legend tells what is on it.
    game.addEventListener("change", () => {
      this.watchOver();
      queueMicrotask(() => this.refresh());
    });
    this.resumed = game.steps.length;
    this.layKeys();
    this.snapshots.lay();
  }

  /** Finds out whether the game is lost though it goes on. */
  watchOver() {
    if ($("#warns").checked) return this.warning.follow(this.game, this.desk.area.ref);
    this.warning.stop();
    this.game.doomed = null;
  }

  /** The game is lost though it goes on. */
  warned(game) {
    if (game !== this.game || this.desk.tab !== "play") return;
    this.refresh();
    this.report();
  }

  /** Forgets the game. */
  close() {
    this.warning.stop();
    this.stop();
    this.throwing(false);
    this.won.hide();
    this.game?.leave();
    this.game = null;
  }

  enter() {
    this.watchOver();
    this.desk.board.show(this.game);
    this.refresh();
  }

  /** Says how the game stands. */
  tell() {
    const { game, resumed } = this;
    this.resumed = 0;
    if (resumed > 0) say(`Taken up after ${counted(resumed, "step")} of before`, "note");
    else if (game.position > 0) this.report();
    else say($("#dark").checked && this.desk.board.fog ? DARK_WELCOME : welcome(game.setup.game));
  }

  leave() {
    this.stop();
    this.throwing(false);
    this.won.hide();
    this.desk.board.preview = this.desk.board.cursor = null;
  }

  // The keys.

  /** The game's keys as buttons. */
  layKeys() {
    const { keys, game, aims, fog } = this.game.setup;
    const pad = $("#pad");
    const extra = $("#extra-keys");
    const buttons = keys.filter(({ key }) => PAD[key]).map((key) => this.padButton(key));
    pad.replaceChildren(...buttons);
    const covered = new Set(keys.filter(({ key }) => PAD[key]).map(({ step }) => step));
    const others = keys.filter(({ key, step }) => !PAD[key] && !covered.has(step));
    extra.replaceChildren(...others.map(({ key, step, about }) => make("button", { type: "button", class: "button small", onclick: () => this.act(step) }, about, make("kbd", {}, key))));
    const { long_steps: longSteps, examples } = described(game);
    for (const { way, verb, step } of longSteps.filter(({ moves }) => !moves)) {
      const show = () => this.act(`${step} ${this.reach()}`);
      extra.append(make("button", { type: "button", class: "button small", onclick: show, "aria-label": `${step} as far as is set` }, `${verb} ${PAD[way][2]}`));
    }
    $("#throw").hidden = !aims;
    $("#throw").firstChild.data = `${aimText(game)} `;
    $("#reach-field").hidden = longSteps.length === 0;
    $("#dark-field").hidden = !fog;
    $("#step-text").placeholder = keys[0]?.step ?? "";
    $("#step-hint").textContent = examples.join(" · ");
  }

  padButton({ key, step, about }) {
    const [row, col, glyph] = PAD[key];
    const place = `pad-${row}${col}`;
    return make("button", { type: "button", class: `key ${place}`, "aria-label": about, title: about, onclick: () => this.press(key, step) }, glyph);
  }

  /**
   * The steps that were typed: one, or several letters where each step is one. A blank cannot be seen there: its
   * key may be named instead.
   */
  written(text) {
    const { keys } = this.game.setup;
    const key = keys.find((one) => one.key === text);
    if (key?.step.trim() === "") return [key.step];
    const areLetters = keys.every(({ step }) => step.length === 1);
    return areLetters ? [...text].filter((letter) => letter.trim() !== "") : [text];
  }

  /** A plan that is pasted beside all fields is played from the start. */
  paste(event) {
    if (this.desk.tab !== "play" || !this.game?.setup || document.querySelector("dialog:modal")) return;
    if (event.target.closest?.("textarea, input, select")) return;
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.trim() === "") return;
    event.preventDefault();
    this.replay(text);
  }

  /** Plays a plan from the start. */
  async replay(plan) {
    this.stop();
    const { game, desk } = this;
    try {
      const steps = (await stepsOf(desk.area.ref, plan)).map(({ step }) => step);
      if (steps.length === 0) return say("This plan is too long to be played here: watch it under Submit", "note");
      await game.undo(Infinity);
      await game.act(...steps);
      this.report();
    } catch (problem) {
      if (!problem.diagnostic) return complain(problem);
      say(`What was pasted is no plan of this game: ${problem.diagnostic.message}`, "bad");
    }
  }

  /** How far long steps go. */
  reach() {
    return Math.max(1, Math.floor(Number($("#reach").value)) || 1);
  }

  press(key, step) {
    if (this.desk.board.throwing && PAD[key]) return this.moveCursor(PAD[key][0] - 2, PAD[key][1] - 2);
    const long = described(this.game.setup.game).long_steps.find(({ way, moves }) => moves && way === key);
    if (long) return this.act(`${long.step} ${this.reach()}`);
    return this.act(step);
  }

  /** A key of the keyboard, by its name; whether it was one of ours. */
  key(name, event) {
    const { board } = this.desk;
    if (!this.game?.setup) return false;
    const { keys, aims } = this.game.setup;
    if (name === "Escape" && this.box) return this.choose(null), true;
    if (board.throwing && (name === "Enter" || name === "space")) return this.throwAt(board.cursor), true;
    if (name === "Escape") {
      if (!this.walk && !board.throwing) return false;
      this.stop();
      return this.throwing(false), true;
    }
    const has = (wanted) => keys.find(({ key }) => key === wanted);
    const known = has(name) ?? has(name.toLowerCase()) ?? has(NUMPAD[name]);
    if (known) {
      // A key that is held down waits for the board.
      if (!(event.repeat && this.game.busy > 0)) this.press(known.key, known.step);
      return true;
    }
    switch (name) {
      case "b":
        return aims && (this.throwing(!board.throwing), true);
      case "z":
      case "Backspace":
        return this.undo(), true;
      case "y":
        return this.redo(), true;
      case "h":
        return this.hint.ask(), true;
      case "Z":
        return this.undo(1), true;
      case "m":
        return this.snapshots.take(), true;
      case "R":
        return this.restart(), true;
      default:
        return false;
    }
  }

  // Steps.

  async act(...steps) {
    this.stop();
    await this.doing(() => this.game.act(...steps));
  }

  /** Does something with the game and tells how it went. */
  async doing(what) {
    try {
      await what();
      this.report();
    } catch (problem) {
      complain(problem);
    }
  }

  report() {
    const { game } = this;
    if (game.status === "won") say(`You made it: ${counted(game.position, "step")}. The plan is ready to be submitted.`, "good");
    else if (game.status === "lost") say(`Lost: ${game.why}. Undo takes the last step back.`, "bad");
    else if (game.refused) say(`Refused: ${game.refused.reason}`, "bad");
    else if (game.doomed) say(`Lost: ${game.doomed}. Undo takes it back.`, "bad");
    else say(`Step ${game.position}${lastStep(game)} ${shortFacts(game)}`);
  }

  /** Whether this list of the game, `steps` or `redoable`, is empty, and no answer is awaited that could fill it. */
  staysEmpty(list) {
    return !this.game || (this.game[list].length === 0 && this.game.busy === 0);
  }

  /** Takes back what was done last, or a number of steps. */
  undo(count) {
    this.stop();
    if (this.staysEmpty("steps")) return say("Nothing to take back", "note");
    return this.doing(() => this.game.undo(count));
  }

  redo() {
    this.stop();
    if (this.staysEmpty("redoable")) return say("Nothing to do again", "note");
    return this.doing(() => this.game.redo());
  }

  restart() {
    this.stop();
    if (this.staysEmpty("steps")) return say("At the start already", "note");
    return this.doing(async () => {
      await this.game.undo(Infinity);
      say("At the start again; redo brings all steps back", "note");
    });
  }

  // The pointer.

  cell({ row, col, second }) {
    const { game } = this;
    if (!game?.setup) return;
    if (game.over) return this.report();
    if (game.setup.aims && (second || this.desk.board.throwing)) return this.throwAt({ row, col });
    const { pointing } = described(game.setup.game);
    if (pointing === "long-steps") return this.walkLong([row, col]);
    if (row === game.player[0] && col === game.player[1]) return;
    if (pointing === "push" && this.pointBox([row, col])) return;
    const way = walkTo(game, [row, col]);
    if (!way) return say("There is no way to that cell", "note");
    this.walkAlong(way);
  }

  /** Takes a box, or brings the one that was taken to a cell; whether it was about a box. */
  pointBox([row, col]) {
    const { game, box } = this;
    if (isBox(game, row, col)) {
      const again = box && box[0] === row && box[1] === col;
      this.choose(again ? null : [row, col]);
      if (!again) say(`Where shall this box go? ${TOUCH.matches ? "Tap" : "Click"} a cell`, "note");
      return true;
    }
    if (!box) return false;
    this.choose(null);
    const steps = pushTo(game, box, [row, col]);
    if (!steps) say("This box cannot be brought there as the others stand", "note");
    else this.walkAlong(steps.map((step) => ({ step, cell: [row, col] })));
    return true;
  }

  /** Marks the box that is taken, or none. */
  choose(box) {
    this.box = box;
    this.desk.board.cursor = box && { row: box[0], col: box[1], reach: 0 };
    this.desk.board.wish();
  }

  /** A finger was drawn over the board: a step that way. */
  swipe(way) {
    if (!this.game?.setup || this.game.over || this.game.busy > 0) return;
    const known = this.game.setup.keys.find(({ key }) => key === way);
    if (known) this.press(known.key, known.step);
  }

  hover(cell) {
    const { board } = this.desk;
    const { game } = this;
    if (board.throwing) {
      if (cell) this.setCursor(cell.row, cell.col);
      return;
    }
    const at = cell && game?.cells && !game.over && !game.setup.walls ? `${cell.row}:${cell.col}` : "";
    if (at === this.hovered) return;
    this.hovered = at;
    board.preview = null;
    const near = at && game.player && Math.max(Math.abs(cell.row - game.player[0]), Math.abs(cell.col - game.player[1])) <= PREVIEW_REACH;
    if (near && !this.walk && game.cells.holds(cell.row, cell.col)) {
      const way = walkTo(game, [cell.row, cell.col]);
      if (way) board.preview = [game.player, ...way.map((step) => step.cell)];
    }
    board.wish();
  }

  /** Walks step by step, and stops when something wakes or waits ahead. */
  async walkAlong(way) {
    this.stop();
    const walk = (this.walk = { way });
    const { game, desk, pace } = this;
    desk.board.preview = null;
    const awake = tracing(game);
    await this.doing(async () => {
      let done = 0;
      while (done < way.length && this.walk === walk) {
        const quiet = way.slice(done, done + pace.stride).findIndex(({ cell }) => tracing(game) > 0 || this.watchedCell(cell));
        const stride = Math.max(1, Math.min(quiet < 0 ? pace.stride : quiet, way.length - done));
        if (done > 0 && marked(game, "danger", ...way[done].cell)) return this.halt("Danger ahead: stopped");
        const steps = way.slice(done, done + stride).map(({ step }) => step);
        await (done > 0 ? game.goOn(...steps) : game.act(...steps));
        done += stride;
        if (game.over || game.refused) return;
        if (tracing(game) > awake && done < way.length) return this.halt("Something has heard you: stopped");
        if (done < way.length && !calm() && pace.pause > 0) await new Promise((wake) => setTimeout(wake, pace.pause));
      }
    });
    if (this.walk === walk) this.walk = null;
  }

  watchedCell([row, col]) {
    return marked(this.game, "hearing", row, col) || marked(this.game, "danger", row, col);
  }

  halt(why) {
    this.walk = null;
    this.halted = why;
    this.doing(async () => {}).then(() => say(why, "note"));
  }

  stop() {
    this.walk = null;
    this.hint.stop();
    if (this.box) this.choose(null);
  }

  walkLong(target) {
    const { game } = this;
    const [row, col] = game.player;
    const straight = target[0] === row || target[1] === col;
    const steps = described(game.setup.game).long_steps.filter(({ moves }) => moves);
    if ($("#dark").checked && !straight) return say("In the dark, click straight ahead: in your row or column", "note");
    if ($("#dark").checked) {
      return this.act(...stretch(steps, [row, col], target));
    }
    const way = walkLong(game, steps, target);
    if (!way) return say("There is no way to that cell around the walls", "note");
    if (way.length > 0) this.act(...way);
  }

  /** Covers what was not seen, where the game is played in the dark. */
  cover() {
    const { game } = this;
    const isDark = game.setup.fog && $("#dark").checked;
    this.desk.board.setFog(isDark ? game.seen : null);
    this.desk.showFollowing();
  }

  // Throwing.

  throwing(on) {
    const { board } = this.desk;
    if (on && !this.game?.setup?.aims) return;
    board.throwing = on;
    board.preview = null;
    $("#throw").setAttribute("aria-pressed", String(on));
    if (on) {
      this.setCursor(...(this.game.player ?? [0, 0]));
      say(`${aimText(this.game.setup.game)}: click a cell, or move with the arrows and press Enter; Escape leaves`, "note");
    } else board.cursor = null;
    board.wish();
  }

  setCursor(row, col) {
    this.desk.board.cursor = { row, col, reach: described(this.game.setup.game).aim?.reach ?? 0 };
    this.desk.board.wish();
  }

  moveCursor(down, right) {
    const { cursor } = this.desk.board;
    const { row, col, rows, cols } = this.game.extent;
    const to = [Math.min(Math.max(cursor.row + down, row), row + rows - 1), Math.min(Math.max(cursor.col + right, col), col + cols - 1)];
    this.setCursor(...to);
    const [at, to_] = this.game.player;
    say(`Aiming ${directions(to[0] - at, to[1] - to_)}`);
  }

  async throwAt(cell) {
    if (!cell) return;
    this.stop();
    await this.doing(() => this.game.aim(cell.row, cell.col));
    if (!this.game.refused) this.throwing(false);
  }

  // What is shown.

  refresh() {
    const { game, desk } = this;
    if (!game?.setup || desk.tab !== "play") return;
    this.cover();
    desk.showFacts(game);
    $("#undo").disabled = game.steps.length === 0;
    $("#restart").disabled = game.steps.length === 0;
    if (!this.hint.end) $("#hint").disabled = game.over;
    $("#redo").disabled = game.redoable.length === 0;
    $("#throw").disabled = game.over || factOf(game.facts, described(game.setup.game).aim?.supply) === "0";
    const text = $("#plan-text");
    const plan = game.planText == null ? `${counted(game.steps.length, "step")}: too long to show here, download it` : seenWaits(game.planText);
    text.textContent = game.steps.length === 0 ? "" : plan;
    text.scrollTop = text.scrollHeight;
    $("#plan-title").textContent = `Plan so far: ${counted(game.steps.length, "step")}`;
    for (const id of ["#plan-copy", "#plan-save", "#plan-check"]) $(id).disabled = game.steps.length === 0;
    this.legend();
    desk.describe(game);
    if (desk.tab === "play") this.won.follow(game);
    remember(`steps:${desk.area.key}`, game.steps.length > 0 ? game.steps : null);
  }

  /** The things that are on the board, with what they are. */
  legend() {
    const { game, desk } = this;
    const { game: name, legend } = game.setup;
    const letters = new Set();
    for (const { letter, row, col } of desk.board.things.values()) {
      if (desk.board.known(row, col)) letters.add(letter);
    }
    const key = `${name}${desk.board.theme}${[...letters].sort().join("")}`;
    if (key === this.legendKey || letters.size === 0) return;
    this.legendKey = key;
    const things = legend.signs.filter(({ letter, role }) => letters.has(letter) && !isGround(role));
    const signs = things.map((one) => sign(desk.board.theme, one));
    $("#legend").replaceChildren(...signs, ...markSigns(legend));
  }

  async save() {
    download(this.desk.area.name, "plan", await this.game.plan());
  }
}

function isLarge({ facts }) {
  const [rows, cols] = factOf(facts, "size").split("x").map(Number);
  return rows * cols > LARGE_CELLS;
}

/** What aiming does, as the name of a button. */
function aimText(game) {
  const action = described(game).aim?.action ?? "aim";
  return action[0].toUpperCase() + action.slice(1);
}

const tracing = (game) => Number(factOf(game.facts, "tracing"));

function lastStep(game) {
  const step = game.steps.at(-1);
  if (step === undefined) return ".";
  return `: ${step.trim() || game.setup.keys.find((key) => key.step === step)?.about}.`;
}

/** The facts that fit into a line. */
const shortFacts = (game) => factList(game.facts).filter((fact) => !fact.value.includes(",")).map((fact) => `${fact.name} ${fact.value}`).join(", ");

function directions(down, right) {
  const parts = [];
  if (down !== 0) parts.push(`${Math.abs(down)} ${down < 0 ? "up" : "down"}`);
  if (right !== 0) parts.push(`${Math.abs(right)} ${right < 0 ? "left" : "right"}`);
  return parts.join(", ") || "at yourself";
}
