// One's own areas on the shelf: what this browser's owner has put there beside the stored ones. They
// last as long as the browser keeps them.

import { keep, kept } from "../dom.js";

const KEY = "shelf";
/** The side of a small picture, in pixels. */
const SIDE = 88;

/**
 * The areas, the latest first. Each is as lists have areas; its `id` is what it is remembered by,
 * `own` says how requests name it.
 */
export const ownAreas = () => kept(KEY) ?? [];

/** One of them; null where it is not on the shelf. */
export const ownArea = (id) => ownAreas().find((area) => area.id === id) ?? null;

/** Puts an area on the shelf; false where the browser has no room for it. */
export function putOnShelf({ key, ref, game, name, title, extent }, board) {
  const facts = { size: `${extent.rows}x${extent.cols}` };
  const area = { id: key, game, name, title, facts, best: null, own: ref, picture: small(board) };
  return keep(KEY, [area, ...ownAreas().filter(({ id }) => id !== key)]);
}

export function takeFromShelf(key) {
  keepOwnAreas(ownAreas().filter(({ id }) => id !== key));
}

/** Keeps these areas and no others; false where the browser has no room for them. */
export const keepOwnAreas = (areas) => keep(KEY, areas);

/** A small picture of what a canvas shows. */
export function small(canvas) {
  const scale = SIDE / Math.max(canvas.width, canvas.height, 1);
  const width = Math.max(1, Math.round(canvas.width * scale));
  const height = Math.max(1, Math.round(canvas.height * scale));
  const picture = Object.assign(document.createElement("canvas"), { width, height });
  picture.getContext("2d").drawImage(canvas, 0, 0, width, height);
  return picture.toDataURL();
}
