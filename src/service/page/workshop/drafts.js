// The drawings of this browser's owner. Each change is kept, for as long as the browser keeps it.

import { keep, kept, forget } from "../dom.js";

const LIST = "drafts";
const keyOf = (id) => `draft:${id}`;

/** The drafts as lists have areas, the one changed last first. */
export const drafts = () => kept(LIST) ?? [];

/** A new name for a draft. */
export const newId = () => `${Date.now().toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`;

/** A draft as it was kept: `{game, drawing}`; null where it is not here. */
export const readDraft = (id) => kept(keyOf(id));

/** Keeps a draft; false where the browser has no room for it. */
export function keepDraft(id, { game, drawing, picture }) {
  const [rows, cols] = [drawing.rows.length, drawing.rows[0].length];
  const name = drawing.name || "unnamed";
  const listed = { id: keyOf(id), draft: id, own: true, game, name, title: name, facts: { size: `${rows}x${cols}` }, best: null, picture };
  return keep(keyOf(id), { game, drawing }) && keep(LIST, [listed, ...drafts().filter((one) => one.draft !== id)]);
}

export function dropDraft(id) {
  forget(keyOf(id));
  keep(LIST, drafts().filter((one) => one.draft !== id));
}
