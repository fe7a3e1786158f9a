// Sokoban by pointing: the way of a box to a cell, with the steps of whoever pushes it. The steps
// are played by the judge's rules; this only finds them.

const WAYS = { u: [-1, 0], d: [1, 0], l: [0, -1], r: [0, 1] };
/** Boards with more cells than this are not searched. */
const MOST_CELLS = 40_000;

/** The board's cells by number. */
class Plan {
  constructor(game) {
    const { window } = game.cells;
    Object.assign(this, { game, window, size: window.rows * window.cols });
    this.free = new Uint8Array(this.size);
    for (let at = 0; at < this.size; at++) {
      const role = game.role(...this.cell(at));
      this.free[at] = role === "Floor" || role === "Goal" || role === "Player" ? 1 : 0;
    }
  }

  cell(at) {
    const { row, col, cols } = this.window;
    return [row + Math.floor(at / cols), col + (at % cols)];
  }

  index([row, col]) {
    const { window } = this;
    return this.game.cells.holds(row, col) ? (row - window.row) * window.cols + (col - window.col) : -1;
  }

  /** The cell beside another one; -1 where there is none. */
  beside(at, [down, right]) {
    const [row, col] = this.cell(at);
    return this.index([row + down, col + right]);
  }

  /** For each cell that is reached on foot the key that led there; the start has a space. */
  reached(from, box) {
    const by = new Array(this.size).fill(null);
    by[from] = " ";
    const queue = [from];
    for (const at of queue) {
      for (const [key, way] of Object.entries(WAYS)) {
        const next = this.beside(at, way);
        if (next < 0 || next === box || by[next] !== null || !this.free[next]) continue;
        by[next] = key;
        queue.push(next);
      }
    }
    return by;
  }

  /** The keys that lead to a cell that is reached. */
  walk(by, to) {
    let keys = "";
    for (let at = to; by[at] !== " "; ) {
      const key = by[at];
      keys = key + keys;
      at = this.beside(at, WAYS[key].map((part) => -part));
    }
    return keys;
  }
}

/** Whether there is a box on a cell. */
export const isBox = (game, row, col) => game.cells.holds(row, col) && ["Thing", "Settled"].includes(game.role(row, col));

/** The keys that bring a box from one cell to another in the fewest pushes; null where none do. */
export function pushTo(game, from, to) {
  const plan = new Plan(game);
  if (plan.size > MOST_CELLS) return null;
  const [box, goal, player] = [from, to, game.player].map((cell) => plan.index(cell));
  if (goal < 0 || !(plan.free[goal] || goal === box)) return null;
  plan.free[box] = 1;
  // A state is the box, and on which side of it the player stands after a push.
  const seen = new Set();
  const queue = [{ box, player, keys: "" }];
  for (const state of queue) {
    if (state.box === goal) return [...state.keys];
    const by = plan.reached(state.player, state.box);
    for (const [key, way] of Object.entries(WAYS)) {
      const side = plan.beside(state.box, way.map((part) => -part));
      const next = plan.beside(state.box, way);
      if (side < 0 || next < 0 || by[side] === null || !plan.free[next] || seen.has(`${next}${key}`)) continue;
      seen.add(`${next}${key}`);
      queue.push({ box: next, player: state.box, keys: state.keys + plan.walk(by, side) + key.toUpperCase() });
    }
  }
  return null;
}
