// The page: the desk on which an area lies, and what holds its parts together: tabs, keys, links,
// theme, dialogs. The parts are in their own modules; this is the only one that knows all.

import { hooks } from "./judge/api.js";
import { Areas } from "./areas/areas.js";
import { Board } from "./board/board.js";
import { CheckPanel } from "./panels/check.js";
import { $, all, complain, factList, grouped, make, plates, recall, remember, say, scrollable } from "./dom.js";
import { areaFacts, described, gameTitle, learnGames, lengthText, sizeText } from "./games.js";
import { judge } from "./judge/judge.js";
import { Making } from "./areas/making.js";
import { dropCollection, isKept, keepCollection, readCollection } from "./areas/collections.js";
import { Collection, ownKey, picture } from "./areas/levels.js";
import { ownArea, putOnShelf, takeFromShelf } from "./areas/own.js";
import { PlayPanel } from "./panels/play.js";
import { finderText, showRecords } from "./areas/records.js";
import { showRules } from "./rules.js";
import { carried, unpacked } from "./areas/share.js";
import { readDraft } from "./workshop/drafts.js";
import { EditPanel } from "./workshop/edit.js";
import { SolvePanel } from "./panels/solve.js";
import { WatchPanel } from "./panels/watch.js";
import { copyLink } from "./panels/won.js";

const TABS = ["play", "watch", "check", "solve", "edit"];
/** Number of one's own areas that are kept for the way back. */
const KEPT_OWN = 8;
/** Rows above and below the player that are shown as text. */
const TEXT_ROWS = 8;
/** Columns left and right of the player that are shown as text. */
const TEXT_COLS = 24;
/** With at least this width the shelf of areas stays open beside the board. */
const WIDE = matchMedia("(min-width: 75rem)");

class Desk {
  constructor() {
    this.games = [];
    /** What the site allows, as `/v1/limits` says it; null until then. */
    this.limits = null;
    this.area = null;
    this.tab = "play";
    this.board = new Board($("#board"));
    this.areas = new Areas(this);
    this.play = new PlayPanel(this);
    this.watch = new WatchPanel(this);
    this.checking = new CheckPanel(this);
    this.solve = new SolvePanel(this);
    this.edit = new EditPanel(this);
    this.making = new Making(this);
    /** The collection of one's own whose levels are gone through. */
    this.collection = null;
    this.panels = { play: this.play, watch: this.watch, check: this.checking, solve: this.solve, edit: this.edit };
    this.layBoard();
    this.layTitle();
    this.layTabs();
    this.layShelf();
    this.layDialogs();
    this.layTheme();
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.followAddress());
    if (judge.remote) {
      addEventListener("online", () => this.reached(true));
      addEventListener("offline", () => this.reached(false));
    }
  }

  async begin() {
    await this.loadShelf();
    await this.followAddress();
  }

  async loadShelf() {
    try {
      [this.games, this.limits] = await Promise.all([judge.games(), judge.limits()]);
      learnGames(this.games);
      this.solve.layLimits(this.limits);
      await this.areas.load();
    } catch (problem) {
      complain(problem);
    }
  }

  // Areas.

  /** Opens what the address names: `#area=GAME/NAME&tab=watch&step=7`, or `#own=KEY&name=NAME`. */
  async followAddress() {
    const wish = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const meant = wish.has("text") ? await this.brought(wish) : this.meant(wish);
    if (meant.absent) return this.clear(...meant.absent);
    if (meant.draft) return void this.edit.resume(meant.draft);
    const tab = TABS.includes(wish.get("tab")) ? wish.get("tab") : this.area ? this.tab : "play";
    if (keyOf(meant.ref) !== this.area?.key) {
      try {
        await this.openRef(meant.ref, { tab, name: meant.name });
      } catch (problem) {
        if (problem.status === 404) return this.clear("This area is not here", `${problem.detail}.`);
        complain(problem);
      }
    } else if (tab !== this.tab) this.choose(tab);
    if (wish.has("plan")) await this.watchCarried(wish);
    if (wish.has("step") && this.tab === "watch") {
      await this.watch.loading;
      this.watch.go(Number(wish.get("step")) || 0);
    }
  }

  /** The area whose text an address carries. */
  async brought(wish) {
    const why = "The link is broken, or carries more than is taken here.";
    return (await carried(wish, this.limits?.area_bytes)) ?? { absent: ["This link cannot be read", why] };
  }

  /** Watches the plan that an address carries. */
  async watchCarried(wish) {
    const plan = await unpacked(wish.get("plan"), this.limits?.plan_bytes);
    if (plan === null) return say("The plan of this link cannot be read", "bad");
    await this.watch.watch(plan, "The plan of the link");
  }

  /** The area that an address means: `{ref, name}`, or why it is not here: `{absent}`. */
  meant(wish) {
    if (wish.has("collection")) {
      const known = readCollection(wish.get("collection"));
      const why = "A collection is kept only on the shelf of the browser where it was opened. Open its file to have it here.";
      return known ? { ref: { text: known.text, game: known.game, level: Number(wish.get("level")) || 1 }, name: known.name } : { absent: ["This collection is not here", why] };
    }
    if (wish.has("draft")) {
      const draft = wish.get("draft");
      const why = "A drawing is kept only in the browser where it was made.";
      return readDraft(draft) ? { draft } : { absent: ["This drawing is not here", why] };
    }
    if (wish.has("own")) {
      const stored = ownArea(`own:${wish.get("own")}`);
      const own = stored ? { ref: stored.own, name: stored.name } : recall(`own:${wish.get("own")}`);
      const name = wish.get("name");
      const why = "An area of one's own is kept only in the browser tab where it was opened, or on the shelf of that browser. Open its file, or paste its text, to have it here.";
      return own ?? { absent: [name ? `“${name}” is not here` : "This area is not here", why] };
    }
    const known = this.areas.areas;
    const id = wish.get("area") ?? known[0]?.id;
    return id ? { ref: { id } } : { absent: ["No area is here", "This server has none stored. Open your own."] };
  }

  /** Clears the desk, and says why what was asked for is not on it. */
  clear(title, why) {
    this.area = null;
    this.play.close();
    this.watch.open();
    this.checking.open();
    this.solve.close();
    this.board.show(null);
    $("#area-game").textContent = "";
    $("#area-title").textContent = title;
    $("#area-facts").replaceChildren();
    $("#facts").replaceChildren();
    $("#absent-why").textContent = why;
    this.furnish(false);
    this.areas.current(null);
    this.showAround();
    document.title = "outwit";
    say(title, "bad");
  }

  /** Whether there is an area to do something with. */
  furnish(here) {
    $("#absent").hidden = here;
    $("#desk").inert = !here;
    $("#board-tools").inert = !here;
    $("#title-tools").inert = !here;
  }

  /** Opens an area from the shelf, a stored one by its id. */
  async pick({ id, own = null, name = null, draft = null, collection = null }) {
    if (!WIDE.matches) $("#shelf").close();
    if (collection) {
      const known = readCollection(collection);
      if (!known) return say("This collection is not here any more", "bad");
      return this.openCollection(known.text, known.name, known.game).catch(complain);
    }
    if (draft) {
      if (!this.edit.resume(draft)) say("This drawing is not here any more", "bad");
      return;
    }
    try {
      await this.openRef(own ?? { id }, { name });
      if (!WIDE.matches) this.focusBoard();
    } catch (problem) {
      complain(problem);
    }
  }

  /** Lays an area on the desk. What cannot be read is thrown and changes nothing. */
  async openRef(ref, { tab = this.tab === "edit" ? "play" : this.tab, name = null, laying = () => {} } = {}) {
    const about = ref.id ? await judge.area(ref.id) : { facts: {}, best: null, text: ref.text };
    const area = { ...about, ref, key: keyOf(ref), id: ref.id ?? null };
    const game = await PlayPanel.begin(area);
    this.area = area;
    laying(area.key);
    this.edit.areaChanged(area.key);
    area.game = game.setup.game;
    area.title = game.setup.title;
    area.name ??= (ref.level ? area.title || `${name ?? "level"} ${ref.level}` : name || area.title) || "area";
    if (!ref.id) keepOwn(area.key, { ref, name: area.name });
    this.furnish(true);
    this.play.open(game);
    this.watch.open();
    this.checking.open();
    this.solve.open(area);
    this.showTitle();
    this.showFacts(game);
    this.areas.current(area.key);
    this.board.show(game);
    this.play.cover();
    this.choose(tab);
    this.findCollection(ref, name).catch(() => {});
    this.showFollowing();
    document.title = `${area.title || area.name} · outwit`;
    return area;
  }

  /** Reads again what is known of the area: a better plan has come. */
  async reloadArea() {
    const { area } = this;
    if (!area?.id) return;
    try {
      const about = await judge.area(area.id);
      if (area !== this.area) return;
      Object.assign(area, { facts: about.facts, best: about.best });
      this.areas.replace(about);
      this.areas.current(area.id);
      this.showTitle();
      this.panels[this.tab].enter();
    } catch (problem) {
      complain(problem);
    }
  }

  showTitle() {
    const { area } = this;
    $("#area-title").textContent = area.name;
    $("#area-game").textContent = gameTitle(area.game);
    const facts = areaFacts(area.game, area.facts);
    const { rows, cols } = this.play.game.extent;
    if (!area.id) facts.push({ name: "size", ...sizeText(area.game, rows, cols) }, { name: "", value: "your own" });
    if (area.best) facts.push({ name: "best known", value: `${lengthText(area.game, area.best.length, area.best.facts)}${area.best.optimal ? " ✓ shortest" : area.best.bound > 0 ? ` (≥ ${grouped(area.best.bound)})` : ""}` });
    const finder = area.best ? finderText(area.best) : "";
    if (finder) facts.push({ name: "found", value: finder });
    $("#area-facts").replaceChildren(...plates(facts));
    this.showKept();
    this.showAround();
  }

  /** The title of a drawing, in place of that of the area on the desk. */
  showDrawn(game, name, size) {
    $("#area-title").textContent = name;
    $("#area-game").textContent = gameTitle(game);
    $("#area-facts").replaceChildren(...plates([{ name: "size", ...size }, { name: "", value: "a drawing" }]));
    document.title = `${name} · outwit`;
  }

  // One's own areas on the shelf.

  showKept() {
    const { area } = this;
    const isKept = Boolean(!area.id && ownArea(area.key));
    $("#keep").hidden = Boolean(area.id);
    $("#keep").setAttribute("aria-pressed", String(isKept));
    $("#keep").title = isKept ? "Take this area off the shelf" : "Put this area on the shelf of this browser";
  }

  /** Puts the area on the shelf of this browser, or takes it off. */
  toggleKept() {
    const { area, board } = this;
    if (ownArea(area.key)) {
      takeFromShelf(area.key);
      say("Taken off the shelf", "note");
    } else if (putOnShelf({ ...area, extent: this.play.game.extent }, board.canvas)) say("On the shelf of this browser from now on", "good");
    else say("The browser has no room for this area: keep its file", "bad");
    this.showKept();
    this.areas.renderOwn();
    this.areas.current(area.key);
    this.showAround();
  }

  // The areas beside this one, links to it, its rules.

  layTitle() {
    $("#previous").onclick = () => this.goOn(-1);
    $("#next").onclick = () => this.goOn(1);
    $("#share").onclick = () => this.share();
    $("#keep").onclick = () => this.toggleKept();
    $("#records-open").onclick = () => {
      if ($("#shelf").matches(":modal")) $("#shelf").close();
      showRecords(this);
    };
    $("#rules-open").onclick = () => this.showRules();
    for (const id of ["#area-facts", "#facts"]) scrollable($(id));
    $("#levels-open").onclick = () => this.showLevels();
    $("#levels-keep").onclick = () => this.toggleCollection();
  }

  showAround() {
    $("#levels-open").hidden = !(this.area && !this.area.id && this.collection?.holds(this.area.ref));
    for (const [id, by] of [["#previous", -1], ["#next", 1]]) {
      const beside = this.beside(by);
      $(id).disabled = !beside;
      $(id).title = beside ? `${by < 0 ? "Before" : "Next"}: ${beside.name} (${by < 0 ? "p" : "n"})` : "";
    }
  }

  /** The area `by` places after this one in the list, or in its collection: `{id, level, name}`. */
  beside(by) {
    const { area, collection } = this;
    if (area && !area.id && collection?.holds(area.ref)) {
      const level = collection.beside(area.ref, by);
      return level ? { level, name: collection.titleOf(level) } : null;
    }
    return area && (area.id || ownArea(area.key)) ? this.areas.beside(area.key, by) : null;
  }

  goOn(by) {
    const beside = this.beside(by);
    if (!beside) return say(by < 0 ? "There is no area before this one" : "There is no area after this one", "note");
    return beside.id ? this.pick(beside) : this.openLevel(beside.level).catch(complain);
  }

  // Collections.

  /** Finds the collection again of which a level was opened, by its address for instance. */
  async findCollection(ref, name) {
    if (ref.id || ref.level == null || this.collection?.holds(ref)) return;
    const listed = await judge.levels({ text: ref.text, game: ref.game });
    if (this.area?.ref !== ref || listed.levels.length < 2) return;
    this.collection = new Collection(ref.text, name, listed);
    this.showAround();
  }

  /** Opens a collection that is kept, or that was given. */
  async openCollection(text, name, game) {
    const listed = await judge.levels({ text, ...(game && { game }) });
    this.collection = new Collection(text, name, listed);
    this.showLevels();
  }

  /** Shows the levels of the collection. */
  showLevels() {
    const { collection, area } = this;
    const current = area && !area.id && collection.holds(area.ref) ? area.ref.level : null;
    const open = (level) => {
      $("#levels").close();
      this.openLevel(level).catch(complain);
    };
    collection.show({ roles: this.rolesOf(collection.game), theme: this.board.theme, current, open });
  }

  rolesOf(name) {
    const { legend } = this.games.find((game) => game.name === name);
    return new Map(legend.signs.map(({ letter, role }) => [letter, role]));
  }

  /** Keeps the collection on the shelf of this browser, or drops it. */
  toggleCollection() {
    const { collection } = this;
    if (isKept(collection.id)) dropCollection(collection.id);
    else {
      const { text, game, name, author, levels } = collection;
      const first = levels.find(({ board }) => board)?.board;
      const small = first ? picture(first, this.rolesOf(game), this.board.theme).toDataURL() : null;
      const isThere = keepCollection({ text, game, name, author, levels: levels.length, picture: small });
      if (!isThere) say("The browser has no room for this collection: keep its file", "bad");
    }
    collection.showKept();
    this.areas.renderOwn();
    this.remember();
  }

  /** Opens the next level of the collection, or the next area of the list, that was not won here yet. */
  nextOpen() {
    const { area, collection } = this;
    if (area && !area.id && collection?.holds(area.ref)) {
      const level = collection.nextOpen(area.ref.level);
      return level ? this.openLevel(level).catch(complain) : say("All levels of this collection were won", "good");
    }
    const next = this.areas.nextOpen(area?.key);
    return next ? this.pick(next) : say("All areas of this list were won", "good");
  }

  /** Opens a level of the collection. */
  openLevel(level) {
    const { collection } = this;
    return this.openRef(collection.ref(level), { name: collection.name });
  }

  /** Copies a link to what is shown: the area, and the plan that was played or is watched. */
  async share() {
    if (!this.area) return;
    const played = this.tab === "play" && this.play.game.steps.length > 0;
    try {
      const plan = this.tab === "watch" ? this.watch.game?.tapeText : played ? await this.play.game.plan() : null;
      await copyLink(this.area, plan);
    } catch (problem) {
      complain(problem);
    }
  }

  showRules() {
    if (this.play.game?.setup) showRules(this.play.game, this.board.theme);
  }

  /** What stands beside the board. */
  showFacts(game) {
    const shown = factList(game.facts).map(({ name, value }) => ({ name, value: value.split(",")[0], title: value }));
    const plate = ({ name, value, title }) => make("span", { class: "plate", title: title === value ? null : title }, make("span", { class: "plate-name" }, name), ` ${value}`);
    const standing = this.standing(game);
    $("#facts").replaceChildren(...(standing ? [make("span", { class: `plate standing ${standing[1]}` }, standing[0])] : []), ...shown.map(plate));
  }

  /** How a game stands, in a word, where it is played or watched: other tabs have a say of their own. */
  standing(game) {
    if (this.tab !== "play" && this.tab !== "watch") return null;
    // A plan that goes on after its end is not valid, though the game is won.
    if (game.watched && game.refused) return ["refused", "bad"];
    return { won: ["won", "good"], lost: ["lost", "bad"] }[game.status] ?? (game.refused ? ["refused", "bad"] : game.doomed && ["lost", "bad"]);
  }

  /** The board in words: where the player is, and its neighbourhood as text. */
  describe(game) {
    const { board } = this;
    const { rows, cols } = game.extent;
    const at = game.player ? `, you at row ${game.player[0] + 1}, column ${game.player[1] + 1}` : "";
    const about = board.fog ? " in the dark" : `, ${rows} rows by ${cols} columns${at}`;
    board.canvas.setAttribute("aria-label", `${gameTitle(game.setup.game)}${about}`);
    const details = $("#board-words");
    if (!details.open || !game.player) return;
    const [row, col] = game.player;
    const left = board.fog ? col - TEXT_COLS : Math.max(col - TEXT_COLS, game.cells.window.col);
    const lines = [];
    for (let r = row - TEXT_ROWS; r <= row + TEXT_ROWS; r++) {
      let line = "";
      for (let c = left; c <= col + TEXT_COLS; c++) {
        if (!board.known(r, c)) line += "?";
        else line += game.cells.holds(r, c) ? String.fromCharCode(game.cells.at(r, c)) : " ";
      }
      if (line.trim() !== "") lines.push(line.trimEnd());
    }
    $("#board-text").textContent = lines.join("\n");
  }

  /** Checks the plan that was played. */
  async checkPlayed() {
    try {
      const plan = await this.play.game.plan();
      this.check(plan);
      this.checking.submit(false);
    } catch (problem) {
      complain(problem);
    }
  }

  /** Puts a plan where it can be checked. */
  check(plan, problem = null) {
    this.choose("check");
    this.checking.fill(plan);
    if (problem) this.checking.refuse(problem);
  }

  // Tabs.

  layTabs() {
    const tabs = all("[role=tab]");
    for (const tab of tabs) tab.onclick = () => this.choose(tab.dataset.tab);
    $("[role=tablist]").onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = tabs.indexOf(document.activeElement);
      const next = { Home: tabs[0], End: tabs.at(-1) }[event.key] ?? (step && tabs[(at + step + tabs.length) % tabs.length]);
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(next.dataset.tab);
      next.focus();
    };
  }

  choose(name) {
    const left = this.tab;
    // The drawing becomes the area on the desk.
    if (left === "edit" && name !== "edit" && this.edit.isNew) return void this.leaveDrawing(name);
    this.show(name);
  }

  /** Goes on with what was drawn; where that is not an area yet, with the area on the desk. */
  async leaveDrawing(name) {
    if ((await this.edit.lay(name)) || !this.area || this.tab !== "edit") return;
    const why = $("#status").textContent;
    this.show(name);
    say(`${why}. This is ${this.area.name}.`, "note");
  }

  /** Shows a tab. */
  show(name) {
    const left = this.tab;
    this.tab = name;
    if (left !== name) this.panels[left].leave();
    for (const tab of all("[role=tab]")) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      $(`#panel-${tab.dataset.tab}`).hidden = !chosen;
    }
    if (left === "edit" && this.area) this.showTitle();
    if (this.area || name === "edit") {
      this.panels[name].enter();
      this.panels[name].tell();
      if (this.shownGame()) this.showFacts(this.shownGame());
    }
    this.remember();
  }

  /** Keeps the address in step with what is shown, so that it can be sent to others. */
  remember() {
    const drawn = this.tab === "edit" ? this.edit.id : null;
    if (!this.area && !drawn) return;
    const { id, key, name } = drawn ? { key: `draft:${drawn}` } : this.area;
    const { collection } = this;
    const isLevel = !drawn && !id && collection?.holds(this.area.ref) && isKept(collection.id);
    const place = drawn ? `draft=${drawn}` : isLevel ? `collection=${collection.id}&level=${this.area.ref.level}` : id ? `area=${id.split("/").map(encodeURIComponent).join("/")}` : `own=${key.slice(4)}&name=${encodeURIComponent(name)}`;
    const tab = this.tab === "play" ? "" : `&tab=${this.tab}`;
    const step = this.tab === "watch" && this.watch.game && !this.watch.playing && this.watch.game.position > 0 ? `&step=${this.watch.game.position}` : "";
    const address = `#${place}${tab}${step}`;
    if (address === location.hash) return;
    // Another area is a step for the browser's way back; the rest is not.
    if (this.remembered && this.remembered !== key) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.remembered = key;
  }

  // The board.

  layBoard() {
    const { board } = this;
    $("#zoom-in").onclick = () => board.zoom(1.4);
    $("#zoom-out").onclick = () => board.zoom(1 / 1.4);
    $("#fit").onclick = () => {
      this.follow(false);
      board.fit();
    };
    $("#follow").onclick = () => this.follow(!board.following);
    $("#board-words").ontoggle = () => this.shownGame() && this.describe(this.shownGame());
    board.addEventListener("free", () => this.follow(false));
    board.addEventListener("moved", () => this.wantMarks());
    board.addEventListener("cell", (event) => {
      this.focusBoard();
      if (this.tab === "play") this.play.cell(event.detail);
    });
    board.addEventListener("stroke", (event) => {
      this.focusBoard();
      if (this.tab === "edit") this.edit.paint(event.detail);
    });
    board.addEventListener("swipe", (event) => this.tab === "play" && this.play.swipe(event.detail));
    board.addEventListener("hover", (event) => this.tab === "play" && this.play.hover(event.detail));
  }

  shownGame() {
    return this.board.game?.setup ? this.board.game : null;
  }

  focusBoard() {
    this.board.canvas.focus({ preventScroll: true });
  }

  showFollowing() {
    $("#follow").setAttribute("aria-pressed", String(this.board.following));
  }

  follow(on) {
    this.board.following = on;
    this.showFollowing();
    if (!on) return;
    if (this.shownGame()?.player && this.board.camera.scale < 6) this.board.camera.scale = 18;
    if (this.shownGame()?.player) this.board.center(this.shownGame().player);
    this.board.settle();
  }

  /** Asks for the marks of what is seen now. */
  wantMarks() {
    const game = this.shownGame();
    if (!game?.look) return;
    const wanted = this.board.marksWindow(game.marksWanted);
    if (wanted === game.marksWanted) return;
    game.marksWanted = wanted;
    game.look().catch(complain);
  }

  // The keyboard.

  key(event) {
    if (event.defaultPrevented || event.altKey) return;
    if (document.querySelector("dialog:modal")) return;
    const { target } = event;
    const name = keyName(event);
    if (target.closest?.("textarea, select, input:not([type=range], [type=radio], [type=checkbox])")) return;
    if (event.ctrlKey || event.metaKey) return this.undoKey(event);
    if (target.closest?.("input") && /^(left|right|up|down|space|Home|End|Page)/.test(name)) return;
    if (target.closest?.("button, a, summary, label") && (name === "space" || name === "Enter")) return;
    if (this.common(name, event) || ((this.area || this.tab === "edit") && this.panels[this.tab].key(name, event))) event.preventDefault();
  }

  /** Taking back as everywhere: Ctrl+Z, Ctrl+Y, Ctrl+Shift+Z. */
  undoKey(event) {
    const panel = this.panels[this.tab];
    if (!panel.undo || (this.tab === "play" && !this.play.game?.setup)) return;
    const key = event.key.toLowerCase();
    if (key === "y" || (key === "z" && event.shiftKey)) panel.redo();
    else if (key === "z") panel.undo();
    else return;
    event.preventDefault();
  }

  /** Keys that hold everywhere. */
  common(name, event) {
    const { board } = this;
    const pans = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] };
    if (event.shiftKey && pans[name]) return board.pan(pans[name][0] * 80, pans[name][1] * 80), true;
    switch (name) {
      case "?":
        return this.showHelp(), true;
      case "/":
        return this.openShelf(), $("#search").focus(), true;
      case "+":
      case "=":
        return board.zoom(1.4), true;
      case "-":
        return board.zoom(1 / 1.4), true;
      case "0":
        return $("#fit").click(), true;
      case "f":
        return this.follow(!board.following), true;
      case "i":
        return this.showRules(), true;
      case "n":
        return this.goOn(1), true;
      case "p":
        return this.goOn(-1), true;
      case "u":
        return this.nextOpen(), true;
      case "[":
      case "]": {
        const step = name === "]" ? 1 : -1;
        return this.choose(TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length]), true;
      }
      default:
        return false;
    }
  }

  // Shelf, dialogs, theme.

  layShelf() {
    const shelf = $("#shelf");
    const fitIn = () => {
      if (shelf.open) shelf.close();
      // Not `show()`, which would take the focus.
      shelf.open = WIDE.matches;
    };
    WIDE.addEventListener("change", fitIn);
    fitIn();
    $("#shelf-open").onclick = () => this.openShelf();
    $("#shelf-close").onclick = () => shelf.close();
    $("#absent-own").onclick = () => $("#own-open").click();
    $("#absent-shelf").onclick = () => this.openShelf();
  }

  openShelf() {
    if (!WIDE.matches && !$("#shelf").open) $("#shelf").showModal();
  }

  layDialogs() {
    for (const button of all("[data-close]")) button.onclick = () => button.closest("dialog").close();
    for (const dialog of all("dialog")) {
      // A click beside a dialog closes it.
      dialog.addEventListener("click", (event) => {
        if (event.target === dialog && dialog.matches(":modal")) dialog.close();
      });
    }
    $("#help-open").onclick = () => this.showHelp();
    const token = $("#token");
    hooks.askToken = (wrong) =>
      new Promise((answer) => {
        $("#token-wrong").hidden = !wrong;
        $("#token-text").setAttribute("aria-invalid", String(wrong));
        $("#token-text").value = "";
        token.returnValue = "";
        token.showModal();
        token.onclose = () => answer(token.returnValue === "use" ? $("#token-text").value.trim() : null);
      });
    hooks.waiting = (seconds) => say(`The server is busy: trying again in ${seconds} s`, "note");
    hooks.reached = (yes) => this.reached(yes);
    $("#retry").onclick = async () => {
      await this.loadShelf();
      if (!this.area) this.followAddress();
    };
  }

  reached(yes) {
    if ($("#offline").hidden !== yes) $("#offline").hidden = yes;
  }

  showHelp() {
    const keys = this.shownGame()?.setup.keys ?? [];
    const names = { up: "↑", down: "↓", left: "←", right: "→", space: "Space" };
    $("#help-game").textContent = this.area ? gameTitle(this.area.game) : "";
    $("#help-keys").replaceChildren(...keys.flatMap(({ key, about }) => [make("dt", {}, make("kbd", {}, names[key] ?? key)), make("dd", {}, about)]));
    const { aim, pointing } = described(this.area?.game);
    for (const part of all("#help .aims")) part.hidden = !this.shownGame()?.setup.aims;
    $("#help-aim").textContent = aim?.action ?? "aim";
    $("#help-push").hidden = pointing !== "push";
    $("#help").showModal();
  }

  layTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const wish = this.themeWish();
      const theme = wish === "auto" ? (dark.matches ? "dark" : "light") : wish;
      document.documentElement.dataset.theme = theme;
      this.board.setTheme(theme);
      const title = { auto: "as the system", light: "light", dark: "dark" }[wish];
      $("#theme").setAttribute("aria-label", `Colours: ${title}`);
      $("#theme").title = `Colours: ${title}`;
      $("#theme").dataset.wish = wish;
      if (this.play.game?.setup) this.play.refresh();
    };
    $("#theme").onclick = () => {
      const next = { auto: "light", light: "dark", dark: "auto" }[this.themeWish()];
      try {
        localStorage.setItem("outwit:theme", next);
      } catch {
        this.theme = next;
      }
      this.theme = next;
      apply();
    };
    dark.addEventListener("change", apply);
    apply();
  }

  themeWish() {
    try {
      this.theme ??= localStorage.getItem("outwit:theme");
    } catch {
      // Without a store the system's choice holds.
    }
    return this.theme ?? "auto";
  }
}

/** What an area is remembered by. */
const keyOf = (ref) => ref.id ?? ownKey(ref);

/** Keeps an area of one's own in this tab; the oldest ones make room. */
function keepOwn(key, own) {
  const keys = (recall("own") ?? []).filter((one) => one !== key);
  while (keys.length >= KEPT_OWN) remember(keys.shift(), null);
  while (!remember(key, own) && keys.length > 0) remember(keys.shift(), null);
  remember("own", [...keys, key]);
}

/** A key's name as the games use them. */
function keyName(event) {
  const names = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", " ": "space" };
  return names[event.key] ?? event.key;
}

const desk = new Desk();
// For looking into the page from its console, and for its tests.
window.outwit = desk;
desk.begin();
