// Boards too large to be walked cell by cell, of which the walls are known as rectangles: a click on them
// means long steps around the walls.

import { around } from "./paths.js";

/** A long step from one cell to another straight ahead, as a list: none where they are the same. */
export function stretch(steps, from, to) {
  const [down, right] = [to[0] - from[0], to[1] - from[1]];
  if (down === 0 && right === 0) return [];
  const way = down < 0 ? "up" : down > 0 ? "down" : right < 0 ? "left" : "right";
  const long = steps.find((one) => one.way === way);
  return long ? [`${long.step} ${Math.abs(down + right)}`] : [];
}

/**
 * The long steps that walk to a cell, around the walls and through what was opened; null where there is no
 * way. `steps` are those that the game has.
 */
export function walkTo(game, steps, target) {
  const walls = game.openings.reduce((left, hole) => left.flatMap((wall) => without(wall, hole)), game.setup.walls);
  const corners = around(game.extent, walls, game.player, target);
  return corners && straightened(corners).flatMap((corner, i, all) => (i > 0 ? stretch(steps, all[i - 1], corner) : []));
}

/** Corners without those on the way from one to the next in the same direction. */
function straightened(corners) {
  const ahead = ([a, b], [c, d]) => `${Math.sign(c - a)} ${Math.sign(d - b)}`;
  const isCorner = (at, i) => i === 0 || i === corners.length - 1 || ahead(corners[i - 1], at) !== ahead(at, corners[i + 1]);
  return corners.filter(isCorner);
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
