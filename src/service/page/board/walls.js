// What is peculiar to labyrinths: boards too large to be walked cell by cell, on which a click means
// long commands around the walls.

import { around } from "./paths.js";

/** The commands that walk to a cell, around the walls and through what was blown up. */
export function walkTo(game, target) {
  const walls = game.openings.reduce((left, hole) => left.flatMap((wall) => without(wall, hole)), game.setup.walls);
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
