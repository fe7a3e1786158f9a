// Collections that this browser's owner keeps: their texts, and what lists say of them.

import { forget, hash, keep, kept } from "../dom.js";

const LIST = "collections";

/** The name under which the text of a collection is kept. */
export const idOf = (text) => hash(text);

/** The collections that are kept, the latest first: `{id, game, name, author, levels, picture}`. */
export const collections = () => kept(LIST) ?? [];

export const isKept = (id) => collections().some((one) => one.id === id);

/** The text of a collection, with what the list says of it; null where it is not kept. */
export function readCollection(id) {
  const listed = collections().find((one) => one.id === id);
  const text = listed && kept(`collection:${id}`);
  return text ? { ...listed, text } : null;
}

/** Keeps a collection; false where the browser has no room for it. */
export function keepCollection({ text, game, name, author, levels, picture }) {
  const id = idOf(text);
  const listed = { id, game, name, author, levels, picture };
  if (keep(`collection:${id}`, text) && keep(LIST, [listed, ...collections().filter((one) => one.id !== id)])) return true;
  forget(`collection:${id}`);
  return false;
}

export function dropCollection(id) {
  forget(`collection:${id}`);
  keep(LIST, collections().filter((one) => one.id !== id));
}
