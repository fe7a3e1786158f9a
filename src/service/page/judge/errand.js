// A search that the page asks its judge for and waits for: for a hint, for the line below a drawing.

import { FINAL } from "./api.js";
import { judge } from "./judge.js";

/** A search that is under way, or through. */
export class Errand {
  /** Asks for a search. `heard` gets its job and the errand whenever the job has got on, but not when it is through. */
  static async begin(request, heard = () => {}) {
    return new Errand(await judge.solve(request), heard);
  }

  constructor(job, heard) {
    this.job = job;
    /** The job once it is through; null where nobody waits for it any more, or it is not kept. */
    this.ended = new Promise((done) => (this.done = done));
    const take = (now) => (now && !FINAL.has(now.state) ? heard(now, this) : this.end(now));
    if (FINAL.has(job.state)) return void this.end(job);
    this.unfollow = judge.follow(job.id, take);
  }

  end(job) {
    this.unfollow?.();
    this.isOver = true;
    this.done(job);
  }

  /** Ends the search, which gives what it has by then. */
  cancel() {
    const { id, key } = this.job;
    if (key) judge.cancel(id, key).catch(() => {});
  }

  /** Waits for it no longer, and ends it. */
  leave() {
    if (this.isOver) return;
    this.end(null);
    this.cancel();
  }
}
