// The shelf of areas: searching, filtering by game, and opening one's own.

import * as api from "./api.js";
import { $, all, bytesOf, complain, counted, gameTitle, grouped, inBytes, make, problemBox, say, selectLine } from "./dom.js";

/** So many are shown at once; more on request. */
const SHOWN = 200;
const PAGE = 500;
/** Milliseconds until the list is read once more where plans are missing. */
const SECOND_LOOK = 5000;

export class Areas {
  constructor(desk) {
    this.desk = desk;
    this.areas = [];
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
    this.layOwn();
  }

  /** Reads all areas, page by page. */
  async load() {
    const areas = [];
    let after = "";
    do {
      const page = await api.get(`/v1/areas?limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`);
      areas.push(...page.areas);
      after = page.next;
    } while (after);
    const order = this.desk.games.map((game) => game.name);
    this.areas = areas.sort((a, b) => order.indexOf(a.game) - order.indexOf(b.game) || a.name.localeCompare(b.name, "en", { numeric: true }));
    this.layFilter();
    this.render();
    this.lookAgain();
  }

  /** A server that has just started is still verifying the plans it knows: looks once more. */
  lookAgain() {
    if (this.looked || this.areas.every((area) => area.best)) return;
    this.looked = true;
    const again = () => !this.list.contains(document.activeElement) && this.load().catch(() => {});
    setTimeout(again, SECOND_LOOK);
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
    $("#filter").replaceChildren(choice("", "All", this.areas.length), ...games);
  }

  found() {
    const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.areas.filter((area) => {
      if (this.game && area.game !== this.game) return false;
      if (words.length === 0) return true;
      const text = `${area.id} ${area.title} ${gameTitle(area.game)} ${area.facts.map((fact) => `${fact.name} ${fact.value}`).join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  render() {
    const found = this.found();
    this.list.replaceChildren(...found.slice(0, this.limit).map((area) => this.item(area)));
    $("#found").textContent = counted(found.length, "area");
    $("#more").hidden = found.length <= this.limit;
  }

  item(area) {
    const current = area.id === this.desk.area?.id;
    const facts = area.facts.slice(0, 3).map((fact) => (fact.name === "size" ? fact.value : `${fact.value} ${fact.name}`)).join(" · ");
    const best = area.best
      ? make("span", { class: `best${area.best.optimal ? " proven" : ""}`, title: area.best.optimal ? "best known, proven shortest" : area.best.bound > 0 ? `best known; no plan is shorter than ${area.best.bound}` : "best known" }, grouped(area.best.length), make("span", { class: "unseen" }, area.best.optimal ? " proven shortest" : " best known"))
      : make("span", { class: "best none", title: "no plan known" }, "–");
    const button = make(
      "button",
      { type: "button", class: "area", title: area.name, "data-id": area.id, "aria-current": current ? "true" : null, onclick: () => this.desk.pick({ id: area.id }) },
      make("span", { class: "area-name" }, area.name),
      best,
      make("span", { class: "area-facts" }, this.game ? "" : make("b", {}, gameTitle(area.game)), facts && !this.game ? " · " : "", facts),
    );
    return make("li", {}, button);
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
    $("#own-text").value = await file.text();
    $("#own-problem").replaceChildren();
    this.ownName = file.name.replace(/\.[^.]*$/, "");
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
      const detail = `It has ${inBytes(bytesOf(text))}, and this server takes areas up to ${inBytes(most)}.`;
      return problems.replaceChildren(problemBox({ title: "This text is too long", detail }));
    }
    try {
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
