// A board that is being drawn: letters, values beside it, what was done and can be undone. The board
// shows it as it shows a game.

import { Cells } from "../game.js";

/** Number of changes that can be undone. */
const REMEMBERED = 300;

/**
 * Events: `change`, whose `detail` is as that of a game; `drawn` after each change that can be undone.
 */
export class Draft extends EventTarget {
  /** `game` is a game as the judge describes it; `drawing` has `{name, rows, values}`. */
  constructor(game, drawing) {
    super();
    const { name, legend, description } = game;
    this.easel = description.easel;
    this.setup = { game: name, legend, keys: [], walls: null, goal: null, aims: false, fog: false };
    this.roles = new Map(legend.signs.map(({ letter, role }) => [letter, role]));
    this.locked = new Set(this.easel.fixed.map(({ letter }) => letter));
    // A board reads these of a game; they are empty in a drawing.
    Object.assign(this, { area: {}, facts: {}, lines: {}, trail: [], openings: [], position: 0, status: "playing", watched: false, refused: null, player: null });
    this.marks = new Map();
    this.past = [];
    this.future = [];
    this.stroke = null;
    this.lay(drawing);
  }

  /** An empty board, framed where the boards of its game have a frame. */
  static blank(easel, rows = easel.rows.usual, cols = easel.cols.usual) {
    const { floor, frame } = easel;
    const letter = (r, c) => (frame && (r === 0 || c === 0 || r === rows - 1 || c === cols - 1) ? frame : floor);
    const lines = Array.from({ length: rows }, (_, r) => Array.from({ length: cols }, (_, c) => letter(r, c)).join(""));
    return { name: "", rows: lines, values: {} };
  }

  get game() {
    return this.setup.game;
  }

  get size() {
    return { rows: this.rows.length, cols: this.rows[0].length };
  }

  /** The drawing as the judge takes it. */
  get drawing() {
    return { name: this.name, rows: this.rows.map((row) => row.join("")), values: { ...this.values } };
  }

  roleOf(letter) {
    return this.roles.get(letter) ?? "Floor";
  }

  role(row, col) {
    return this.roleOf(this.rows[row]?.[col]);
  }

  /** Takes a drawing as it is. */
  lay({ name, rows, values }) {
    const { floor } = this.easel;
    const cols = Math.max(1, ...rows.map((row) => row.length));
    this.name = name ?? "";
    this.values = { ...values };
    this.rows = rows.map((row) => [...row.padEnd(cols, floor)]);
    for (const { row, col, letter } of this.easel.fixed) {
      this.each((at, r, c) => (at === letter ? floor : at));
      if (this.rows[row]?.[col] !== undefined) this.rows[row][col] = letter;
    }
    this.show();
  }

  each(letter) {
    this.rows = this.rows.map((row, r) => row.map((at, c) => letter(at, r, c)));
  }

  /** Shows the whole board. */
  show() {
    const { rows, cols } = this.size;
    this.extent = { row: 0, col: 0, rows, cols };
    this.cells = new Cells(this.extent, this.rows.map((row) => row.join("")));
    this.tell({ whole: true });
  }

  tell(detail) {
    this.dispatchEvent(new CustomEvent("change", { detail: { whole: false, pieces: [], marks: null, erased: {}, ...detail } }));
  }

  /** Marks cells, by kind: `{stuck: [[row, col], …]}`. */
  mark(cells) {
    this.marks = new Map(Object.entries(cells).map(([kind, list]) => [kind, new Map(list.map(([row, col]) => [`${row}:${col}`, [row, col, 1]]))]));
    const runs = Object.fromEntries([...this.marks].map(([kind, kept]) => [kind, [...kept.values()]]));
    this.tell({ marks: { whole: true, cells: runs } });
  }

  // Changes.

  /** Does something that can be undone as one. */
  change(what) {
    const before = this.drawing;
    what();
    this.done(before);
  }

  done(before) {
    if (JSON.stringify(before) === JSON.stringify(this.drawing)) return;
    this.past.push(before);
    if (this.past.length > REMEMBERED) this.past.shift();
    this.future = [];
    this.dispatchEvent(new Event("drawn"));
  }

  undo() {
    return this.travel(this.past, this.future);
  }

  redo() {
    return this.travel(this.future, this.past);
  }

  travel(from, to) {
    const drawing = from.pop();
    if (!drawing) return false;
    to.push(this.drawing);
    this.lay(drawing);
    this.dispatchEvent(new Event("drawn"));
    return true;
  }

  setName(name) {
    this.change(() => (this.name = name));
  }

  setValue(name, value) {
    this.change(() => (this.values[name] = value));
  }

  // Painting.

  /** Begins a stroke with a letter; on a cell that has it already the stroke rubs out. */
  begin(row, col, letter) {
    this.finish();
    const { floor, brushes } = this.easel;
    const { single } = brushes.find((brush) => brush.letter === letter) ?? {};
    const has = this.rows[row]?.[col] === letter && !single;
    this.stroke = { before: this.drawing, letter: has ? floor : letter };
    this.go(row, col);
  }

  /** Paints the next cell of a stroke. */
  go(row, col) {
    if (!this.stroke || this.rows[row]?.[col] === undefined) return;
    const { letter } = this.stroke;
    const { brushes, floor, stacks } = this.easel;
    const old = this.rows[row][col];
    if (this.locked.has(old)) return;
    if (brushes.find((brush) => brush.letter === letter)?.single) {
      const ground = new Map([[letter, floor], ...stacks.filter(({ thing }) => thing === letter).map((stack) => [stack.both, stack.ground])]);
      this.rows.forEach((line, r) => line.forEach((at, c) => ground.has(at) && !(r === row && c === col) && this.put(r, c, ground.get(at))));
    }
    this.put(row, col, this.painted(old, letter));
  }

  /** The letter of a cell with `old` on it after `letter` was painted: a thing keeps the ground below it. */
  painted(old, letter) {
    const { stacks, floor } = this.easel;
    const below = stacks.find(({ ground, both }) => old === ground || old === both)?.ground;
    const on = stacks.find(({ thing, ground }) => thing === letter && ground === below);
    if (on) return on.both;
    const over = stacks.find(({ thing, ground, both }) => ground === letter && (old === thing || old === both));
    return over && letter !== floor ? over.both : letter;
  }

  put(row, col, letter) {
    if (this.rows[row][col] === letter) return;
    this.rows[row][col] = letter;
    this.cells.write(row, col, letter);
    this.tell({ pieces: [[row, col, letter]] });
  }

  /** Ends a stroke. */
  finish() {
    const { stroke } = this;
    this.stroke = null;
    if (stroke) this.done(stroke.before);
  }

  /** Gives a stroke up. */
  cancel() {
    const { stroke } = this;
    this.stroke = null;
    if (stroke) this.lay(stroke.before);
  }

  // The whole board.

  /** Makes the board of another board's letters: `at` gives the letter of each cell. */
  redraw(rows, cols, at) {
    const lines = Array.from({ length: rows }, (_, r) => Array.from({ length: cols }, (_, c) => at(r, c) ?? this.easel.floor).join(""));
    this.change(() => this.lay({ ...this.drawing, rows: lines }));
  }

  clamped(side, length) {
    const { least, most } = this.easel[side];
    return Math.min(Math.max(Math.round(length) || least, least), most);
  }

  resize(rows, cols) {
    this.redraw(this.clamped("rows", rows), this.clamped("cols", cols), (r, c) => this.rows[r]?.[c]);
  }

  shift(down, right) {
    const { rows, cols } = this.size;
    this.redraw(rows, cols, (r, c) => this.rows[r - down]?.[c - right]);
  }

  mirror(leftRight) {
    const { rows, cols } = this.size;
    const turned = (at) => this.turned(at, (place) => (leftRight ? 4 - place : 6 - place) % 4);
    this.redraw(rows, cols, (r, c) => turned(leftRight ? this.rows[r][cols - 1 - c] : this.rows[rows - 1 - r][c]));
  }

  /** Turns the board a quarter clockwise, where one of that size can be drawn; whether it was. */
  rotate() {
    const { rows, cols } = this.size;
    if (this.clamped("rows", cols) !== cols || this.clamped("cols", rows) !== rows) return false;
    this.redraw(cols, rows, (r, c) => this.turned(this.rows[rows - 1 - c][r], (place) => (place + 1) % 4));
    return true;
  }

  /** The letter in the place of one that turns: they go up, right, down, left. */
  turned(letter, to) {
    const turn = this.easel.turning.find((letters) => letters.includes(letter));
    return turn ? turn[to(turn.indexOf(letter))] : letter;
  }

  clear() {
    const { rows, cols } = this.size;
    const blank = Draft.blank(this.easel, rows, cols);
    this.change(() => this.lay({ ...this.drawing, rows: blank.rows }));
  }
}
