// A collection of one's own: its levels, one of which is opened, and the way from one to the next.

import { $, make } from "../dom.js";
import { areaFacts } from "../games.js";

export class Collection {
  /** A text with its levels, as the judge lists them. */
  constructor(text, name, { game, levels }) {
    Object.assign(this, { text, name, game, levels });
  }

  /** A level as requests name it. */
  ref(level) {
    return { text: this.text, game: this.game, level };
  }

  holds(ref) {
    return ref.text === this.text && ref.level != null;
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
    return this.levels[level - 1].title || `${this.name ?? "level"} ${level}`;
  }

  /** Shows the levels to choose from. `open` gets the number of the one that is chosen. */
  show(open) {
    const item = ({ level, facts, unreadable }) => {
      if (unreadable) return this.unreadable(level, unreadable);
      const size = areaFacts(this.game, facts).find(({ name }) => name === "size");
      const choose = { type: "button", class: "level", onclick: () => open(level) };
      return make("li", {}, make("button", choose, make("b", {}, String(level)), make("span", {}, this.titleOf(level)), make("small", { title: size?.title }, size?.value ?? "")));
    };
    $("#levels-list").replaceChildren(...this.levels.map(item));
    $("#levels").showModal();
  }

  /** A level that cannot be read: which one, and why. */
  unreadable(level, { line, message }) {
    const why = line > 0 ? `line ${line}: ${message}` : message;
    return make("li", { class: "level bad", title: why }, make("b", {}, String(level)), make("span", {}, this.titleOf(level)), make("small", {}, why));
  }
}
