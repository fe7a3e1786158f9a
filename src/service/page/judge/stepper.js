// The steppers of games: the server, or the library in a worker of this browser, where a step
// costs no round trip. Both have the same methods and answers.

import * as api from "./api.js";

/** The server steps games. */
export class HttpStepper {
  begin(request) {
    return api.post("/v1/play", request);
  }

  move(token, request) {
    return api.post(`/v1/play/${token}`, request);
  }

  plan(token) {
    return api.get(`/v1/play/${token}/plan`);
  }

  /** Tells that a game is not needed any more. */
  leave(token) {
    api.remove(`/v1/play/${token}`).catch(() => {});
  }
}

/** A worker of this browser steps games. */
export class LocalStepper {
  /**
   * `clerk` gives the worker, `meant` a request's area with its text. Where `fault` is given, it is
   * told once the library has stopped: games are to be begun again elsewhere.
   */
  constructor(clerk, meant, fault = null) {
    Object.assign(this, { clerk, meant, fault });
  }

  async ask(request) {
    try {
      return await this.clerk().ask(request);
    } catch (problem) {
      if (problem.status !== 500 || !this.fault) throw problem;
      this.fault();
      throw new api.Problem({ status: 410, title: "The game is gone", detail: problem.detail });
    }
  }

  async begin(request) {
    return this.ask({ do: "begin", ...request, area: await this.meant(request.area) });
  }

  move(token, request) {
    return this.ask({ do: "move", token, request });
  }

  plan(token) {
    return this.ask({ do: "plan", token });
  }

  leave(token) {
    this.ask({ do: "leave", token }).catch(() => {});
  }
}
