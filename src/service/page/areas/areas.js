// The shelf of areas: searching, filtering by game, and opening one's own.

import { $, all, bytesOf, complain, counted, download, factList, grouped, inBytes, make, problemBox, say, selectLine, textOf } from "../dom.js";
import { areaFacts, gameTitle, lengthText, measured } from "../games.js";
import { backup, restore } from "./backup.js";
import { doneIn, recordText } from "./done.js";
import { judge } from "../judge/judge.js";
import { collections } from "./collections.js";
import { ownAreas } from "./own.js";
import { drafts } from "../workshop/drafts.js";

/** Number of areas that are shown at once; more on request. */
const SHOWN = 200;
const PAGE = 500;
/** Milliseconds until the list is read once more where plans are missing. */
const SECOND_LOOK = 5000;
/** How hard an area is: by thirds of its game's areas, in the order of their best plans' lengths. */
const DIFFICULTIES = ["easy", "medium", "hard"];
/** What the filter calls one's own areas. */
const YOURS = "yours";
/** A picture with nothing on it, of a drawing that was never seen. */
const NO_PICTURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

/** One's own areas: what was drawn here, and what was kept. */
const yours = () => [...drafts(), ...collections().map(listed), ...ownAreas()];

/** A collection as lists have areas. */
function listed({ id, game, name, author, levels, picture }) {
  const facts = { levels: grouped(levels), ...(author && { by: author }) };
  return { id: `collection:${id}`, collection: id, own: true, game, name, title: name, facts, best: null, picture };
}

export class Areas {
  constructor(desk) {
    this.desk = desk;
    this.areas = [];
    /** How hard each area is, by id: 0 to 2. */
    this.difficulty = new Map();
    this.game = "";
    this.limit = SHOWN;
    this.list = $("#area-list");
    $("#search").oninput = () => {
      this.limit = SHOWN;
      this.render();
    };
    $("#search").onkeydown = (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") {
        const first = this.list.querySelector("button");
        if (event.key === "Enter") first?.click();
        else first?.focus();
        event.preventDefault();
      }
    };
    this.list.onkeydown = (event) => this.walkList(event);
    $("#more").onclick = () => {
      this.limit += SHOWN;
      this.render();
    };
    $("#order").onchange = () => this.render();
    this.layOwn();
    this.layBackup();
  }

  /** Reads all areas, page by page. */
  async load() {
    const areas = [];
    let after = "";
    do {
      const page = await judge.areas(PAGE, after);
      areas.push(...page.areas);
      after = page.next;
    } while (after);
    const order = this.desk.games.map((game) => game.name);
    this.areas = areas.sort((a, b) => order.indexOf(a.game) - order.indexOf(b.game) || a.name.localeCompare(b.name, "en", { numeric: true }));
    this.rate();
    this.layFilter();
    this.render();
    this.lookAgain();
    this.desk.showAround();
  }

  /** A server that has just started is still verifying the plans it knows: looks once more. */
  lookAgain() {
    if (this.looked || this.areas.every((area) => area.best)) return;
    this.looked = true;
    const again = () => !this.list.contains(document.activeElement) && this.load().catch(() => {});
    setTimeout(again, SECOND_LOOK);
  }

  /** Finds out how hard each area is beside the others of its game. */
  rate() {
    this.difficulty = new Map();
    for (const { name } of this.desk.games) {
      const known = this.areas.filter((area) => area.game === name && area.best).sort((a, b) => a.best.length - b.best.length);
      known.forEach((area, at) => this.difficulty.set(area.id, Math.floor((at * DIFFICULTIES.length) / known.length)));
    }
  }

  replace(area) {
    const at = this.areas.findIndex((one) => one.id === area.id);
    if (at >= 0) this.areas[at] = area;
    this.render();
  }

  layFilter() {
    const choice = (name, title, count) => {
      const input = make("input", { type: "radio", name: "game-filter", value: name, checked: name === this.game, onchange: () => {
        this.game = name;
        this.limit = SHOWN;
        this.render();
      } });
      return make("label", { class: "chip" }, input, make("span", {}, title, make("small", {}, ` ${grouped(count)}`)));
    };
    const games = this.desk.games.map(({ name }) => choice(name, gameTitle(name), this.areas.filter((area) => area.game === name).length));
    const own = yours().length;
    $("#filter").replaceChildren(choice("", "All", this.areas.length + own), ...games, ...(own > 0 ? [choice(YOURS, "Yours", own)] : []));
  }

  /** The areas that are looked for, in the order that is wished. */
  found() {
    const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const order = $("#order").value;
    const found = [...yours(), ...this.areas].filter((area) => {
      if (order === "open" && doneIn(area.id) !== null) return false;
      if (this.game === YOURS ? !area.own : this.game && area.game !== this.game) return false;
      if (words.length === 0) return true;
      const text = `${area.id} ${area.title} ${gameTitle(area.game)} ${factList(area.facts).map((fact) => `${fact.name} ${fact.value}`).join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (order !== "easy") return found;
    const length = (area) => area.best?.length ?? Infinity;
    const games = this.desk.games.map(({ name }) => name);
    return found.sort((a, b) => games.indexOf(a.game) - games.indexOf(b.game) || length(a) - length(b));
  }

  /** The area `by` places after another one in the list, or among all where it is not there. */
  beside(id, by) {
    const at = (list) => list.findIndex((area) => area.id === id);
    const found = this.found();
    const list = at(found) >= 0 ? found : [...yours(), ...this.areas];
    return (at(list) >= 0 && list[at(list) + by]) || null;
  }

  render() {
    const found = this.found();
    this.list.replaceChildren(...found.slice(0, this.limit).map((area) => this.item(area)));
    $("#found").textContent = counted(found.length, "area");
    $("#more").hidden = found.length <= this.limit;
  }

  item(area) {
    const current = area.id === this.desk.area?.key;
    const facts = areaFacts(area.game, area.facts).slice(0, 3).map((fact) => (fact.name === "size" ? fact.value : `${fact.value} ${fact.name}`)).join(" · ");
    const button = make(
      "button",
      { type: "button", class: "area", title: area.name, "data-id": area.id, "aria-current": current ? "true" : null, onclick: () => this.desk.pick(area) },
      make("img", { class: "thumbnail", src: area.picture ?? (area.own ? NO_PICTURE : judge.thumbnail(area.id)), alt: "", loading: "lazy", width: 44, height: 44 }),
      make("span", { class: "area-name" }, area.name),
      bestOf(area),
      this.signs(area),
      make("span", { class: "area-facts" }, this.game ? "" : make("b", {}, gameTitle(area.game)), facts && !this.game ? " · " : "", facts),
    );
    return make("li", {}, button);
  }

  /** How hard an area is, and whether it was won here. */
  signs(area) {
    const rank = this.difficulty.get(area.id);
    const done = doneIn(area.id);
    const signs = make("span", { class: "signs" });
    if (done !== null) signs.append(make("span", { class: "done", title: `won here in ${recordText(area.game, area.id)}` }, "★", make("span", { class: "unseen" }, " won")));
    if (rank !== undefined) {
      const word = DIFFICULTIES[rank];
      signs.append(make("span", { class: "difficulty", title: `${word}, as the lengths of plans go` }, "●".repeat(rank + 1), "○".repeat(DIFFICULTIES.length - 1 - rank), make("span", { class: "unseen" }, ` ${word}`)));
    }
    return signs;
  }

  /** One's own areas have changed. */
  renderOwn() {
    if (this.game === YOURS && yours().length === 0) this.game = "";
    this.layFilter();
    this.render();
  }

  current(id) {
    for (const button of all("button.area", this.list)) {
      if (button.dataset.id === id) {
        button.setAttribute("aria-current", "true");
        button.scrollIntoView({ block: "nearest" });
      } else button.removeAttribute("aria-current");
    }
  }

  walkList(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = all("button.area", this.list);
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    if (next) next.focus();
    else if (step < 0) $("#search").focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // One's own areas.

  layOwn() {
    const dialog = $("#own");
    const field = $("#own-text");
    $("#own-open").onclick = () => {
      $("#own-game").replaceChildren(make("option", { value: "" }, "told by its content"), ...this.desk.games.map(({ name }) => make("option", { value: name }, gameTitle(name))));
      dialog.showModal();
    };
    $("#own-file").onchange = (event) => {
      const [file] = event.target.files;
      if (file) this.read(file);
      event.target.value = "";
    };
    $("#own-form").onsubmit = async (event) => {
      event.preventDefault();
      await this.submitOwn();
    };
    const over = (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      if (!dialog.open) $("#own-open").click();
      this.read(file).then(() => this.submitOwn());
    });
    field.oninput = () => {
      $("#own-problem").replaceChildren();
      // What is written into an empty field is not the file that was there before.
      if (field.value === "") this.ownName = null;
    };
  }

  async read(file) {
    const text = await textOf(file);
    const isText = !text.includes("\0");
    $("#own-text").value = isText ? text : "";
    $("#own-problem").replaceChildren(...(isText ? [] : [problemBox({ title: "This is not text", detail: `${file.name} has bytes that no text has.` })]));
    this.ownName = file.name.replace(/\.[^.]*$/, "");
  }

  /** Shows the levels of a text where it has several; whether it has. */
  async chooseLevel(text, game) {
    const listed = await judge.levels({ text, ...(game && { game }) });
    if (listed.levels.length < 2) return false;
    $("#own").close();
    await this.desk.openCollection(text, this.ownName, listed.game);
    return true;
  }

  // All that this browser knows.

  layBackup() {
    $("#shelf-save").onclick = () => download("outwit-shelf", "json", backup(this.areas));
    $("#shelf-load").onchange = async (event) => {
      const [file] = event.target.files;
      event.target.value = "";
      if (!file) return;
      try {
        const come = await restore(await textOf(file), this.desk.games.map(({ name }) => name));
        const parts = [counted(come.areas, "area"), counted(come.drawings, "drawing"), counted(come.collections, "collection"), `${grouped(come.won)} won`];
        say(come.whole ? `Taken in: ${parts.join(", ")}` : "The browser has no room for all of it", come.whole ? "good" : "bad");
        this.renderOwn();
      } catch (problem) {
        say(`${file.name} cannot be taken in: ${problem.message}`, "bad");
      }
    };
  }

  /** The next area of the list that was not won here yet, from the start on where all later ones were. */
  nextOpen(id) {
    const found = this.found().filter((area) => !area.draft && !area.collection);
    const at = found.findIndex((area) => area.id === id);
    const isOpen = (area) => doneIn(area.id) === null && area.id !== id;
    return found.slice(at + 1).find(isOpen) ?? found.find(isOpen) ?? null;
  }

  async submitOwn() {
    const text = $("#own-text").value;
    const game = $("#own-game").value;
    const level = Number($("#own-level").value) || null;
    const ref = { text, ...(game && { game }), ...(level && { level }) };
    const problems = $("#own-problem");
    problems.replaceChildren();
    const most = this.desk.limits?.area_bytes ?? Infinity;
    if (bytesOf(text) > most) {
      const detail = `It has ${inBytes(bytesOf(text))}, and areas up to ${inBytes(most)} are taken here.`;
      return problems.replaceChildren(problemBox({ title: "This text is too long", detail }));
    }
    try {
      if (!level && (await this.chooseLevel(text, game))) return;
      await this.desk.openRef(ref, { name: this.ownName });
      $("#own").close();
    } catch (problem) {
      if (!problem.sentence) return complain(problem);
      problems.replaceChildren(problemBox(problem));
      if (!game && problem.detail.includes("which game")) {
        // The reader's own help names an option of the command line.
        problems.querySelector(".quiet")?.replaceChildren("Say above which game it is.");
        $("#own-game").focus();
      }
      const place = problem.diagnostic;
      if (place?.file === "area" && place.line > 0) selectLine($("#own-text"), place.line, place.column, place.length);
      say(problem.sentence, "bad");
    }
  }
}

/** An area's best length, and whether it is proven. */
function bestOf(area) {
  const { best } = area;
  if (!best) return make("span", { class: "best none", title: area.draft ? "a drawing of yours" : area.collection ? "a collection of yours" : area.own ? "an area of your own" : "no plan known" }, area.own ? "" : "–");
  const bound = best.bound > 0 ? `; no plan is shorter than ${measured(area.game, best.bound)}` : "";
  const title = `best known: ${lengthText(area.game, best.length, best.facts)}${best.optimal ? ", proven shortest" : bound}`;
  const said = best.optimal ? " proven shortest" : " best known";
  return make("span", { class: `best${best.optimal ? " proven" : ""}`, title }, grouped(best.length), make("span", { class: "unseen" }, said));
}
