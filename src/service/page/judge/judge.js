// What the page asks its judge: areas, games step by step, verdicts, plans. Everything that knows
// rules is asked here and nowhere else. There are two judges with the same methods and answers: the
// server behind the HTTP API, and the library in the browser itself where the page carries it. Where
// a server has the library too, the steps of games are done with it in the browser; verdicts on plans
// and searches stay the server's.

import * as api from "./api.js";
import { Clerk, once } from "./clerk.js";
import { LocalJudge } from "./local.js";
import { Prober } from "./prober.js";
import { HttpStepper, LocalStepper } from "./stepper.js";

/** An area's address: its id has a slash that stays one. */
const areaPath = (id) => `/v1/areas/${id.split("/").map(encodeURIComponent).join("/")}`;

/** Time between two requests for a job whose stream of events does not come through, in milliseconds. */
const POLL = 1500;

/** The judge behind the HTTP API. Areas are named as requests name them: `{id}` or `{text, …}`. */
class HttpJudge {
  /** The judge is asked over a network. */
  remote = true;
  /** Short searches beside what the user does: none where the site has no library for browsers. */
  probers = {};
  /** The stepper, which does the steps of games. Games go on where it changes. */
  stepper = new HttpStepper();

  games() {
    return api.get("/v1/games");
  }

  /** What may be asked for: lengths, budgets. */
  async limits() {
    const limits = await api.get("/v1/limits");
    if (limits.library) this.stepHere(limits.library);
    return limits;
  }

  /** Fetches the library; as soon as it is here, and as long as it works, games are stepped by it. */
  async stepHere(address) {
    if (this.clerk) return;
    const cargo = {
      module: once(() => WebAssembly.compileStreaming(fetch(address))),
      worker: async () => new Worker("judge/worker.js", { type: "module" }),
    };
    const clerk = new Clerk(cargo);
    this.clerk = clerk;
    const server = this.stepper;
    const fault = () => {
      this.stepper = server;
      this.probers = {};
      clerk.end();
    };
    try {
      await clerk.ask({ do: "games" });
      this.stepper = new LocalStepper(() => clerk, (area) => this.meant(area), fault);
      this.probers = { play: new Prober(cargo), edit: new Prober(cargo) };
    } catch {
      // The server goes on stepping.
      fault();
    }
  }

  /** A request's area as the library takes it. */
  async meant({ id, ...text }) {
    if (id == null) return text;
    const { game, text: content } = this.latest?.id === id ? this.latest : await this.area(id);
    return { text: content, game };
  }

  /** A page of stored areas: `{areas, next}`. */
  areas(limit, after) {
    return api.get(`/v1/areas?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`);
  }

  async area(id) {
    this.latest = await api.get(areaPath(id));
    return this.latest;
  }

  /** The address of a small picture of a stored area. */
  thumbnail(id) {
    return `${areaPath(id)}/thumbnail`;
  }

  bestPlan(id) {
    return api.get(`${areaPath(id)}/plan`);
  }

  /** Makes an area: `{game, seed, values}`. */
  generate(request) {
    return api.post("/v1/generate", request);
  }

  /** The levels of a text: `{game, levels}`. */
  levels(request) {
    return api.post("/v1/levels", request);
  }

  /** An area as an editor draws it: `{name, rows, values}`. */
  drawing(area) {
    return api.post("/v1/drawings", { area });
  }

  /** The text of a drawing, and what is wrong with it: `{text, problem, cell, stuck}`. */
  draft(request) {
    return api.post("/v1/drafts", request);
  }

  // Plans.

  verify(request) {
    return api.post("/v1/verify", request);
  }

  /** Verifies a plan, and keeps it where it is the best. */
  submit(request) {
    return api.post("/v1/plans", request);
  }

  /** Whether what a certificate claims is proven: `{certified, claim, length, optimal, states, reason}`. */
  check(request) {
    return api.post("/v1/check", request);
  }

  /** Asks for a plan; the job, with its `key` where it is new. */
  solve(request) {
    return api.post("/v1/jobs", request);
  }

  cancel(id, key) {
    return api.remove(`/v1/jobs/${id}`, { headers: { "x-job-key": key } });
  }

  /**
   * Tells of a job as it goes on, until it is through. `take` gets the job, or null where it is not
   * kept any more. Calling what is returned ends it.
   */
  follow(id, take) {
    let poll = null;
    let ended = false;
    const ask = async () => {
      if (ended) return;
      try {
        take(await api.get(`/v1/jobs/${id}`));
      } catch (problem) {
        if (problem.status === 404) return take(null);
      }
      if (!ended) poll = setTimeout(ask, POLL);
    };
    const events = new EventSource(`/v1/jobs/${id}/events`);
    events.addEventListener("job", (event) => take(JSON.parse(event.data)));
    events.onerror = () => {
      // A browser tries again by itself unless the stream was refused.
      if (events.readyState === EventSource.CLOSED) ask();
    };
    return () => {
      ended = true;
      events.close();
      clearTimeout(poll);
    };
  }

  /** The time by the judge's clock, in milliseconds since 1970. */
  time() {
    return api.serverTime();
  }
}

export const judge = LocalJudge.isHere() ? new LocalJudge() : new HttpJudge();
