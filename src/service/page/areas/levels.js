// A collection of levels: what it has, which of them were won, and the way from one to the next.

import { $, grouped, hash, make } from "../dom.js";
import { areaFacts } from "../games.js";
import { PALETTES } from "../board/tiles.js";
import { idOf, isKept } from "./collections.js";
import { doneIn, recordText } from "./done.js";

/** What an area of one's own is remembered by. */
export const ownKey = (ref) => `own:${hash(`${ref.game ?? ""}:${ref.level ?? ""}:${ref.text}`)}`;

export class Collection {
  /** A text with its levels, as the judge lists them. `name` is that of its file, where it has no title. */
  constructor(text, name, { game, title, author, levels }) {
    Object.assign(this, { text, game, author, levels, name: title || name || "levels" });
    this.id = idOf(text);
  }

  /** A level as requests name it. */
  ref(level) {
    return { text: this.text, game: this.game, level };
  }

  holds(ref) {
    return ref.text === this.text && ref.level != null;
  }

  get readable() {
    return this.levels.filter(({ unreadable }) => !unreadable);
  }

  /**
   * The level `by` places after another one, those left out that cannot be read; null where there
   * is none.
   */
  beside(ref, by) {
    const readable = this.levels.filter(({ level, unreadable }) => !unreadable || level === ref.level);
    const at = readable.findIndex(({ level }) => level === ref.level);
    return readable[at + by]?.level ?? null;
  }

  titleOf(level) {
    return this.levels[level - 1].title || `${this.name} ${level}`;
  }

  keyOf(level) {
    return ownKey(this.ref(level));
  }

  isWon(level) {
    return doneIn(this.keyOf(level)) !== null;
  }

  /** The number of levels that were won here. */
  get won() {
    return this.readable.filter(({ level }) => this.isWon(level)).length;
  }

  /** The first level after another one that was not won yet, from the start on where all later ones were. */
  nextOpen(level = 0) {
    const open = this.readable.filter((one) => !this.isWon(one.level) && one.level !== level);
    return (open.find((one) => one.level > level) ?? open[0])?.level ?? null;
  }

  /** Shows the levels to choose from. `open` gets the number of the one that is chosen. */
  show({ roles, theme, current = null, open }) {
    const item = (one) => (one.unreadable ? this.unreadable(one) : this.item(one, { roles, theme, current, open }));
    $("#levels-title").textContent = this.name;
    $("#levels-author").textContent = this.author ? `by ${this.author}` : "";
    $("#levels-won").textContent = `${grouped(this.won)} of ${grouped(this.readable.length)} won`;
    const next = this.nextOpen(current ?? 0);
    $("#levels-next").disabled = next === null;
    $("#levels-next").onclick = () => open(next);
    this.showKept();
    $("#levels-list").replaceChildren(...this.levels.map(item));
    if (!$("#levels").open) $("#levels").showModal();
    $("#levels-list [aria-current]")?.focus();
  }

  showKept() {
    const kept = isKept(this.id);
    $("#levels-keep").setAttribute("aria-pressed", String(kept));
    $("#levels-keep").textContent = kept ? "On the shelf" : "Keep on the shelf";
  }

  item({ level, facts, board, author }, { roles, theme, current, open }) {
    const size = areaFacts(this.game, facts).find(({ name }) => name === "size");
    const record = recordText(this.game, this.keyOf(level));
    const about = [this.titleOf(level), author && `by ${author}`, record && `won in ${record}`].filter(Boolean).join(", ");
    const choose = { type: "button", class: "level", title: about, "aria-current": level === current ? "true" : null, onclick: () => open(level) };
    const star = record ? make("span", { class: "done" }, "★", make("span", { class: "unseen" }, " won")) : null;
    return make("li", {}, make("button", choose, picture(board, roles, theme), make("b", {}, String(level)), make("span", { class: "level-title" }, this.titleOf(level)), make("small", { title: size?.title }, record || (size?.value ?? "")), star));
  }

  /** A level that cannot be read: which one, and why. */
  unreadable({ level, unreadable: { line, message } }) {
    const why = line > 0 ? `line ${line}: ${message}` : message;
    return make("li", { class: "level bad", title: why }, make("b", {}, String(level)), make("span", {}, this.titleOf(level)), make("small", {}, why));
  }
}

/** A small picture of a board's rows, a pixel a cell; empty where there are none. */
export function picture(board, roles, theme) {
  const rows = board ?? [];
  const canvas = make("canvas", { class: "thumbnail", "aria-hidden": "true", width: Math.max(1, ...rows.map((row) => row.length)), height: Math.max(1, rows.length) });
  const context = canvas.getContext("2d");
  const palette = PALETTES[theme];
  rows.forEach((row, r) => {
    [...row].forEach((letter, c) => {
      const role = roles.get(letter);
      if (!role || role === "Floor") return;
      context.fillStyle = role === "Wall" ? palette.wall : (palette[role] ?? palette.Unknown);
      context.fillRect(c, r, 1, 1);
    });
  });
  return canvas;
}
