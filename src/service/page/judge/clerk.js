// A web worker with the library in WebAssembly, and what it is asked.

import { Problem } from "./api.js";

/** Makes something when it is first asked for. */
export function once(make) {
  let made = null;
  return () => (made ??= make());
}

/** A web worker with the library in it. */
export class Clerk {
  /** `module` promises the library, compiled; `worker` a new worker for it. */
  constructor({ module, worker }) {
    this.asked = new Map();
    this.next = 0;
    this.ready = Promise.all([worker(), module()]).then(([started, compiled]) => {
      this.worker = started;
      if (this.ended) return started.terminate();
      this.worker.onmessage = ({ data }) => this.take(data);
      this.worker.onerror = (event) => this.fail(event.message);
      this.worker.postMessage({ module: compiled });
    });
  }

  /** Asks, and gives the answer; `news` hears how far a search is: `{progress}`, and better plans: `{plan}`. */
  ask(request, news = () => {}) {
    const id = this.next++;
    return new Promise((done, refuse) => {
      this.asked.set(id, { done, refuse, news });
      this.ready.then(
        () => this.worker?.postMessage({ id, request }),
        (error) => this.fail(String(error)),
      );
    });
  }

  take({ id, ok, error, fault, ...news }) {
    const asked = this.asked.get(id);
    if (news.progress || news.plan) return asked?.news(news);
    this.asked.delete(id);
    if (fault !== undefined) asked?.refuse(faultOf(fault));
    else if (error) asked?.refuse(new Problem(error));
    else asked?.done(ok);
  }

  fail(why) {
    for (const { refuse } of this.asked.values()) refuse(faultOf(why));
    this.asked.clear();
  }

  end() {
    this.ended = true;
    this.worker?.terminate();
  }
}

const faultOf = (why) => new Problem({ status: 500, title: "The library stopped", detail: why });
