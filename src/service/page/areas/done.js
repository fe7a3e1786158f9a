// The areas that were won in this browser, each with its least length and the least of each other measure. They last
// as long as the browser keeps them.

import { factOf, keep, kept } from "../dom.js";
import { described, inUnit, measured } from "../games.js";

const KEY = "done";

/** Areas by id, each with what was least: `{length, others}`. Older ones are a length alone. */
export const allDone = () => kept(KEY) ?? {};

const entryOf = (value) => (typeof value === "number" ? { length: value, others: {} } : (value ?? null));

/** In how long an area was won here; null where it was not yet. */
export const doneIn = (id) => entryOf(allDone()[id])?.length ?? null;

/** One's own records of an area, in all measures of its game; empty where it was not won. */
export function recordText(game, id) {
  const entry = entryOf(allDone()[id]);
  if (!entry) return "";
  const others = described(game).units.slice(1).filter(({ many }) => entry.others?.[many] != null);
  return [measured(game, entry.length), ...others.map((unit) => inUnit(entry.others[unit.many], unit))].join(", ");
}

/** The less of two, either of which may not be there. */
const less = (a, b) => (a == null ? b : b == null ? a : Math.min(a, b));

/** What is least of two entries. */
export function lessOf(one, other) {
  const [a, b] = [entryOf(one), entryOf(other)];
  if (!a || !b) return a ?? b;
  const names = new Set([...Object.keys(a.others ?? {}), ...Object.keys(b.others ?? {})]);
  const others = Object.fromEntries([...names].map((name) => [name, less(a.others?.[name], b.others?.[name])]));
  return { length: less(a.length, b.length), others };
}

/** Keeps the areas that were won. */
export const keepDone = (done) => keep(KEY, done);

/**
 * Remembers that an area was won by a plan with a length and facts. Whether it was for the first time (`first`), or
 * better than before in some measure (`better`); null otherwise.
 */
export function setDone(game, id, { length, facts }) {
  const done = allDone();
  const others = {};
  for (const { many } of described(game).units.slice(1)) {
    const number = Number(factOf(facts, many).replace(/\s/g, ""));
    if (Number.isFinite(number) && number > 0) others[many] = number;
  }
  const before = entryOf(done[id]);
  const now = lessOf(before, { length, others });
  if (JSON.stringify(before) === JSON.stringify(now)) return null;
  keepDone({ ...done, [id]: now });
  return before ? "better" : "first";
}
