// The workshop: an area is drawn, and the solver says at once what it is. Each change is kept, on the shelf
// of this browser; whoever goes on to another tab plays, solves or checks what was drawn.

import { $, all, complain, copy, counted, download, make, say } from "../dom.js";
import { gameTitle, sizeText } from "../games.js";
import { judge } from "../judge/judge.js";
import { small } from "../areas/own.js";
import { sign } from "../rules.js";
import { link } from "../areas/share.js";
import { dropDraft, keepDraft, newId, readDraft } from "./drafts.js";
import { Draft } from "./draft.js";
import { Line } from "./line.js";

/** Time without a change after which a drawing is kept, in milliseconds. */
const KEEP = 250;
/** Time in which a second click discards a drawing, in milliseconds. */
const SURE = 4000;

export class EditPanel {
  constructor(desk) {
    this.desk = desk;
    this.root = $("#panel-edit");
    this.draft = null;
    /** The name under which the drawing is kept; null while it is as it was taken up. */
    this.id = null;
    /** What the judge made of the drawing as it is now; null until it has said so. */
    this.read = null;
    /** The key of the area on the desk that this drawing is of; null where it has changed since. */
    this.laid = null;
    this.line = new Line({ say: (text, tone) => this.tellLine(text, tone), read: (told) => this.take(told) });
    this.layTools();
    addEventListener("pagehide", () => this.keepNow());
  }

  layTools() {
    const change = (what) => () => this.draft && what(this.draft);
    $("#edit-undo").onclick = () => this.undo();
    $("#edit-redo").onclick = () => this.redo();
    $("#edit-test").onclick = () => this.test();
    $("#edit-mirror").onclick = change((draft) => draft.mirror(true));
    $("#edit-flip").onclick = change((draft) => draft.mirror(false));
    $("#edit-turn").onclick = change((draft) => draft.rotate() || say("A board of this size cannot be turned", "note"));
    $("#edit-clear").onclick = change((draft) => draft.clear());
    for (const [id, down, right] of [["up", -1, 0], ["down", 1, 0], ["left", 0, -1], ["right", 0, 1]]) {
      $(`#edit-${id}`).onclick = change((draft) => draft.shift(down, right));
    }
    const size = change((draft) => draft.resize(Number($("#edit-rows").value), Number($("#edit-cols").value)));
    $("#edit-rows").onchange = $("#edit-cols").onchange = size;
    $("#edit-name").onchange = () => this.draft?.setName($("#edit-name").value.trim());
    $("#edit-save").onclick = () => this.withText((text) => download(this.draft.name || "unnamed", "txt", text));
    $("#edit-copy").onclick = () => this.withText(copy);
    $("#edit-link").onclick = () => this.withText((text) => this.copyLink(text));
    $("#edit-discard").onclick = () => this.discard();
    $("#edit-new").onclick = () => this.begin($("#edit-game").value);
    $("#draw-open").onclick = () => this.begin(this.desk.area?.game ?? this.desk.games[0].name);
  }

  // The drawing: begun, resumed, shown, kept.

  gameOf(name) {
    return this.desk.games.find((game) => game.name === name);
  }

  /** Begins a new board. */
  begin(game) {
    if ($("#shelf").matches(":modal")) $("#shelf").close();
    this.keepNow();
    this.open(game, Draft.blank(this.gameOf(game).description.easel), null);
    this.desk.choose("edit");
  }

  /** Goes on with a drawing that was kept; whether it is here. */
  resume(id) {
    const known = readDraft(id);
    if (!known || !this.gameOf(known.game)) return false;
    this.keepNow();
    this.open(known.game, known.drawing, id);
    this.desk.choose("edit");
    return true;
  }

  open(game, drawing, id) {
    this.line.stop();
    this.id = id;
    this.laid = null;
    this.read = null;
    this.draft = new Draft(this.gameOf(game), drawing);
    this.draft.addEventListener("drawn", () => this.drawn());
    this.layBrushes();
    this.layFields();
    if (this.desk.tab === "edit") this.enter();
  }

  /** Another area lies on the desk: the drawing is put away unless it is that area's. */
  areaChanged(key) {
    if (this.laid === key) return;
    this.keepNow();
    this.line.stop();
    this.draft = null;
  }

  /** Takes up the area on the desk, or an empty board where it cannot be drawn. */
  async takeUp() {
    const { area } = this.desk;
    if (!area) return this.begin(this.desk.games[0].name);
    try {
      const drawing = await judge.drawing(area.ref);
      if (area !== this.desk.area || this.desk.tab !== "edit") return;
      this.open(area.game, { ...drawing, name: area.name }, null);
      this.laid = area.key;
    } catch (problem) {
      if (area !== this.desk.area || this.desk.tab !== "edit") return;
      this.begin(area.game);
      say(`${problem.detail ?? problem.message}. Here is an empty board instead.`, "note");
    }
  }

  enter() {
    this.desk.furnish(true);
    $("#edit-game").replaceChildren(...this.desk.games.map(({ name }) => make("option", { value: name, selected: name === (this.draft?.game ?? this.desk.area?.game) }, gameTitle(name))));
    if (!this.draft) return void this.takeUp();
    const { board } = this.desk;
    board.painting = true;
    board.show(this.draft);
    this.refresh();
    this.ask();
  }

  tell() {
    say("Choose a brush and paint. Every change is kept on the shelf of this browser.", "note");
  }

  leave() {
    this.keepNow();
    this.line.stop();
    Object.assign(this.desk.board, { painting: false, cursor: null });
  }

  /** Something was drawn. */
  drawn() {
    this.id ??= newId();
    this.laid = null;
    this.read = null;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keepNow(), KEEP);
    this.refresh();
    this.ask();
  }

  ask() {
    this.line.ask(this.draft.game, this.draft.drawing);
  }

  /** Takes in what the judge made of the drawing. */
  take(told) {
    this.read = told;
    this.draft.mark({ stuck: told.stuck, wrong: told.cell ? [told.cell] : [] });
  }

  tellLine(text, tone) {
    const line = $("#edit-line");
    line.dataset.tone = tone;
    line.textContent = text;
  }

  /** Keeps what was drawn since it was kept last. */
  keepNow() {
    clearTimeout(this.keeping);
    const isNew = this.keeping !== null && this.keeping !== undefined;
    this.keeping = null;
    if (!isNew || !this.draft || !this.id) return;
    const picture = this.desk.board.game === this.draft ? small(this.desk.board.canvas) : null;
    const { game, drawing } = this.draft;
    if (!keepDraft(this.id, { game, drawing, picture })) say("The browser has no room for this drawing: download it", "bad");
    this.desk.areas.renderOwn();
    this.desk.remember();
  }

  // The text of the drawing: saved, copied, played.

  /** Does something with the text of the drawing. */
  async withText(what) {
    const { draft } = this;
    if (!draft) return;
    try {
      const told = this.read ?? (await judge.draft({ game: draft.game, drawing: draft.drawing }));
      if (told.problem) say(`Not an area yet: ${told.problem}`, "note");
      await what(told.text);
    } catch (problem) {
      complain(problem);
    }
  }

  async copyLink(text) {
    const address = await link({ ref: { text, game: this.draft.game }, name: this.draft.name || "unnamed" }, null);
    if (!address) return say("This board is too large for a link: send its file", "bad");
    await copy(address);
    say("Copied a link to this board", "good");
  }

  /** Whether something was drawn that is not on the desk yet. */
  get isNew() {
    return Boolean(this.draft && this.id) && this.laid === null;
  }

  /** Plays what is drawn. */
  test() {
    if (this.draft && this.laid === null) this.lay("play");
    else this.desk.choose("play");
  }

  /** Lays what is drawn on the desk, to be played or solved; false where it is not an area yet. */
  async lay(tab) {
    const { draft } = this;
    try {
      const told = await judge.draft({ game: draft.game, drawing: draft.drawing });
      if (draft !== this.draft) return false;
      if (told.problem) {
        say(`Not an area yet: ${told.problem}`, "bad");
        return false;
      }
      const ref = { text: told.text, game: draft.game };
      await this.desk.openRef(ref, { tab, name: draft.name || "unnamed", laying: (key) => (this.laid = key) });
      return true;
    } catch (problem) {
      complain(problem);
      return false;
    }
  }

  /** Discards the drawing at the second click. */
  discard() {
    const button = $("#edit-discard");
    if (!this.sure) {
      button.firstChild.data = "Really discard?";
      this.sure = setTimeout(() => this.unsure(), SURE);
      return;
    }
    this.unsure();
    const { game } = this.draft;
    if (this.id) dropDraft(this.id);
    this.keeping = null;
    this.desk.areas.renderOwn();
    this.begin(game);
    say("Discarded", "note");
  }

  unsure() {
    clearTimeout(this.sure);
    this.sure = null;
    $("#edit-discard").firstChild.data = "Discard";
  }

  undo() {
    if (!this.draft?.undo()) say("Nothing to take back", "note");
  }

  redo() {
    if (!this.draft?.redo()) say("Nothing to do again", "note");
  }

  // Brushes, fields, sizes.

  layBrushes() {
    const { easel, setup } = this.draft;
    const brush = ({ letter, about }, at) => {
      const input = make("input", { type: "radio", name: "brush", value: letter, checked: at === 0, "aria-label": about });
      const known = setup.legend.signs.find((one) => one.letter === letter) ?? { letter, role: "Floor" };
      const tile = sign(this.desk.board.theme, { ...known, about }).firstChild;
      return make("label", { class: "brush", title: at < 9 ? `${about} (${at + 1})` : about }, input, tile, make("span", {}, about));
    };
    $("#brushes").replaceChildren(...easel.brushes.map(brush));
  }

  get brush() {
    return $("#brushes input:checked")?.value ?? this.draft.easel.floor;
  }

  /** Chooses the brush `at` a place; before the first comes the last. */
  chooseBrush(at) {
    const brushes = all("#brushes input");
    if (brushes.length === 0) return;
    const chosen = brushes[(at + brushes.length) % brushes.length];
    chosen.checked = true;
    say(`Brush: ${chosen.getAttribute("aria-label")}`);
  }

  stepBrush(by) {
    this.chooseBrush(all("#brushes input").findIndex((one) => one.checked) + by);
  }

  layFields() {
    const { easel } = this.draft;
    const field = ({ name, about, most }) => {
      const shared = { id: `edit-value-${name}`, "data-value": name, title: about, onchange: (event) => this.draft.setValue(name, event.target.value.trim()) };
      const input = most == null ? make("input", { ...shared, type: "text" }) : make("input", { ...shared, type: "number", min: 0, max: most, inputmode: "numeric" });
      return make("label", { class: `field${most == null ? " wide" : ""}` }, name, input, most == null ? make("small", {}, about) : null);
    };
    $("#edit-fields").replaceChildren(...easel.fields.map(field));
    const isFixed = easel.rows.least === easel.rows.most && easel.cols.least === easel.cols.most;
    $("#edit-size").hidden = isFixed;
    $("#edit-moves").hidden = isFixed;
    for (const [id, side] of [["#edit-rows", easel.rows], ["#edit-cols", easel.cols]]) {
      Object.assign($(id), { min: side.least, max: side.most });
    }
  }

  refresh() {
    const { draft, desk } = this;
    if (!draft || desk.tab !== "edit") return;
    const { rows, cols } = draft.size;
    $("#edit-rows").value = rows;
    $("#edit-cols").value = cols;
    if (document.activeElement !== $("#edit-name")) $("#edit-name").value = draft.name;
    for (const { name, default: usual } of draft.easel.fields) $(`#edit-value-${name}`).value = draft.values[name] ?? usual;
    $("#edit-undo").disabled = draft.past.length === 0;
    $("#edit-redo").disabled = draft.future.length === 0;
    desk.showDrawn(draft.game, draft.name || "unnamed", sizeText(draft.game, rows, cols));
    desk.showFacts(draft);
    const things = counted(desk.board.things.size, "thing");
    desk.board.canvas.setAttribute("aria-label", `Drawing for ${gameTitle(draft.game)}, ${rows} rows by ${cols} columns, ${things}`);
  }

  // Pointer and keyboard.

  /** The pointer paints: `{row, col, begins, second}`, or it ends: `{ends, cancelled}`. */
  paint({ row, col, begins, second, ends, cancelled }) {
    const { draft } = this;
    if (!draft) return;
    if (cancelled) return draft.cancel();
    if (ends) return draft.finish();
    if (begins) {
      this.cursor = [row, col];
      draft.begin(row, col, second ? draft.easel.floor : this.brush);
    } else draft.go(row, col);
  }

  moveCursor(down, right) {
    const { rows, cols } = this.draft.size;
    const [row, col] = this.cursor ?? [0, 0];
    const inside = (at, most) => Math.min(Math.max(at, 0), most - 1);
    this.cursor = this.desk.board.cursor ? [inside(row + down, rows), inside(col + right, cols)] : [inside(row, rows), inside(col, cols)];
    this.showCursor();
  }

  showCursor() {
    const [row, col] = this.cursor;
    const { board } = this.desk;
    board.cursor = { row, col, reach: 0 };
    board.wish();
    const letter = this.draft.rows[row][col];
    const about = this.draft.setup.legend.signs.find((one) => one.letter === letter)?.about ?? "floor";
    say(`Row ${row + 1}, column ${col + 1}: ${about}`);
  }

  paintCursor(letter) {
    if (!this.desk.board.cursor) return this.moveCursor(0, 0);
    const { draft } = this;
    draft.begin(...this.cursor, letter);
    draft.finish();
    this.showCursor();
  }

  /** A key of the keyboard, by its name; whether it was one of ours. */
  key(name) {
    if (!this.draft) return false;
    const ways = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };
    if (ways[name]) return this.moveCursor(...ways[name]), true;
    if (/^[1-9]$/.test(name)) return this.chooseBrush(Math.min(Number(name), this.draft.easel.brushes.length) - 1), true;
    switch (name) {
      case "space":
      case "Enter":
        return this.paintCursor(this.brush), true;
      case "Delete":
      case "Backspace":
        return this.paintCursor(this.draft.easel.floor), true;
      case ",":
        return this.stepBrush(-1), true;
      case ".":
        return this.stepBrush(1), true;
      case "z":
        return this.undo(), true;
      case "y":
        return this.redo(), true;
      case "t":
        return this.test(), true;
      default:
        return false;
    }
  }
}
