// Pushing by pointing: the way of a box to a cell, with the steps of whoever pushes it. The steps
// are played by the judge's rules; this only finds them.

import { walks } from "./paths.js";

/** Boards with more cells than this are not searched. */
const MOST_CELLS = 40_000;

/** The board's cells by number. */
class Plan {
  constructor(game) {
    const { window } = game.cells;
    Object.assign(this, { game, window, size: window.rows * window.cols, ways: walks(game) });
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

  /** The cell `by` steps of a way from another one; -1 where there is none. */
  beside(at, way, by = 1) {
    const [row, col] = this.cell(at);
    return this.index([row + by * way.row, col + by * way.col]);
  }

  /** For each cell that is reached on foot the way that led there; the start has one that leads nowhere. */
  reached(from, box) {
    const by = new Array(this.size).fill(null);
    by[from] = { row: 0, col: 0 };
    const queue = [from];
    for (const at of queue) {
      for (const way of this.ways) {
        const next = this.beside(at, way);
        if (next < 0 || next === box || by[next] !== null || !this.free[next]) continue;
        by[next] = way;
        queue.push(next);
      }
    }
    return by;
  }

  /** The steps that lead to a cell that is reached. */
  walk(by, to) {
    const steps = [];
    for (let at = to; by[at].step !== undefined; at = this.beside(at, by[at], -1)) steps.push(by[at].step);
    return steps.reverse();
  }
}

/** Whether there is a box on a cell. */
export const isBox = (game, row, col) => game.cells.holds(row, col) && ["Thing", "Settled"].includes(game.role(row, col));

/** The steps that bring a box from one cell to another in the fewest pushes; null where none do. */
export function pushTo(game, from, to) {
  const plan = new Plan(game);
  if (plan.size > MOST_CELLS) return null;
  const [box, goal, player] = [from, to, game.player].map((cell) => plan.index(cell));
  if (goal < 0 || !(plan.free[goal] || goal === box)) return null;
  plan.free[box] = 1;
  // A state is the box, and on which side of it the player stands after a push.
  const seen = new Set();
  const queue = [{ box, player, steps: [] }];
  for (const state of queue) {
    if (state.box === goal) return state.steps;
    const by = plan.reached(state.player, state.box);
    for (const way of plan.ways) {
      const side = plan.beside(state.box, way, -1);
      const next = plan.beside(state.box, way);
      const key = `${next} ${way.step}`;
      if (side < 0 || next < 0 || by[side] === null || !plan.free[next] || seen.has(key)) continue;
      seen.add(key);
      queue.push({ box: next, player: state.box, steps: [...state.steps, ...plan.walk(by, side), way.step] });
    }
  }
  return null;
}
