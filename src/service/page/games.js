// What is known of the games: titles, goals, units, sizes. The judge tells it, and no script names a
// game: what holds for one is asked of its description.

import { factList, factOf, grouped } from "./dom.js";

/** Of a game of which nothing is known. */
const UNKNOWN = { goal: "Play", units: [{ one: "step", many: "steps" }], rules: [], size: "rows-by-columns", pointing: "walk", aim: null, long_steps: [], examples: [] };

const descriptions = new Map();

/** Takes in what the judge tells of the games. */
export function learnGames(games) {
  for (const { name, description } of games) descriptions.set(name, description);
}

/** A game in words, by its name: the schema `Description` of the API. */
export const described = (game) => descriptions.get(game) ?? { ...UNKNOWN, title: game };

export const gameTitle = (game) => described(game).title;

/** A number of a unit: `19 pushes`. */
export const inUnit = (number, { one, many }) => `${grouped(number)} ${Number(number) === 1 ? one : many}`;

/** A length with what it counts: `19 pushes`, `1 turn`. */
export const measured = (game, length) => inUnit(length, described(game).units[0]);

/** A plan's length with the other measures that people compare, where there are some. */
export function lengthText(game, length, facts = {}) {
  const others = described(game).units.slice(1).map((unit) => [factOf(facts, unit.many), unit]);
  return [measured(game, length), ...others.filter(([number]) => number).map(([number, unit]) => inUnit(number, unit))].join(", ");
}

/** The size of a board as the game's players say it, and the order of its two numbers. */
export function sizeText(game, rows, cols) {
  const byWidth = described(game).size === "width-by-height";
  const [first, second] = byWidth ? [cols, rows] : [rows, cols];
  return { value: `${first} × ${second}`, title: byWidth ? "width × height" : "rows × columns" };
}

/** An area's facts as a list, its size as the game's players say it. */
export function areaFacts(game, facts) {
  return factList(facts).map((fact) => {
    const [rows, cols] = fact.name === "size" ? fact.value.split("x") : [];
    return cols ? { ...fact, ...sizeText(game, rows, cols) } : fact;
  });
}
