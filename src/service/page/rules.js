// The rules of a game, with the signs of its board, as the judge tells them. Nothing here decides anything:
// the judge does.

import { $, make } from "./dom.js";
import { described } from "./games.js";
import { Tiles, isGround } from "./board/tiles.js";

/** The size of a sign's tile, in pixels. */
const TILE = 28;

const tiles = new Tiles();

/** A sign as the board draws it, with what it means. */
export function sign(theme, { letter, role, about }) {
  const canvas = make("canvas", { width: TILE, height: TILE, class: "tile", "aria-hidden": "true" });
  if (isGround(role)) canvas.classList.add(role.toLowerCase());
  else canvas.getContext("2d").drawImage(tiles.get(theme, role, letter, TILE), 0, 0);
  return make("li", {}, canvas, make("code", {}, letter), ` ${about}`);
}

/** What the marks on the board's cells mean. */
export const markSigns = ({ marks }) =>
  marks.map(({ kind, about }) => make("li", {}, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), ` ${about}`));

/** Shows the rules of a game that is being played. */
export function showRules({ setup }, theme) {
  const { game, legend } = setup;
  const { title, goal, rules } = described(game);
  $("#rules-title").textContent = title;
  $("#rules-goal").textContent = `${goal}.`;
  $("#rules-list").replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  const signs = legend.signs.map((one) => sign(theme, one));
  $("#rules-signs").replaceChildren(...signs, ...markSigns(legend));
  $("#rules").showModal();
}
