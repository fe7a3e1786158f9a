// New areas: the form of a game's generator, as the judge describes it.

import { $, complain, make, problemBox, say } from "../dom.js";
import { gameTitle, measured } from "../games.js";
import { judge } from "../judge/judge.js";

/** Bound below which seeds are drawn. */
const SEEDS = 1_000_000;
const newSeed = () => Math.floor(Math.random() * SEEDS);

export class Making {
  constructor(desk) {
    this.desk = desk;
    this.dialog = $("#make");
    for (const id of ["#make-open", "#own-make"]) $(id).onclick = () => this.open();
    $("#make-game").onchange = () => this.layFields();
    $("#make-form").onsubmit = (event) => {
      event.preventDefault();
      this.submit().catch(complain);
    };
  }

  open() {
    for (const other of ["#own", "#shelf"]) if ($(other).matches(":modal")) $(other).close();
    const { games, area } = this.desk;
    $("#make-game").replaceChildren(...games.map(({ name }) => make("option", { value: name, selected: name === area?.game }, gameTitle(name))));
    $("#make-seed").value = newSeed();
    this.layFields();
    this.dialog.showModal();
  }

  /** A field for each thing that the game's generator can be told. */
  layFields() {
    const game = this.desk.games.find(({ name }) => name === $("#make-game").value);
    $("#make-problem").replaceChildren();
    $("#make-fields").replaceChildren(...(game?.parameters ?? []).map((parameter) => {
      const { name, about, words } = parameter;
      const note = make("small", { id: `make-${name}-about` }, about);
      const attributes = { name, "aria-describedby": note.id };
      const field = words.length > 0
        ? make("select", attributes, ...words.map((word) => make("option", { value: word, selected: word === parameter.default }, word)))
        : make("input", { ...attributes, type: "text", inputmode: /^\d+$/.test(parameter.default) ? "numeric" : null, placeholder: parameter.default });
      return make("label", { class: "field" }, name, field, note);
    }));
  }

  async submit() {
    const problems = $("#make-problem");
    problems.replaceChildren();
    const values = {};
    for (const field of this.dialog.querySelectorAll("#make-fields [name]")) {
      if (field.value.trim() !== "") values[field.name] = field.value.trim();
    }
    const game = $("#make-game").value;
    const button = $("#make-form button.strong");
    button.disabled = true;
    try {
      const made = await judge.generate({ game, seed: Number($("#make-seed").value) || 0, values });
      await this.desk.openRef({ text: made.text, game }, { name: made.name, tab: "play" });
      $("#make-seed").value = newSeed();
      this.dialog.close();
      say(`Made: it can be solved in ${measured(game, made.length)}`, "good");
    } catch (problem) {
      if (!problem.sentence) throw problem;
      problems.replaceChildren(problemBox(problem));
    } finally {
      button.disabled = false;
    }
  }
}
