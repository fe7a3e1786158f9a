// A game that is played by hand or watched: its token, what is known of its board, one request at a
// time. Where whoever does its steps has given it up, or another does them now, it begins again with
// its steps.

import { described } from "./games.js";
import { judge } from "./judge/judge.js";

/** Where a board is held: a window and one character code for each of its cells. */
export class Cells {
  constructor(window, rows) {
    this.window = window;
    this.codes = new Uint16Array(window.rows * window.cols);
    rows.forEach((row, r) => this.write(window.row + r, window.col, row));
  }

  write(row, col, text) {
    const { window, codes } = this;
    const start = (row - window.row) * window.cols + (col - window.col);
    for (let i = 0; i < text.length; i++) codes[start + i] = text.charCodeAt(i);
  }

  holds(row, col) {
    const w = this.window;
    return row >= w.row && col >= w.col && row < w.row + w.rows && col < w.col + w.cols;
  }

  /** The character code of a cell; 0 outside. */
  at(row, col) {
    const w = this.window;
    return this.holds(row, col) ? this.codes[(row - w.row) * w.cols + (col - w.col)] : 0;
  }
}

const same = (a, b) => a === b || (a && b && a.row === b.row && a.col === b.col && a.rows === b.rows && a.cols === b.cols);

const isCapital = (letters) => letters !== letters.toLowerCase();

/**
 * Events: `change` after every answer, its `detail` says what of the board changed
 * (`{whole, pieces, marks, erased}`).
 */
export class Game extends EventTarget {
  /**
   * `area` as requests name it; `plan` makes it a game that is watched; `steps` are done at once.
   */
  constructor(area, { plan = null, steps = [] } = {}) {
    super();
    this.area = area;
    this.planText = plan ?? "";
    this.watched = plan !== null;
    this.tapeText = plan;
    this.token = null;
    /** The stepper that has the game under that token. */
    this.stepper = null;
    this.revision = null;
    this.steps = [...steps];
    /** What was taken back, in lists of steps that belong together. */
    this.redoable = [];
    /** The numbers of steps that were done when something was begun that is taken back as one. */
    this.gestures = [];
    /** Why the game cannot be won any more, though it goes on; null where that is not known. */
    this.doomed = null;
    this.position = 0;
    this.status = "playing";
    this.why = null;
    this.refused = null;
    this.player = null;
    this.start = null;
    this.extent = null;
    this.facts = {};
    this.setup = null;
    this.tape = null;
    this.cells = null;
    this.marks = new Map();
    this.lines = {};
    this.trail = [];
    /** Of a plan that is watched: where each step stands in its text, and where it leads. */
    this.places = [];
    /** What the start and each step have shown, in the dark. */
    this.seen = [];
    this.openings = [];
    this.marksWanted = null;
    this.marksSent = null;
    this.busy = 0;
    this.turn = Promise.resolve();
  }

  get over() {
    return this.status !== "playing";
  }

  /**
   * Sends a request when the ones before it are answered, and takes its answer in. What `begins` is taken back
   * as one. A function gives the request when its turn has come, or null where nothing is to be done; `then` is
   * called before the next request.
   */
  async run(move = {}, { begins = false, then = () => {} } = {}) {
    const before = this.turn;
    let release;
    this.turn = new Promise((done) => (release = done));
    this.busy++;
    try {
      await before;
      const request = typeof move === "function" ? move() : move;
      if (request === null) return this;
      if (begins) this.beginGesture();
      await this.exchange(request);
      then();
      return this;
    } finally {
      this.busy--;
      release();
    }
  }

  /** Begins the game, or begins it again. */
  async exchange(move) {
    if (this.stepper !== judge.stepper) this.leave();
    if (!this.token) {
      await this.begin();
      if (Object.keys(move).length === 0) return this;
    }
    try {
      return this.take(await this.send(move), move);
    } catch (problem) {
      if (problem.status === 410) {
        await this.begin();
        return this.take(await this.send(move), move);
      }
      // Whether it was done cannot be known: the next request begins again with the known steps.
      if (problem.status === 0 || problem.status >= 500) this.token = null;
      throw problem;
    }
  }

  send(move) {
    return this.stepper.move(this.token, { ...move, show: this.shown() });
  }

  shown() {
    const show = {};
    if (this.marksWanted) show.marks = this.marksWanted;
    if (this.revision !== null && same(this.marksWanted, this.marksSent)) show.revision = this.revision;
    this.marksSent = this.marksWanted;
    return show;
  }

  async begin() {
    this.token = null;
    this.revision = null;
    const { position, steps } = this;
    const request = { area: this.area, show: this.shown() };
    if (this.watched) request.plan = this.tapeText;
    const played = await this.begun(request);
    this.steps = [];
    this.take(played, {});
    if (this.start === null) this.learnStart(played);
    const again = this.watched ? { seek: position } : { steps };
    if ((again.seek ?? steps.length) === 0) return;
    try {
      this.take(await this.send(again), again);
    } catch (problem) {
      Object.assign(this, { token: null, steps, position });
      throw problem;
    }
  }

  /** Begins where games are stepped now, and elsewhere where that has just come to its end. */
  async begun(request) {
    this.stepper = judge.stepper;
    try {
      return await this.stepper.begin(request);
    } catch (problem) {
      if (problem.status !== 410 || this.stepper === judge.stepper) throw problem;
      return this.begun(request);
    }
  }

  /** Where the player is before the first step, for the route that is drawn. */
  learnStart(played) {
    this.start = played.player;
    this.places = this.setup.plan ?? [];
    if (!this.start) return;
    const [row, col] = this.start;
    this.trail = [this.start, ...this.places.map(({ player }) => player)];
    this.seen = [{ row, col, rows: 1, cols: 1 }];
  }

  /** Takes an answer in. */
  take(played, move) {
    this.token = played.token;
    if (played.setup) this.learn(played.setup);
    if (!this.watched) {
      if (move.undo) this.steps.length = Math.max(0, this.steps.length - move.undo);
      this.steps.push(...played.done);
    }
    this.position = played.steps;
    this.status = played.status;
    this.why = played.why;
    this.refused = played.refused;
    this.player = played.player;
    this.extent = played.extent;
    this.facts = played.facts;
    this.openings = played.openings ?? [];
    this.tape = played.tape;
    if (!this.watched) this.planText = played.plan;
    this.takeTrail(played);
    const whole = this.takeView(played.view);
    const erased = played.marks ? this.takeMarks(played.marks) : {};
    const detail = { whole, pieces: played.view.changed ?? [], marks: played.marks, erased };
    this.dispatchEvent(new CustomEvent("change", { detail }));
    return this;
  }

  learn(setup) {
    this.setup = setup;
    this.roles = new Map(setup.legend.signs.map(({ letter, role }) => [letter, role]));
  }

  takeView(view) {
    this.revision = view.revision;
    if (view.rows) {
      this.cells = new Cells(view.window, view.rows);
      return true;
    }
    for (const [row, col, text] of view.changed) this.cells.write(row, col, text);
    return false;
  }

  /** Takes news of marks in; by kind the runs that are no more, or of another length. */
  takeMarks(told) {
    const erased = {};
    if (told.whole) this.marks.clear();
    const erase = (kind, key) => {
      const run = this.marks.get(kind)?.get(key);
      if (run) (erased[kind] ??= []).push(run);
    };
    for (const [kind, begins] of Object.entries(told.gone ?? {})) {
      for (const [row, col] of begins) {
        erase(kind, `${row}:${col}`);
        this.marks.get(kind)?.delete(`${row}:${col}`);
      }
    }
    for (const [kind, runs] of Object.entries(told.cells)) {
      if (!this.marks.has(kind)) this.marks.set(kind, new Map());
      const kept = this.marks.get(kind);
      for (const run of runs) {
        erase(kind, `${run[0]}:${run[1]}`);
        kept.set(`${run[0]}:${run[1]}`, run);
      }
    }
    this.lines = told.lines;
    return erased;
  }

  /** Keeps the cells that the player has been on, step by step. */
  takeTrail(played) {
    if (this.watched) {
      if (this.places.length === 0 || this.trail[played.steps] == null) this.trail[played.steps] = played.player;
      return;
    }
    if (!this.start) return;
    const from = played.steps - played.done.length;
    this.trail = this.trail.slice(0, from + 1).concat(played.trail);
    this.seen = this.seen.slice(0, from + 1).concat(played.seen ?? []);
  }

  // What is done by hand.

  /** What follows is taken back as one. */
  beginGesture() {
    this.gestures = [...this.gestures.filter((at) => at < this.steps.length), this.steps.length];
  }

  /** Does steps that are taken back as one. */
  act(...steps) {
    return this.run({ steps }, { begins: true, then: () => (this.redoable = []) });
  }

  /** Does steps that belong to the ones before. */
  goOn(...steps) {
    return this.run({ steps }, { then: () => (this.redoable = []) });
  }

  aim(row, col) {
    const then = () => {
      if (!this.refused) this.redoable = [];
    };
    return this.run({ aim: [row, col] }, { begins: true, then });
  }

  /** Takes back what was done last, or a number of steps, which a function gives when its turn has come. */
  undo(count = () => this.lastGesture()) {
    let gone = [];
    const request = () => {
      const steps = Math.min(typeof count === "function" ? count() : count, this.steps.length);
      if (steps === 0) return null;
      gone = this.steps.slice(-steps);
      return { undo: steps };
    };
    return this.run(request, { then: () => this.redoable.push(gone) });
  }

  /** Brings the game to where these steps lead; what both have in common stays. */
  goTo(steps) {
    const common = () => {
      let count = 0;
      while (count < steps.length && steps[count] === this.steps[count]) count++;
      return count;
    };
    const rest = () => (common() < steps.length ? { steps: steps.slice(common()) } : null);
    const back = this.undo(() => this.steps.length - common());
    return Promise.all([back, this.run(rest, { begins: true, then: () => (this.redoable = []) })]);
  }

  /** The number of steps that were done last as one. Of steps from before the page was loaded each is one. */
  lastGesture() {
    const done = this.steps.length;
    return done - (this.gestures.findLast((at) => at < done) ?? done - 1);
  }

  /** Does again what was taken back last. */
  redo() {
    const request = () => (this.redoable.length > 0 ? { steps: this.redoable.at(-1) } : null);
    return this.run(request, { begins: true, then: () => this.redoable.pop() });
  }

  /** Whether a step has pushed something, by its number from 0: plans write such steps in capitals. */
  pushes(step) {
    if (described(this.setup.game).pointing !== "push") return false;
    if (this.watched) return (this.capitals ??= this.places.map(({ from, to }) => isCapital(this.tapePart(from, to))))[step];
    return isCapital(this.planText?.[step] ?? "");
  }

  seek(step) {
    return this.run({ seek: step });
  }

  /** Asks for the board alone, with the marks that are wanted now. */
  look() {
    return this.run({});
  }

  /** The plan so far, however long it is. */
  async plan() {
    if (this.planText != null) return this.planText;
    await this.run({});
    return this.stepper.plan(this.token);
  }

  /** Tells the server that the game is not needed any more. */
  leave() {
    const { token } = this;
    this.token = null;
    if (token) this.stepper.leave(token);
  }

  /** What a letter of the board is drawn as. */
  roleOf(letter) {
    return this.roles.get(letter) ?? "Floor";
  }

  /** A part of the text of the plan that is watched, from one byte to another or to the end. */
  tapePart(from, to) {
    this.tapeBytes ??= new TextEncoder().encode(this.tapeText);
    return new TextDecoder().decode(this.tapeBytes.subarray(from, to));
  }

  /** What the role of a cell is: `Wall`, `Floor`, … */
  role(row, col) {
    return this.roleOf(String.fromCharCode(this.cells.at(row, col)));
  }
}
