// Asking for a plan: the budget, the job's progress as it comes, its result.

import { $, all, complain, copy, counted, download, draw, factList, grouped, make, plates, problemBox, recall, remember, say } from "../dom.js";
import { measured } from "../games.js";
import { FINAL } from "../judge/api.js";
import { judge } from "../judge/judge.js";

/** Time between two displays of how much of a budget is spent, in milliseconds. */
const TICK = 250;
/** Number of this tab's jobs on an area that are remembered. */
const KEPT = 8;

/** The fields of a budget. */
const FIELDS = { seconds: "#seconds", memory_mib: "#memory", threads: "#threads", nodes: "#nodes", seed: "#seed" };

const VERDICTS = {
  optimal: "Proven shortest",
  found: "Found",
  impossible: "Proven: there is no plan",
  unknown: "No plan within the budget",
};

export class SolvePanel {
  constructor(desk) {
    this.desk = desk;
    this.jobs = new Map();
    $("#solve-form").onsubmit = (event) => {
      event.preventDefault();
      this.submit().catch((problem) => this.refuse(problem));
    };
  }

  open(area) {
    this.close();
    this.given = null;
    this.layMeasures(area);
    for (const id of recall(`jobs:${area.key}`) ?? []) this.follow(id);
  }

  close() {
    for (const job of this.jobs.values()) job.close();
    this.jobs.clear();
    $("#jobs").replaceChildren();
    $("#solve-problem").replaceChildren();
  }

  enter() {
    this.desk.board.wish();
    this.layFrom();
  }

  tell() {
    say("A plan comes with a proven bound");
  }

  leave() {}

  key() {
    return false;
  }

  /** Puts what the site allows on the form. What the user has written stays. */
  layLimits({ most_budget: most, default_budget: usual, needs_token: guarded }) {
    for (const [name, id] of Object.entries(FIELDS)) {
      const field = $(id);
      field.max = most[name] ?? Number.MAX_SAFE_INTEGER;
      if (most[name] != null) $(`${id}-most`).textContent = `up to ${grouped(most[name])}`;
      if (usual[name] == null) continue;
      if (field.placeholder !== "") field.placeholder = usual[name];
      else if (field.value === field.defaultValue) field.value = field.defaultValue = usual[name];
    }
    for (const note of all(".guarded")) note.hidden = !guarded;
  }

  /** What a proof can be about, where a game has several measures. */
  layMeasures(area) {
    const measures = this.desk.games.find((game) => game.name === area.game)?.measures ?? [];
    const options = measures.length > 0 ? measures.map((one) => [one, `fewest ${one}`]) : [["", "the shortest plan"]];
    $("#optimal").replaceChildren(make("option", { value: "-" }, "no, just a good plan"), ...options.map(([value, text]) => make("option", { value }, text)));
  }

  /** The plan that is to be shortened, where one is. */
  async knownPlan() {
    const { area, play } = this.desk;
    switch ($("#from").value) {
      case "best":
        return (await judge.bestPlan(area.id)).plan;
      case "played":
        return play.game.plan();
      case "given":
        return this.given;
      default:
        return null;
    }
  }

  /** Asks for a plan that is shorter than one that holds. */
  shorten(plan) {
    this.given = plan;
    this.desk.choose("solve");
    $("#from").value = "given";
    this.submit().catch((problem) => this.refuse(problem));
  }

  /** What a search can begin with, here and now. */
  layFrom() {
    const { area, play } = this.desk;
    const from = $("#from");
    const has = { "": true, best: Boolean(area?.id && area.best), played: play.game?.status === "won", given: Boolean(this.given) };
    for (const option of from.options) option.hidden = option.disabled = !has[option.value];
    if (from.selectedOptions[0]?.disabled) from.value = "";
  }

  async submit() {
    $("#solve-problem").replaceChildren();
    const budget = {};
    for (const [name, id] of Object.entries(FIELDS)) {
      const value = $(id).value.trim();
      if (value !== "") budget[name] = Number(value);
    }
    const optimal = $("#optimal").value;
    const request = { area: this.desk.area.ref, budget };
    const known = await this.knownPlan();
    if (known) request.improve = known;
    if (optimal !== "-") request.optimal = optimal || true;
    if ($("#certify").checked) request.certify = true;
    const job = await judge.solve(request);
    say(FINAL.has(job.state) ? "This was asked before: here is the answer" : "Asked for", "note");
    this.follow(job.id, job);
    $("#jobs").firstElementChild.scrollIntoView({ block: "nearest" });
    if (job.key) remember(`job-key:${job.id}`, job.key);
    const { key } = this.desk.area;
    remember(`jobs:${key}`, [...new Set([...(recall(`jobs:${key}`) ?? []), job.id])].slice(-KEPT));
  }

  refuse(problem) {
    if (!problem.sentence) return complain(problem);
    $("#solve-problem").replaceChildren(problemBox(problem));
    say(problem.sentence, "bad");
  }

  follow(id, known = null) {
    this.jobs.get(id)?.close();
    const card = new JobCard(this.desk, id);
    this.jobs.get(id)?.root.remove();
    this.jobs.set(id, card);
    $("#jobs").prepend(card.root);
    if (known) card.take(known);
    if (!known || !FINAL.has(known.state)) card.listen();
  }
}

/** One job: its progress, then its result. */
class JobCard {
  constructor(desk, id) {
    this.desk = desk;
    this.id = id;
    this.history = [];
    /** How much of the budget is spent, 0 to 1, and in which run of the job. */
    this.share = 0;
    this.run = null;
    this.bar = make("progress", { max: 1, "aria-label": "spent of the budget" });
    this.spent = make("p", { class: "quiet spent" });
    this.head = make("header", {});
    this.body = make("div", { class: "job-body" });
    this.buttons = make("div", { class: "row" });
    this.root = make("article", { class: "job", "aria-label": "job" }, this.head, this.body, this.buttons);
  }

  close() {
    this.unfollow?.();
    clearInterval(this.ticks);
  }

  listen() {
    this.unfollow = judge.follow(this.id, (job) => {
      if (job) this.take(job);
      else this.root.replaceChildren(make("p", { class: "quiet" }, "This job is not kept any more."));
    });
  }

  take(job) {
    const before = this.job;
    // The answer to a request may come after the stream has told of the job's end.
    if (before && FINAL.has(before.state) && !FINAL.has(job.state)) return;
    this.job = job;
    if (job.progress) {
      const { best, bound, nodes } = job.progress;
      const at = job.started_ms ? (judge.time() - job.started_ms) / 1000 : this.history.length;
      this.history.push({ at: Math.max(0, at), best, bound, nodes });
    }
    if (FINAL.has(job.state)) {
      this.close();
      if (before && !FINAL.has(before.state)) this.announce();
      if (before && job.result) this.desk.reloadArea();
    }
    this.render();
  }

  /** The length of the plan that was found, in what it counts. */
  length() {
    const { optimal, result } = this.job;
    return typeof optimal === "string" ? `${grouped(result.length)} ${optimal}` : measured(this.desk.area.game, result.length);
  }

  announce() {
    const { state, result, error } = this.job;
    const cancelled = result?.plan ? `Cancelled; the best plan so far has ${this.length()}` : "Cancelled";
    if (state === "done") say(`Solved: ${VERDICTS[result.verdict]}${result.length != null ? `, ${this.length()}` : ""}`, result.plan ? "good" : "note");
    else say(state === "failed" ? `The job failed: ${error}` : cancelled, state === "failed" ? "bad" : "note");
  }

  render() {
    const { job } = this;
    const { budget } = job;
    const wish = [`${grouped(budget.seconds)} s`, `${grouped(budget.memory_mib)} MiB`, counted(budget.threads, "thread")];
    if (budget.nodes != null) wish.push(counted(budget.nodes, "node"));
    if (job.optimal != null) wish.push(job.optimal === true ? "with a proof" : `proof: ${job.optimal}`);
    const ended = FINAL.has(job.state);
    // Buttons stay while nothing about them changes, so that a click on one is never lost.
    if (this.buttons.childElementCount === 0 || ended !== FINAL.has(this.root.dataset.state)) {
      this.buttons.replaceChildren(...(ended ? this.uses() : [this.cancel()]));
    }
    this.root.dataset.state = job.state;
    this.head.replaceChildren(make("strong", {}, stateText(job)), make("span", { class: "quiet" }, wish.join(" · ")));
    this.body.replaceChildren(...(ended ? this.result() : this.progress()));
  }

  cancel() {
    const cancel = async () => {
      try {
        this.take(await judge.cancel(this.id, recall(`job-key:${this.id}`) ?? ""));
      } catch (problem) {
        complain(problem);
      }
    };
    return make("button", { type: "button", class: "button", "data-name": "cancel", onclick: cancel }, "Cancel");
  }

  /** What can be done with the plan that was found. */
  uses() {
    const { desk } = this;
    const { result } = this.job;
    const proof = result?.certificate?.text ? [this.certificate(result)] : [];
    if (!result?.plan) return proof;
    const label = `Solved: ${this.length()}${result.verdict === "optimal" ? ", proven shortest" : ""}`;
    return [
      make("button", { type: "button", class: "button strong", onclick: () => desk.watch.watch(result.plan, label) }, "Watch it"),
      make("button", { type: "button", class: "button", onclick: () => copy(result.plan) }, "Copy"),
      make("button", { type: "button", class: "button", onclick: () => download(desk.area.name, "plan", result.plan) }, "Download"),
      ...proof,
    ];
  }

  /** The certificate with its plan, as a file that `outwit check` takes. */
  certificate({ certificate: { text }, plan }) {
    const whole = plan ? `${text}plan\n${plan}` : text;
    return make("button", { type: "button", class: "button", "data-name": "certificate", onclick: () => download(this.desk.area.name, "cert", whole) }, "Certificate");
  }

  progress() {
    const { job } = this;
    if (job.state !== "running") {
      this.bar.removeAttribute("value");
      this.spent.textContent = "";
      return [this.bar];
    }
    this.ticks ??= setInterval(() => this.tick(), TICK);
    this.tick();
    const parts = [this.bar, this.spent];
    const { progress } = job;
    if (!progress) return parts;
    parts.push(figures(progress.best, progress.bound));
    parts.push(make("p", { class: "quiet" }, `${progress.phase} · ${counted(progress.nodes, "node")}`));
    const chart = gapChart(this.history, job.budget.seconds);
    if (chart) parts.push(chart);
    return parts;
  }

  /**
   * Shows how much of the whole budget is spent. The clock moves it, whatever a phase of the search
   * tells of itself, and it never goes back while one run lasts.
   */
  tick() {
    const { budget, progress, started_ms: began, state } = this.job;
    if (state !== "running" || !began) return;
    if (this.run !== began) Object.assign(this, { run: began, share: 0 });
    const seconds = Math.min(Math.max(0, (judge.time() - began) / 1000), budget.seconds);
    const nodes = budget.nodes ? (progress?.nodes ?? 0) / budget.nodes : 0;
    this.share = Math.min(1, Math.max(this.share, seconds / budget.seconds, nodes));
    this.bar.value = this.share;
    this.spent.textContent = `${Math.floor(seconds)} of ${grouped(budget.seconds)} s`;
  }

  result() {
    const { job } = this;
    const { result } = job;
    if (job.error) return [make("p", {}, job.error)];
    if (!result) return [];
    const parts = [];
    if (result.length != null || result.bound) parts.push(figures(result.length, result.bound, result.verdict === "optimal"));
    const { seconds, expanded, memory_bytes, stopped } = result.effort;
    const chart = gapChart(this.history, Math.max(seconds, 0.001));
    if (chart) parts.push(chart);
    if (factList(result.plan_facts).length > 0) parts.push(make("p", { class: "plates" }, ...plates(result.plan_facts)));
    const effort = [`${seconds.toFixed(2)} s`, counted(expanded, "node")];
    if (memory_bytes > 0) effort.push(`${grouped(Math.ceil(memory_bytes / (1 << 20)))} MiB`);
    // Of a job that was cancelled its head says so.
    if (stopped && stopped !== "cancelled") effort.push(`out of ${stopped}`);
    if (result.best_known) effort.push("best known from now on");
    parts.push(make("p", { class: "quiet" }, effort.join(" · ")));
    if (result.certificate) parts.push(make("p", { class: "certified" }, certified(result.certificate)));
    if (result.searches?.length > 0) parts.push(searchList(result.searches));
    return parts;
  }
}

/** A sentence with the certified claim, or the reason why there is no certificate. */
function certified({ text, reason }) {
  const claim = text && /^claim (.*)$/m.exec(text)?.[1];
  return text ? `Certified: ${claim}` : `Not certified: ${reason}`;
}

function stateText(job) {
  if (job.state === "done") return VERDICTS[job.result?.verdict] ?? "Done";
  const states = { queued: "Waiting for a worker", running: "Searching", cancelled: "Cancelled", failed: "Failed" };
  return states[job.state] ?? job.state;
}

/** Words for how a search's last turn ended; all others name the limit that it reached. */
const ENDED = { resting: "not asked again", exhausted: "exhausted, nothing proven", proven: "proven", cancelled: "cancelled" };

/** A summary of each search that the planner ran. */
function searchList(searches) {
  const row = ({ name, turns, expanded, seconds, length, bound, ended }) => {
    const parts = [counted(turns, "turn"), counted(expanded, "node"), `${seconds.toFixed(2)} s`];
    if (length != null) parts.push(`length ${grouped(length)}`);
    if (bound != null) parts.push(`bound ${grouped(bound)}`);
    parts.push(ENDED[ended] ?? `out of ${ended}`);
    return make("li", {}, make("b", {}, name), `: ${parts.join(" · ")}`);
  };
  return make("details", {}, make("summary", {}, "What each search did"), make("ul", { class: "searches" }, ...searches.map(row)));
}

/** Length, bound and the gap between, large. */
function figures(length, bound, proven = false) {
  const figure = (name, value) => make("div", { class: "figure" }, make("span", { class: "figure-value" }, value), make("span", { class: "figure-name" }, name));
  const gap = length != null && bound > 0 ? Math.max(0, length - bound) / bound : null;
  return make(
    "div",
    { class: "figures" },
    figure("length", length != null ? grouped(length) : "—"),
    figure("bound", bound != null ? grouped(bound) : "—"),
    figure("gap", proven ? "none" : gap != null ? `${(gap * 100).toFixed(gap < 0.1 ? 1 : 0)} %` : "—"),
  );
}

/** Length from above and bound from below over time. */
function gapChart(history, seconds) {
  const told = history.filter(({ best, bound }) => best != null || bound != null);
  if (told.length < 2) return null;
  const [width, height] = [300, 80];
  const values = told.flatMap(({ best, bound }) => [best, bound]).filter((value) => value != null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const end = Math.max(seconds, told.at(-1).at, 0.001);
  const x = (at) => ((at / end) * (width - 8) + 4).toFixed(1);
  const y = (value) => (height - 8 - ((value - least) / Math.max(1, most - least)) * (height - 16)).toFixed(1);
  const line = (name) => {
    const points = told.filter((one) => one[name] != null);
    let path = "";
    for (const one of points) path += path === "" ? `M${x(one.at)} ${y(one[name])}` : `H${x(one.at)}V${y(one[name])}`;
    return path;
  };
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "gap-chart", role: "img", "aria-label": `length and bound over time, from ${least} to ${most}` },
    draw("path", { d: line("best"), class: "line-length" }),
    draw("path", { d: line("bound"), class: "line-bound" }),
  );
}
