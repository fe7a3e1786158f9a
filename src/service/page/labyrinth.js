// What is peculiar to labyrinths: boards too large to be shown cell by cell, walked by long
// commands, and dark. What has been seen and blown up is reckoned from the commands, to be drawn;
// the server's answers about the cells around the player are drawn over it. At the start only the
// player's own cell is known, as in the arbiter's dialogue.

import { around } from "./paths.js";
import { COMPASS } from "./plans.js";

/** The exit as the area's text has it: `[row, col]`; null where the text is of another kind. */
export function exitOf(text, level = 1) {
  const numbers = (text.match(/-?\d+/g) ?? []).map(Number);
  let at = 1;
  for (let game = 1; game < level; game++) at += 6 + 4 * numbers[at];
  const [x, y] = [numbers[at + 1], numbers[at + 2]];
  return Number.isFinite(x) && Number.isFinite(y) ? [y, x] : null;
}

const square = ([row, col]) => ({ row: row - 1, col: col - 1, rows: 3, cols: 3 });

const inside = (rect, row, col) => row >= rect.row && col >= rect.col && row < rect.row + rect.rows && col < rect.col + rect.cols;

/**
 * What commands have shown and blown up: `{seen: [rectangle], blasts: [[row, col]]}`. A look ends
 * at the first wall and at the exit.
 */
export function reckon(start, steps, walls, exit = null) {
  const seen = [between(start, start)];
  const blasts = [];
  const wall = (row, col) => walls.some((one) => inside(one, row, col)) && !blasts.some((at) => inside(square(at), row, col));
  let [row, col] = start;
  for (const step of steps) {
    const [word, way, length] = step.split(/\s+/);
    const ahead = COMPASS[way];
    if (word === "walk" && ahead) {
      const to = [row + ahead[0] * Number(length), col + ahead[1] * Number(length)];
      seen.push(between([row, col], to));
      [row, col] = to;
    } else if (word === "use") {
      blasts.push([row, col]);
      seen.push(square([row, col]));
    } else if (word === "look" && way === "around") {
      seen.push(square([row, col]));
    } else if (word === "look" && ahead) {
      const reach = Math.min(Number(length), distance([row, col], ahead, walls, wall), exit ? straight([row, col], ahead, exit) : Infinity);
      seen.push(widened(between([row - ahead[0], col - ahead[1]], [row + ahead[0] * reach, col + ahead[1] * reach]), ahead));
    }
  }
  return { seen, blasts };
}

function between([a, b], [c, d]) {
  return { row: Math.min(a, c), col: Math.min(b, d), rows: Math.abs(a - c) + 1, cols: Math.abs(b - d) + 1 };
}

function widened(rect, [down]) {
  return down !== 0 ? { ...rect, col: rect.col - 1, cols: 3 } : { ...rect, row: rect.row - 1, rows: 3 };
}

/** How far it is to a cell that lies in a direction; infinitely where it lies elsewhere. */
function straight([row, col], [down, right], [r, c]) {
  const length = (r - row) * down + (c - col) * right;
  return length > 0 && row + down * length === r && col + right * length === c ? length : Infinity;
}

/** How far it is to the first wall in a direction. */
function distance([row, col], [down, right], walls, wall) {
  let least = Infinity;
  for (const one of walls) {
    const crosses = down !== 0 ? col >= one.col && col < one.col + one.cols : row >= one.row && row < one.row + one.rows;
    if (!crosses) continue;
    const [from, to] = down !== 0 ? [one.row - row, one.row + one.rows - 1 - row] : [one.col - col, one.col + one.cols - 1 - col];
    const sign = down + right;
    const [near, far] = sign > 0 ? [from, to] : [-to, -from];
    for (let at = Math.max(1, near); at <= far && at < least; at++) {
      if (wall(row + down * at, col + right * at)) least = at;
    }
  }
  return least;
}

/** The commands that walk to a cell, around the walls and through what was blown up. */
export function walkTo(game, secrets, target) {
  const walls = secrets.blasts.reduce((left, at) => left.flatMap((wall) => without(wall, square(at))), game.setup.walls);
  const corners = around(game.extent, walls, game.player, target);
  if (!corners) return null;
  const steps = [];
  for (let i = 1; i < corners.length; i++) {
    const [dr, dc] = [corners[i][0] - corners[i - 1][0], corners[i][1] - corners[i - 1][1]];
    const way = dr < 0 ? "north" : dr > 0 ? "south" : dc < 0 ? "west" : "east";
    const length = Math.abs(dr + dc);
    const last = steps.at(-1);
    if (last?.way === way) last.length += length;
    else steps.push({ way, length });
  }
  return { corners, steps: steps.map(({ way, length }) => `walk ${way} ${length}`) };
}

/** A rectangle less another one. */
function without(wall, hole) {
  const [top, bottom] = [wall.row, wall.row + wall.rows];
  const [left, right] = [wall.col, wall.col + wall.cols];
  const [cutTop, cutBottom] = [Math.max(top, hole.row), Math.min(bottom, hole.row + hole.rows)];
  const [cutLeft, cutRight] = [Math.max(left, hole.col), Math.min(right, hole.col + hole.cols)];
  if (cutTop >= cutBottom || cutLeft >= cutRight) return [wall];
  const parts = [
    [top, left, cutTop, right],
    [cutBottom, left, bottom, right],
    [cutTop, left, cutBottom, cutLeft],
    [cutTop, cutRight, cutBottom, right],
  ];
  return parts.filter(([a, b, c, d]) => a < c && b < d).map(([a, b, c, d]) => ({ row: a, col: b, rows: c - a, cols: d - b }));
}
