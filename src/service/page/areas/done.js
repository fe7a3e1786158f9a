// What this browser's owner has done: the areas that were won here, and in how many steps. It lasts
// as long as the browser keeps it.

import { keep, kept } from "../dom.js";

const KEY = "done";

/** Areas by id, each with the least length in which it was won here. */
const all = () => kept(KEY) ?? {};

/** In how long an area was won here; null where it was not yet. */
export const doneIn = (id) => all()[id] ?? null;

/** Remembers that an area was won. Whether it was for the first time, or in less than before. */
export function setDone(id, length) {
  const done = all();
  const before = done[id] ?? null;
  if (before !== null && before <= length) return null;
  keep(KEY, { ...done, [id]: length });
  return before === null ? "first" : "better";
}
