// The judge in the browser itself: the library in WebAssembly, in web workers. It is the page's judge
// where the page is one file (`scripts/page`) that carries areas, plans and the library. It has the
// methods of `HttpJudge`, with the same answers.

import { FINAL, Problem } from "./api.js";
import { Clerk, once } from "./clerk.js";
import { keep, kept } from "../dom.js";
import { Prober } from "./prober.js";
import { LocalStepper } from "./stepper.js";

/** What a search may spend. WebAssembly has 4 GiB and one thread. */
const MOST_BUDGET = { seconds: 3600, memory_mib: 2048, threads: 1, nodes: null };
const DEFAULT_BUDGET = { seconds: 10, memory_mib: 256, threads: 1, nodes: null, seed: 1 };
/** Time and memory of the check of a certificate. */
const CHECK_BUDGET = { seconds: 60, memory_mib: 1024, nodes: null, seed: 1 };
/** Upper limit of the texts that are read, in bytes. */
const LONGEST_AREA = 16 << 20;
const LONGEST_PLAN = 16 << 20;

/** The bytes that an element of the page carries: gzip in base64. */
async function carried(id) {
  const letters = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** What the page carries. Each part is unpacked when it is first asked for. */
class Cargo {
  shelf = once(async () => (await carried("cargo-areas")).json());
  module = once(async () => WebAssembly.compile(await (await carried("cargo-library")).arrayBuffer()));
  script = once(async () => URL.createObjectURL(new Blob([await (await carried("cargo-worker")).text()], { type: "text/javascript" })));
  worker = async () => new Worker(await this.script());

  static isHere() {
    return document.getElementById("cargo-areas") !== null;
  }
}

/** The judge of a page that carries all it needs. Areas are named as requests name them: `{id}` or `{text, …}`. */
export class LocalJudge {
  /** Nothing is asked over a network. */
  remote = false;

  constructor() {
    this.cargo = new Cargo();
    /** Answers at once: games, verdicts. Searches have workers of their own. */
    this.desk = once(() => new Clerk(this.cargo));
    this.stepper = new LocalStepper(this.desk, (area) => this.meant(area));
    /** Short searches beside what the user does. */
    this.probers = { play: new Prober(this.cargo), edit: new Prober(this.cargo) };
    this.jobs = new Map();
    this.waiting = [];
    this.searching = 0;
  }

  static isHere() {
    return Cargo.isHere();
  }

  async games() {
    return (await this.cargo.shelf()).games;
  }

  async limits() {
    return { needs_token: false, most_budget: MOST_BUDGET, default_budget: DEFAULT_BUDGET, area_bytes: LONGEST_AREA, plan_bytes: LONGEST_PLAN };
  }

  async stored(id) {
    const { areas } = await this.cargo.shelf();
    const area = areas.find((one) => one.id === id);
    if (!area) throw new Problem({ status: 404, title: "There is no such thing", detail: `there is no stored area "${id}"` });
    return area;
  }

  /** What lists say of an area, with the best plan: the one that came with the page, or a better one found here. */
  listed({ text, plan, picture, ...area }) {
    const own = kept(`best:${area.id}`);
    return own ? { ...area, best: own.best } : area;
  }

  async areas() {
    const { areas } = await this.cargo.shelf();
    this.pictures = new Map(areas.map(({ id, picture }) => [id, picture]));
    return { areas: areas.map((area) => this.listed(area)), next: null };
  }

  async area(id) {
    const area = await this.stored(id);
    return { ...this.listed(area), text: area.text };
  }

  thumbnail(id) {
    return `data:image/png;base64,${this.pictures?.get(id) ?? ""}`;
  }

  /** The best plan of an area, where one is known. */
  async known({ id }) {
    return id == null ? null : (kept(`best:${id}`)?.plan ?? (await this.stored(id)).plan);
  }

  async bestPlan(id) {
    const area = await this.stored(id);
    const plan = await this.known({ id });
    if (!plan) throw new Problem({ status: 404, title: "There is no such thing", detail: "no plan of this area is known" });
    return { ...this.listed(area).best, plan };
  }

  /** A request's area as the library takes it. */
  async meant({ id, ...text }) {
    if (id == null) return text;
    const area = await this.stored(id);
    return { text: area.text, game: area.game };
  }

  async generate(request) {
    const clerk = new Clerk(this.cargo);
    return clerk.ask({ do: "generate", ...request }).finally(() => clerk.end());
  }

  levels(request) {
    return this.desk().ask({ do: "levels", ...request });
  }

  /** An area as an editor draws it: `{name, rows, values}`. */
  async drawing(area) {
    return this.desk().ask({ do: "drawing", area: await this.meant(area) });
  }

  /** The text of a drawing, and what is wrong with it: `{text, problem, cell, stuck}`. */
  draft(request) {
    return this.desk().ask({ do: "draft", ...request });
  }

  // Plans.

  async verify({ area, plan }) {
    return this.desk().ask({ do: "verify", area: await this.meant(area), plan });
  }

  /** Verifies a plan, and keeps it in this browser where it is the best. */
  async submit({ area, plan, by = null }) {
    const known = await this.known(area);
    const bound = area.id == null ? 0 : ((await this.stored(area.id)).best?.bound ?? 0);
    const told = await this.desk().ask({ do: "verify", area: await this.meant(area), plan, known, bound });
    if (area.id == null || !told.valid || (known && !told.best_known)) return told;
    keep(`best:${area.id}`, { plan: told.plan ?? plan, best: { ...told.standing, facts: told.facts, found_ms: Date.now(), found_by: by } });
    return { ...told, best_known: true };
  }

  async check({ area, certificate }) {
    const clerk = new Clerk(this.cargo);
    return clerk.ask({ do: "check", area: await this.meant(area), certificate, budget: CHECK_BUDGET }).finally(() => clerk.end());
  }

  // Searches.

  async solve({ area, budget, optimal = null, improve = null, begun = null, certify = false }) {
    const id = `${Date.now().toString(36)}-${this.jobs.size}`;
    const job = { id, key: id, state: "queued", budget: { ...DEFAULT_BUDGET, ...budget, threads: 1 }, optimal, progress: null, result: null, error: null, started_ms: null };
    this.jobs.set(id, { job, area, improve, begun, certify, takers: new Set() });
    this.waiting.push(id);
    this.searchOn();
    return { ...job };
  }

  /** Begins with searches that wait, as far as there are processors; one is left to the page. */
  searchOn() {
    const most = Math.max(1, (navigator.hardwareConcurrency ?? 2) - 1);
    while (this.searching < most && this.waiting.length > 0) {
      this.searching++;
      this.search(this.jobs.get(this.waiting.shift()));
    }
  }

  async search(held) {
    const { job, area, improve, begun, certify } = held;
    const { seconds, memory_mib, nodes, seed } = job.budget;
    const clerk = (held.clerk = new Clerk(this.cargo));
    this.tell(held, { state: "running", started_ms: Date.now() });
    try {
      const known = await this.known(area);
      const request = { do: "solve", area: await this.meant(area), budget: { seconds, memory_mib, nodes, seed }, optimal: job.optimal, improve, begun, known, certify };
      const result = await clerk.ask(request, ({ plan, progress }) => {
        if (plan) held.plan = plan;
        else this.tell(held, { progress });
      });
      this.tell(held, { state: "done", result: await this.kept(area, result) });
    } catch (problem) {
      this.tell(held, { state: "failed", error: problem.detail || problem.title || String(problem) });
    }
    this.settle(held);
  }

  /** A result, whose plan is kept where it is the best. */
  async kept(area, result) {
    const told = result.plan && area.id != null ? await this.submit({ area, plan: result.plan, by: "outwit" }) : null;
    return { ...result, best_known: Boolean(told?.best_known) };
  }

  /** The report of a search that is given up, with the best plan that it has found. */
  async resultSoFar({ job, area, improve, begun, plan }) {
    const known = improve ?? (begun === null ? await this.known(area) : null);
    const { bound, nodes } = job.progress ?? {};
    const seconds = (Date.now() - job.started_ms) / 1000;
    const request = { do: "settle", area: await this.meant(area), plan, known, optimal: job.optimal, bound: bound ?? 0, expanded: nodes ?? 0, seconds };
    return this.kept(area, await this.desk().ask(request));
  }

  /** A search has come to its end: the next one may begin. */
  settle(held) {
    if (!held.clerk) return;
    held.clerk.end();
    held.clerk = null;
    this.searching--;
    this.searchOn();
  }

  tell(held, news) {
    // A cancelled job stays so.
    if (FINAL.has(held.job.state)) return;
    Object.assign(held.job, news);
    for (const take of held.takers) take({ ...held.job });
  }

  async cancel(id) {
    const held = this.jobs.get(id);
    await (held.ending ??= this.giveUp(held));
    return { ...held.job };
  }

  async giveUp(held) {
    const { job, clerk, takers } = held;
    this.waiting = this.waiting.filter((one) => one !== job.id);
    this.settle(held);
    // Nobody needs the plan of a search that nobody follows.
    const result = clerk && takers.size > 0 ? await this.resultSoFar(held) : null;
    this.tell(held, { state: "cancelled", result });
  }

  follow(id, take) {
    const held = this.jobs.get(id);
    if (!held) {
      queueMicrotask(() => take(null));
      return () => {};
    }
    held.takers.add(take);
    queueMicrotask(() => held.takers.has(take) && take({ ...held.job }));
    return () => held.takers.delete(take);
  }

  time() {
    return Date.now();
  }
}
