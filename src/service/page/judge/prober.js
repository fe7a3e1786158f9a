// Short searches beside what the user does: the answer to the last question alone is wanted, and at once.

import { Clerk } from "./clerk.js";

/** Memory of a search's tables, in MiB. */
const MEMORY_MIB = 256;

/** A worker that solves; a question that comes before the answer to the last one ends its search. */
export class Prober {
  /** `cargo` has the library and makes workers: `{module, worker}`. */
  constructor(cargo) {
    this.cargo = cargo;
    this.clerk = null;
    this.asked = null;
  }

  /**
   * Solves an area, or the position after the steps of the plan `begun`, within `seconds`. `plan` hears each plan
   * as it is found. The promise gives null where another question has come first.
   */
  async ask({ area, begun = null, seconds }, plan = () => {}) {
    this.stop();
    const asked = (this.asked = {});
    this.clerk ??= new Clerk(this.cargo);
    const budget = { seconds, memory_mib: MEMORY_MIB, nodes: null, seed: 1 };
    const news = (told) => told.plan && this.asked === asked && plan(told.plan);
    try {
      const result = await this.clerk.ask({ do: "solve", area, begun, budget }, news);
      return this.asked === asked ? result : null;
    } catch (problem) {
      if (this.asked === asked) throw problem;
      return null;
    } finally {
      if (this.asked === asked) this.asked = null;
    }
  }

  /** Ends the search that goes on: a worker that searches hears nothing. */
  stop() {
    if (!this.asked) return;
    this.asked = null;
    this.clerk.end();
    this.clerk = null;
  }
}
