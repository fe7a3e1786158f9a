// What a plan's text says, as far as it helps to show it: where each step stands, where it leads.
// Nothing here decides anything: the server's rules do.

/** The places of the steps in a plan's text: `{from, to, text}` each. */
export function planSteps(game, text) {
  if (game === "sokoban") return keysOf(text);
  const lines = [];
  let from = 0;
  for (const line of text.split("\n")) {
    const shown = line.replace(/\r$/, "");
    if (shown !== "") lines.push({ from, to: from + shown.length, text: shown });
    from += line.length + 1;
  }
  if (game === "last-of-us") lines.shift();
  return lines;
}

/** The keys of a LURD text, run-length written or not. */
function keysOf(text) {
  const steps = [];
  // Comments are blanked, so that what follows stays in its place.
  const keys = text.replace(/^[^\S\n]*;.*/gm, (comment) => " ".repeat(comment.length));
  for (const match of keys.matchAll(/(\d*)([lurd])/gi)) {
    const [whole, count, key] = match;
    const place = { from: match.index, to: match.index + whole.length, text: key };
    for (let left = Math.min(Number(count || 1), 1_000_000); left > 0; left--) steps.push(place);
  }
  return steps;
}

const LURD = { l: [0, -1], u: [-1, 0], r: [0, 1], d: [1, 0] };
export const COMPASS = { north: [-1, 0], east: [0, 1], south: [1, 0], west: [0, -1] };

/** Where a step leads from a cell, `[row, col]`; null where only the rules can tell. */
export function leads(game, [row, col], step) {
  const [word, ...rest] = step.trim().split(/\s+/);
  const [a, b] = rest.map(Number);
  switch (game) {
    case "last-of-us":
      return word === "w" ? [row - b, col + a] : [row, col];
    case "robots":
      if (rest.length < 2) return null;
      return word === "t" ? [a - 1, b - 1] : [row + a, col + b];
    case "sokoban": {
      const way = LURD[word?.toLowerCase()];
      return way ? [row + way[0], col + way[1]] : null;
    }
    case "labyrinth": {
      if (word !== "walk") return [row, col];
      const way = COMPASS[rest[0]];
      return way ? [row + way[0] * Number(rest[1]), col + way[1] * Number(rest[1])] : null;
    }
    default:
      return null;
  }
}

/** The cells that steps lead through, the start first; null from where it cannot be told. */
export function route(game, start, steps) {
  const cells = [start];
  let at = start;
  for (const step of steps) {
    at = at && leads(game, at, step);
    cells.push(at);
  }
  return cells;
}
