// The board on its canvas: a camera that scrolls and zooms, layers that are drawn only where they
// are seen, and what the pointer does on it.
//
// Ground and marks are bitmaps of one pixel a cell, kept up to date by what changes and drawn by
// one scaled copy each, so that a board of 500x500 costs no more than a small one. Things that
// have a shape are copied from prepared tiles. A board that is too large for that comes as walls
// that are rectangles.

import { calm } from "../dom.js";
import { Motion } from "./motion.js";
import { outside } from "./outside.js";
import { Pointers } from "./pointers.js";
import { PALETTES, Tiles, isGround } from "./tiles.js";

/** Least pixels a cell at which things have shapes. */
const SHAPES_FROM = 5;
/** Least pixels a cell at which the ground has a grid. */
const GRID_FROM = 11;
/** Sizes of tiles, in device pixels, that are scaled while the board zooms. */
const TILE_SIZES = [8, 16, 32, 64, 128, 256];
/** Time after its last move at which the camera rests, in milliseconds. */
const REST = 120;
/** Pixels a cell below which player and goal are ringed. */
const BEACONS_BELOW = 14;
const LARGEST_CELL = 72;
/** Marks that have no colour of their own: shown while aiming, or by the thing on the cell. */
const QUIET_MARKS = new Set(["throw", "teleport"]);
/**
 * Part of the visible rows and columns around them for which marks are asked for, too, so that
 * small moves need no new ones.
 */
const MARKS_MARGIN = 0.5;
/** Upper limit of the cells of a board whose marks are all asked for at once. */
const SMALL_CELLS = 20_000;
/** Changed runs of marks of a kind above which all of the kind are drawn again in one go. */
const MANY_RUNS = 2000;
/** In the dark, rows and columns of unknown cells that are shown on each side of what was seen. */
const DARK_MARGIN = 3;
/** In the dark, the least rows and columns that are shown in all. */
const DARK_SIDE = 15;
/** Least distance over which a finger that is drawn over the board means a direction, in pixels. */
const SWIPE = 24;

/** A bitmap of one pixel a cell. */
class Bitmap {
  constructor(window) {
    this.window = window;
    this.canvas = document.createElement("canvas");
    this.canvas.width = Math.max(1, window.cols);
    this.canvas.height = Math.max(1, window.rows);
    this.context = this.canvas.getContext("2d");
  }

  fill(row, col, length, colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(col - this.window.col, row - this.window.row, length, 1);
  }

  clear(row, col, length) {
    this.context.clearRect(col - this.window.col, row - this.window.row, length, 1);
  }

  /** Draws runs of one colour in place of all there was: in one go, however many they are. */
  replace(runs, colour) {
    const { window, canvas } = this;
    const image = this.context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const value = pixel(colour);
    for (const [row, col, length] of runs) {
      const start = (row - window.row) * window.cols + (col - window.col);
      pixels.fill(value, start, start + length);
    }
    this.context.putImageData(image, 0, 0);
  }
}

/**
 * Events: `cell` (`{row, col, second}`: a cell was clicked, by the second button, a long touch or
 * with shift), `hover` (`{row, col}` or null), `moved` (the camera has come to rest), `swipe`
 * (`up`, `down`, `left` or `right`: a finger was drawn over a board that is seen as a whole), `stroke` (while
 * it is painted: `{row, col, begins, second}` for each cell, then `{ends}` or `{ends, cancelled}`).
 */
export class Board extends EventTarget {
  constructor(canvas) {
    super();
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.tiles = new Tiles();
    this.game = null;
    this.theme = "light";
    this.camera = { row: 0, col: 0, scale: 16 };
    this.goal = null;
    this.following = true;
    this.things = new Map();
    this.marks = new Map();
    /** Kinds of marks that are not shown. */
    this.hidden = new Set();
    this.motion = new Motion();
    this.preview = null;
    this.cursor = null;
    this.throwing = false;
    /** Whether the pointer paints. */
    this.painting = false;
    this.fog = null;
    this.shade = null;
    this.dirty = false;
    this.zooming = false;
    /** Milliseconds that the last drawings took. */
    this.times = [];
    this.onChange = (event) => this.take(event.detail);
    new ResizeObserver(() => this.resize()).observe(canvas);
    new Pointers(this);
    this.resize();
  }

  // The board that is shown.

  /** Shows a game, or nothing. */
  show(game) {
    if (game === this.game) return;
    this.game?.removeEventListener("change", this.onChange);
    const before = this.game;
    const wasDark = Boolean(this.fog);
    this.game = game;
    this.preview = this.cursor = this.fog = null;
    this.throwing = false;
    if (!game) return this.wish();
    game.addEventListener("change", this.onChange);
    if (!game.cells) return;
    this.rebuild();
    const alike = before?.extent && JSON.stringify([before.area, before.extent]) === JSON.stringify([game.area, game.extent]);
    if (!alike || wasDark) this.open();
  }

  /** The first look at a board: all of it where that can be read, otherwise the player. */
  open() {
    this.fit();
    this.following = true;
    const { game } = this;
    if (this.camera.scale < 9 && game.player && (this.fog || !this.walls())) {
      this.camera.scale = this.fog ? BEACONS_BELOW : Math.min(18, this.largestFit() * 8);
      this.center(game.player);
    }
    this.settle();
  }

  /** Covers all but these rectangles, or uncovers all: the camera keeps to what there is to see. */
  setFog(fog) {
    if (!fog && !this.fog) return this.wish();
    const opens = !fog || !this.fog || this.isFit();
    this.fog = fog;
    if (!this.game?.cells) return;
    if (opens) this.open();
    else if (this.following) this.follow();
    this.wish();
  }

  /** Whether a cell is not in the dark. */
  known(row, col) {
    const inside = (part) => row >= part.row && col >= part.col && row < part.row + part.rows && col < part.col + part.cols;
    return !this.fog || this.fog.some(inside);
  }

  take({ whole, pieces, marks, erased }) {
    if (!this.ground || whole) {
      const fresh = !this.ground || this.shownGame !== this.game;
      this.rebuild();
      if (fresh) this.open();
    } else {
      for (const [row, col, text] of pieces) this.paint(row, col, text.length);
      if (!calm() && !this.painting) this.motion.begin(performance.now());
      this.takeMarks(marks, erased);
    }
    if (this.following) this.follow();
    this.wish();
  }

  walls() {
    const { game } = this;
    if (!game?.setup?.walls) return null;
    const { extent, cells } = game;
    return extent.rows * extent.cols > cells.codes.length ? game.setup.walls : null;
  }

  get palette() {
    return PALETTES[this.theme];
  }

  rebuild() {
    const { game } = this;
    this.shownGame = game;
    const { window } = game.cells;
    this.ground = new Bitmap(window);
    this.things.clear();
    this.motion.forget();
    this.paintAll();
    this.layOutside();
    this.marks.clear();
    this.takeMarks({ whole: true, cells: Object.fromEntries([...game.marks].map(([kind, runs]) => [kind, [...runs.values()]])) });
    this.wish();
  }

  paintAll() {
    const { game, palette } = this;
    const { window, codes } = game.cells;
    const image = this.ground.context.createImageData(this.ground.canvas.width, this.ground.canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const colours = new Map();
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      let known = colours.get(code);
      if (!known) {
        const role = game.roleOf(String.fromCharCode(code));
        known = { role, pixel: role === "Wall" ? pixel(palette.wall) : 0 };
        colours.set(code, known);
      }
      pixels[i] = known.pixel;
      if (!isGround(known.role)) {
        const row = window.row + Math.floor(i / window.cols);
        this.things.set(i, { row, col: window.col + (i % window.cols), role: known.role, letter: String.fromCharCode(code) });
      }
    }
    this.ground.context.putImageData(image, 0, 0);
  }

  /** Nothing is drawn outside the walls; while a board is drawn all of it can be painted. */
  layOutside() {
    const { game, palette } = this;
    this.outside = null;
    if (this.painting || game.openings.length > 0 || game.setup.walls) return;
    const runs = outside(game);
    if (runs.length === 0) return;
    this.outside = new Bitmap(game.cells.window);
    for (const run of runs) this.outside.fill(...run, palette.backdrop);
  }

  /** Paints some cells of a row again. */
  paint(row, col, length) {
    const { game, palette } = this;
    const { window } = game.cells;
    for (let c = col; c < col + length; c++) {
      const letter = String.fromCharCode(game.cells.at(row, c));
      const role = game.roleOf(letter);
      if (role === "Wall") this.ground.fill(row, c, 1, palette.wall);
      else this.ground.clear(row, c, 1);
      const index = (row - window.row) * window.cols + (c - window.col);
      const before = this.things.get(index);
      if (before?.letter === letter) continue;
      if (before) this.motion.leave(before);
      if (isGround(role)) this.things.delete(index);
      else {
        const thing = { row, col: c, role, letter };
        this.things.set(index, thing);
        this.motion.come(thing);
      }
    }
  }

  /** Draws marks on their layers: all of them, or what is new where the runs in `erased` were. */
  takeMarks(told, erased = {}) {
    if (!told) return;
    if (told.whole) this.marks.clear();
    for (const kind of new Set([...Object.keys(told.cells), ...Object.keys(erased)])) {
      const colour = this.palette[kind] ?? this.palette.other;
      const changes = (erased[kind]?.length ?? 0) + (told.cells[kind]?.length ?? 0);
      if (!this.marks.has(kind) || changes > MANY_RUNS) {
        this.layer(kind).replace(this.game.marks.get(kind)?.values() ?? [], colour);
        continue;
      }
      const layer = this.layer(kind);
      for (const run of erased[kind] ?? []) layer.clear(...run);
      for (const run of told.cells[kind] ?? []) layer.fill(...run, colour);
    }
  }

  layer(kind) {
    if (!this.marks.has(kind)) this.marks.set(kind, new Bitmap(this.ground.window));
    return this.marks.get(kind);
  }

  setTheme(theme) {
    if (theme === this.theme) return;
    this.theme = theme;
    this.hatch = null;
    if (this.game?.cells) this.rebuild();
    this.wish();
  }

  // The camera.

  resize() {
    const { canvas } = this;
    this.ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const first = !this.width;
    const wasFit = !first && this.isFit();
    this.width = width;
    this.height = height;
    canvas.width = Math.round(width * this.ratio);
    canvas.height = Math.round(height * this.ratio);
    if (first && this.game?.cells) this.open();
    else if (wasFit) this.fit();
    this.drawNow();
  }

  /** The whole board; in the dark what was seen, and some darkness around it. */
  extent() {
    if (this.fog) return surrounding(this.fog);
    return this.game?.extent ?? { row: 0, col: 0, rows: 1, cols: 1 };
  }

  /** Whether the camera shows the whole board, and no more. */
  isFit() {
    return Boolean(this.game?.extent) && Math.abs(this.camera.scale - this.largestFit()) < 1e-6;
  }

  largestFit() {
    const { rows, cols } = this.extent();
    const room = (side) => Math.max(side - 16, side * 0.9);
    return Math.min(room(this.width ?? 300) / cols, room(this.height ?? 300) / rows, LARGEST_CELL);
  }

  smallestScale() {
    return Math.min(this.largestFit() * 0.5, 4);
  }

  fit() {
    const { row, col, rows, cols } = this.extent();
    this.goal = null;
    this.camera = { row: row + rows / 2, col: col + cols / 2, scale: this.largestFit() };
    this.settle();
  }

  center([row, col]) {
    this.camera.row = row + 0.5;
    this.camera.col = col + 0.5;
    this.clampCamera();
  }

  /** Keeps the player away from the rim, gently. */
  follow() {
    const { game, camera } = this;
    if (!game?.player || !this.width) return;
    const [row, col] = game.player;
    const goal = { row: camera.row, col: camera.col };
    const rows = this.height / camera.scale;
    const cols = this.width / camera.scale;
    const pull = (from, at, side) => {
      const slack = Math.max(side * 0.25, 0.01);
      return Math.min(Math.max(from, at + 0.5 - slack), at + 0.5 + slack);
    };
    if (rows < this.extent().rows) goal.row = pull(goal.row, row, rows);
    if (cols < this.extent().cols) goal.col = pull(goal.col, col, cols);
    const held = this.clamped({ ...camera, ...goal });
    if (held.row === camera.row && held.col === camera.col) return;
    const far = Math.hypot(held.row - camera.row, held.col - camera.col) * camera.scale;
    if (calm() || far > 4000) {
      this.camera = held;
      this.settle();
    } else {
      this.goal = held;
      this.wish();
    }
  }

  clamped(camera) {
    const { row, col, rows, cols } = this.extent();
    const hold = (at, from, length, side) => {
      const half = side / 2 / camera.scale;
      const margin = Math.min(half, 40 / camera.scale);
      if (length + 2 * margin <= 2 * half) return from + length / 2 + clamp(at - from - length / 2, -(half - length / 2), half - length / 2);
      return clamp(at, from + half - margin, from + length - half + margin);
    };
    return { scale: camera.scale, row: hold(camera.row, row, rows, this.height), col: hold(camera.col, col, cols, this.width) };
  }

  clampCamera() {
    if (this.width) this.camera = this.clamped(this.camera);
  }

  /** Zooms so that the cell under a point of the canvas stays there. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const { camera } = this;
    const scale = clamp(camera.scale * factor, this.smallestScale(), LARGEST_CELL);
    const dx = x - this.width / 2;
    const dy = y - this.height / 2;
    camera.col += dx / camera.scale - dx / scale;
    camera.row += dy / camera.scale - dy / scale;
    camera.scale = scale;
    this.goal = null;
    this.zooming = true;
    this.clampCamera();
    this.settle();
  }

  pan(dx, dy) {
    this.following = false;
    this.goal = null;
    this.camera.col -= dx / this.camera.scale;
    this.camera.row -= dy / this.camera.scale;
    this.clampCamera();
    this.settle();
    this.dispatchEvent(new CustomEvent("free"));
  }

  /** Draws, and tells when the camera has come to rest. */
  settle() {
    this.wish();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.zooming = false;
      this.wish();
      this.dispatchEvent(new CustomEvent("moved"));
    }, REST);
  }

  /** The cells that are seen, as a window cut to the board. */
  seen(margin = 0) {
    const { camera } = this;
    const board = this.extent();
    const halfRows = (this.height / 2 / camera.scale) * (1 + margin);
    const halfCols = (this.width / 2 / camera.scale) * (1 + margin);
    const row = clamp(Math.floor(camera.row - halfRows), board.row, board.row + board.rows);
    const col = clamp(Math.floor(camera.col - halfCols), board.col, board.col + board.cols);
    const rows = clamp(Math.ceil(camera.row + halfRows), row, board.row + board.rows) - row;
    const cols = clamp(Math.ceil(camera.col + halfCols), col, board.col + board.cols) - col;
    return { row, col, rows, cols };
  }

  /** The window whose marks are to be asked for: the one asked for last, as long as it will do. */
  marksWindow(last) {
    if (!this.width || !this.game?.extent) return last;
    const { rows, cols } = this.extent();
    if (last === null && rows * cols <= SMALL_CELLS) return null;
    const seen = this.seen();
    const holds =
      last && last.row <= seen.row && last.col <= seen.col && last.row + last.rows >= seen.row + seen.rows && last.col + last.cols >= seen.col + seen.cols;
    if (holds && last.rows * last.cols <= 16 * Math.max(1, seen.rows * seen.cols)) return last;
    return this.seen(MARKS_MARGIN);
  }

  // Drawing.

  /** Draws at the next frame. */
  wish() {
    if (this.dirty) return;
    this.dirty = true;
    // It may have been drawn before.
    requestAnimationFrame(() => this.dirty && this.drawNow());
  }

  drawNow() {
    this.dirty = false;
    if (!this.width) return;
    const began = performance.now();
    this.step();
    this.drawAll();
    this.times.push(performance.now() - began);
    if (this.times.length > 600) this.times.splice(0, 300);
  }

  /** Brings the camera nearer to where it shall be. */
  step() {
    const { goal, camera } = this;
    if (!goal) return;
    camera.row += (goal.row - camera.row) * 0.25;
    camera.col += (goal.col - camera.col) * 0.25;
    if (Math.hypot(goal.row - camera.row, goal.col - camera.col) * camera.scale < 0.5) {
      this.camera = { ...goal, scale: camera.scale };
      this.goal = null;
      this.settle();
    } else this.wish();
  }

  // Device pixels of a column's left side and a row's top side.
  x(col) {
    return ((col - this.camera.col) * this.camera.scale + this.width / 2) * this.ratio;
  }
  y(row) {
    return ((row - this.camera.row) * this.camera.scale + this.height / 2) * this.ratio;
  }

  drawAll() {
    const { context, palette, game } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.backdrop;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (!game?.cells || !this.ground) return;
    this.cell = this.camera.scale * this.ratio;
    const walls = this.walls();
    if (walls) this.drawWalls(walls);
    if (!walls || this.camera.scale >= 2) {
      this.drawFloor(this.ground.window);
      this.drawMarks();
      this.drawBitmap(this.ground);
    }
    this.drawGrid();
    if (this.outside) this.drawBitmap(this.outside);
    this.drawTrail();
    this.drawThings();
    this.drawCrosses();
    this.drawLines();
    if (this.fog) this.drawFog();
    this.drawBeacons();
    this.drawPreview();
    this.drawCursor();
    this.drawRefused();
  }

  drawBitmap(bitmap) {
    const { context } = this;
    const { row, col, rows, cols } = bitmap.window;
    const x = this.x(col);
    const y = this.y(row);
    context.imageSmoothingEnabled = this.cell < 1;
    // Only what is seen is copied, in whole cells.
    const seen = this.seen();
    const top = clamp(seen.row - row, 0, rows);
    const left = clamp(seen.col - col, 0, cols);
    const height = clamp(seen.row + seen.rows - row, top, rows) - top;
    const width = clamp(seen.col + seen.cols - col, left, cols) - left;
    if (width <= 0 || height <= 0) return;
    context.drawImage(bitmap.canvas, left, top, width, height, x + left * this.cell, y + top * this.cell, width * this.cell, height * this.cell);
  }

  drawFloor({ row, col, rows, cols }) {
    this.context.fillStyle = this.palette.floor;
    this.context.fillRect(this.x(col), this.y(row), cols * this.cell, rows * this.cell);
  }

  /** Rectangles, at least a pixel wide. */
  drawWalls(walls) {
    const { context, palette } = this;
    this.drawFloor(this.extent());
    context.fillStyle = palette.wall;
    const least = Math.max(1.5, this.ratio);
    for (const wall of walls) {
      context.fillRect(this.x(wall.col), this.y(wall.row), Math.max(wall.cols * this.cell, least), Math.max(wall.rows * this.cell, least));
    }
    context.fillStyle = palette.floor;
    for (const { row, col, rows, cols } of this.game.openings) {
      context.fillRect(this.x(col), this.y(row), cols * this.cell, rows * this.cell);
    }
  }

  drawGrid() {
    if (this.camera.scale < GRID_FROM) return;
    const { context, palette } = this;
    const seen = this.seen();
    context.strokeStyle = palette.grid;
    context.lineWidth = Math.max(1, Math.round(this.ratio * 0.75));
    context.beginPath();
    for (let r = seen.row; r <= seen.row + seen.rows; r++) {
      const y = Math.round(this.y(r));
      context.moveTo(this.x(seen.col), y);
      context.lineTo(this.x(seen.col + seen.cols), y);
    }
    for (let c = seen.col; c <= seen.col + seen.cols; c++) {
      const x = Math.round(this.x(c));
      context.moveTo(x, this.y(seen.row));
      context.lineTo(x, this.y(seen.row + seen.rows));
    }
    context.stroke();
  }

  drawMarks() {
    for (const [kind, bitmap] of this.marks) {
      if (!QUIET_MARKS.has(kind) && !this.hidden.has(kind)) this.drawBitmap(bitmap);
    }
    if (this.camera.scale < 8) return;
    this.drawHatch();
    if (!this.hidden.has("dead")) this.dots("dead", this.palette.deadDot, 0.06);
    if (this.throwing) this.drawDots();
  }

  /** Runs of a kind of mark that are seen. */
  *runs(kind) {
    const seen = this.seen();
    for (const run of this.game.marks.get(kind)?.values() ?? []) {
      const [row, col, length] = run;
      if (row >= seen.row && row < seen.row + seen.rows && col + length > seen.col && col < seen.col + seen.cols) yield run;
    }
  }

  /** Danger is hatched, so that it is told from hearing without its colour. */
  drawHatch() {
    const { context } = this;
    this.hatch ??= hatching(context, this.palette.dangerLine, this.ratio);
    context.fillStyle = this.hatch;
    for (const [row, col, length] of this.runs("danger")) {
      context.fillRect(this.x(col), this.y(row), length * this.cell, this.cell);
    }
  }

  drawDots() {
    if (this.marks.has("throw")) this.drawBitmap(this.marks.get("throw"));
    this.dots("throw", this.palette.throwDot, 0.09);
  }

  /** A dot on each cell of a kind; its radius is a share of the cell. */
  dots(kind, colour, share) {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    const radius = Math.max(1.2 * this.ratio, this.cell * share);
    for (const [row, col, length] of this.runs(kind)) {
      for (let c = col; c < col + length; c++) {
        const x = this.x(c + 0.5);
        const y = this.y(row + 0.5);
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, Math.PI * 2);
      }
    }
    context.fill();
  }

  /** The way so far, and dashed the way ahead of a plan that is watched; pushes are broader. */
  drawTrail() {
    const { context, game, palette } = this;
    const { trail, position } = game;
    if (trail.length < 2) return;
    const now = Math.min(position, trail.length - 1);
    if (game.watched) {
      context.setLineDash([3 * this.ratio, 5 * this.ratio]);
      this.stroke(trail, position, trail.length - 1, palette.trailAhead, 0.1);
      context.setLineDash([]);
    }
    this.stroke(trail, 0, now, palette.trail, 0.12);
    if (game.pushes) this.strokePushes(now);
  }

  /** The pushes of the way so far, in one broad line for each run of them. */
  strokePushes(now) {
    const { game, palette } = this;
    const { trail } = game;
    let from = null;
    for (let i = 1; i <= now + 1; i++) {
      const pushes = i <= now && game.pushes(i - 1);
      if (pushes && from === null) from = i - 1;
      if (pushes || from === null) continue;
      this.stroke(trail, from, i - 1, palette.push, 0.26);
      from = null;
    }
  }

  stroke(cells, from, to, colour, share) {
    const { context } = this;
    const width = clamp(this.cell * share, 1.6 * this.ratio, (share > 0.2 ? 8 : 4) * this.ratio);
    // Where many cells fall on one pixel, one of them is drawn.
    const near = Math.max(1, this.ratio * 0.75);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = context.lineCap = "round";
    context.beginPath();
    let open = false;
    let lastX = 0;
    let lastY = 0;
    for (let i = from; i <= to; i++) {
      const cell = cells[i];
      if (!cell) {
        open = false;
        continue;
      }
      const x = this.x(cell[1] + 0.5);
      const y = this.y(cell[0] + 0.5);
      if (open && i < to && Math.abs(x - lastX) < near && Math.abs(y - lastY) < near) continue;
      if (open) context.lineTo(x, y);
      else context.moveTo(x, y);
      open = true;
      lastX = x;
      lastY = y;
    }
    context.stroke();
  }

  drawThings() {
    const { context, palette, camera } = this;
    const seen = this.seen();
    const shaped = camera.scale >= SHAPES_FROM;
    context.imageSmoothingEnabled = true;
    // While it zooms, tiles of a few sizes are scaled: to draw them again costs more than a frame.
    const exact = Math.max(2, Math.round(this.cell));
    const size = this.zooming ? TILE_SIZES.find((one) => one >= exact) ?? exact : exact;
    const least = Math.max(this.cell, 2 * this.ratio);
    const now = performance.now();
    const { motion } = this;
    for (const thing of this.things.values()) {
      const { role, letter } = thing;
      if (thing.row < seen.row || thing.col < seen.col || thing.row >= seen.row + seen.rows || thing.col >= seen.col + seen.cols) continue;
      const { row, col } = motion.goesOn ? motion.place(thing, now) : thing;
      if (shaped) {
        context.drawImage(this.tiles.get(this.theme, role, letter, size), Math.round(this.x(col)), Math.round(this.y(row)), exact, exact);
      } else {
        context.fillStyle = palette[role] ?? palette.Unknown;
        context.fillRect(this.x(col), this.y(row), least, least);
      }
    }
    if (motion.goesOn) this.wish();
  }

  /** Things that are lost have a cross over them, and a cell that is wrong a frame. */
  drawCrosses() {
    const { context, palette } = this;
    context.strokeStyle = palette.refused;
    context.lineWidth = clamp(this.cell * 0.1, 1.5 * this.ratio, 4 * this.ratio);
    context.beginPath();
    for (const [row, col, length] of this.hidden.has("stuck") ? [] : this.runs("stuck")) {
      for (let c = col; c < col + length; c++) {
        const [left, top, side] = [this.x(c) + this.cell * 0.15, this.y(row) + this.cell * 0.15, this.cell * 0.7];
        context.moveTo(left, top);
        context.lineTo(left + side, top + side);
        context.moveTo(left + side, top);
        context.lineTo(left, top + side);
      }
    }
    context.stroke();
    for (const [row, col, length] of this.runs("wrong")) {
      context.strokeRect(this.x(col), this.y(row), length * this.cell, this.cell);
    }
  }

  /** Lines from who traces a sound to where it was. */
  drawLines() {
    const { context, palette, game } = this;
    for (const [kind, lines] of Object.entries(game.lines)) {
      context.strokeStyle = context.fillStyle = palette[kind] ?? palette.target;
      context.lineWidth = clamp(this.cell * 0.08, 1.2 * this.ratio, 3 * this.ratio);
      for (const [row, col, toRow, toCol] of lines) {
        const [x, y, u, v] = [this.x(col + 0.5), this.y(row + 0.5), this.x(toCol + 0.5), this.y(toRow + 0.5)];
        context.setLineDash([4 * this.ratio, 4 * this.ratio]);
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(u, v);
        context.stroke();
        context.setLineDash([]);
        this.drawSound(u, v);
      }
    }
  }

  /** A sound, or what is looked at: two rings around its cell. */
  drawSound(x, y) {
    const { context } = this;
    for (const radius of [0.46, 0.62]) {
      context.beginPath();
      context.arc(x, y, radius * Math.max(this.cell, 10 * this.ratio), 0, Math.PI * 2);
      context.stroke();
    }
  }

  /** What is not known yet is covered. */
  drawFog() {
    const { context, palette } = this;
    this.shade ??= document.createElement("canvas");
    const { shade } = this;
    if (shade.width !== this.canvas.width || shade.height !== this.canvas.height) {
      shade.width = this.canvas.width;
      shade.height = this.canvas.height;
    }
    const pen = shade.getContext("2d");
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = palette.fog;
    pen.fillRect(0, 0, shade.width, shade.height);
    pen.globalCompositeOperation = "destination-out";
    const least = Math.max(2, this.ratio * 2);
    for (const { row, col, rows, cols } of this.fog) {
      pen.fillRect(this.x(col), this.y(row), Math.max(cols * this.cell, least), Math.max(rows * this.cell, least));
    }
    context.drawImage(shade, 0, 0);
    this.drawGrid();
  }

  /** Where cells are tiny, player and goal get a ring around them. */
  drawBeacons() {
    const { context, palette, game } = this;
    if (this.camera.scale >= BEACONS_BELOW) return;
    const ring = (row, col, colour) => {
      const x = this.x(col + 0.5);
      const y = this.y(row + 0.5);
      context.fillStyle = context.strokeStyle = colour;
      if (this.camera.scale < SHAPES_FROM) {
        context.beginPath();
        context.arc(x, y, 2.5 * this.ratio, 0, Math.PI * 2);
        context.fill();
      }
      context.lineWidth = 2 * this.ratio;
      context.beginPath();
      context.arc(x, y, Math.max(8 * this.ratio, this.cell * 0.85), 0, Math.PI * 2);
      context.stroke();
    };
    const exit = game.setup.goal;
    if (exit && this.known(...exit)) ring(...exit, palette.Goal);
    const goals = [...this.things.values()].filter((thing) => thing.role === "Goal");
    if (!exit && goals.length === 1) ring(goals[0].row, goals[0].col, palette.Goal);
    if (game.player) ring(...game.player, palette.Player);
  }

  drawPreview() {
    const { preview, palette, context } = this;
    if (!preview) return;
    context.setLineDash([2 * this.ratio, 5 * this.ratio]);
    this.stroke(preview, 0, preview.length - 1, palette.cursor, 0.09);
    context.setLineDash([]);
  }

  /** The cell that is aimed at, and how far it has an effect from there. */
  drawCursor() {
    const { cursor, context, palette } = this;
    if (!cursor) return;
    const { row, col, reach } = cursor;
    context.strokeStyle = palette.cursor;
    context.lineWidth = 2 * this.ratio;
    context.strokeRect(this.x(col), this.y(row), this.cell, this.cell);
    if (!reach) return;
    context.setLineDash([5 * this.ratio, 4 * this.ratio]);
    const side = (2 * reach + 1) * this.cell;
    context.strokeRect(this.x(col - reach), this.y(row - reach), side, side);
    context.setLineDash([]);
  }

  /** Where a step was refused or the game was lost. */
  drawRefused() {
    const { game, context, palette } = this;
    if ((!game.refused && game.status !== "lost") || !game.player) return;
    const [row, col] = game.player;
    const x = this.x(col + 0.5);
    const y = this.y(row + 0.5);
    const radius = Math.max(this.cell * 0.8, 14 * this.ratio);
    context.strokeStyle = palette.refused;
    context.lineWidth = 3 * this.ratio;
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    if (game.status === "lost") {
      const d = radius * 0.7;
      context.moveTo(x - d, y - d);
      context.lineTo(x + d, y + d);
      context.moveTo(x + d, y - d);
      context.lineTo(x - d, y + d);
    }
    context.stroke();
  }

  // The pointer.

  /** The cell at a point of the canvas. */
  cellAt(x, y) {
    const { camera } = this;
    const row = Math.floor((y - this.height / 2) / camera.scale + camera.row);
    const col = Math.floor((x - this.width / 2) / camera.scale + camera.col);
    return { row, col };
  }

  /** A finger was drawn from one point to another. */
  swiped(from, to) {
    const [right, down] = [to.x - from.x, to.y - from.y];
    if (Math.max(Math.abs(right), Math.abs(down)) < SWIPE) return;
    const across = Math.abs(right) > Math.abs(down);
    const way = across ? (right < 0 ? "left" : "right") : down < 0 ? "up" : "down";
    this.dispatchEvent(new CustomEvent("swipe", { detail: way }));
  }

  pinch(pointers, id, point) {
    const last = pointers.get(id);
    const [other] = [...pointers].filter(([one]) => one !== id).map(([, where]) => where);
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(point.x - other.x, point.y - other.y);
    this.pan((point.x - last.x) / 2, (point.y - last.y) / 2);
    if (before > 4) this.zoom(after / before, (point.x + other.x) / 2, (point.y + other.y) / 2);
  }
}

function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** What lies around some rectangles, with room on all sides. */
function surrounding(parts) {
  const most = (of) => parts.reduce((far, part) => Math.max(far, of(part)), -Infinity);
  const [top, left] = [-most((part) => -part.row), -most((part) => -part.col)];
  const side = (from, to) => {
    const length = Math.max(to - from + 2 * DARK_MARGIN, DARK_SIDE);
    return [Math.floor((from + to - length) / 2), length];
  };
  const [row, rows] = side(top, most((part) => part.row + part.rows));
  const [col, cols] = side(left, most((part) => part.col + part.cols));
  return { row, col, rows, cols };
}

/** `#rrggbb` or `rgba(r, g, b, a)` as a pixel of image data. */
function pixel(colour) {
  const parts = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/[\d.]+/g).map(Number);
  const [r, g, b, a = 1] = parts;
  return ((Math.round(a * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

function hatching(context, colour, ratio) {
  const size = Math.round(6 * ratio);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d");
  pen.strokeStyle = colour;
  pen.lineWidth = ratio;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return context.createPattern(canvas, "repeat");
}
