// The way to the server: requests, problems as errors, the token, waiting where it is busy.

import { recall, remember } from "../dom.js";

/** Number of times that a request is repeated for which the server was too busy. */
const TRIES = 4;
/** Longest wait before a request is repeated, in seconds; a longer one is reported. */
const LONGEST_WAIT = 10;

/**
 * Least difference of clocks that counts, in milliseconds: a smaller one is that of a date in whole
 * seconds.
 */
const CLOCK_SLACK = 2000;

/** The states of a job that has ended. */
export const FINAL = new Set(["done", "cancelled", "failed"]);

/**
 * What the page does for this module: asks for a token (and learns whether the one before was
 * wrong), tells of waiting.
 */
export const hooks = { askToken: async () => null, waiting: () => {}, reached: () => {} };

/** How far the server's clock is ahead at least, in milliseconds, as dated answers tell. */
let ahead = -Infinity;

/** The time by the server's clock, in milliseconds since 1970. */
export const serverTime = () => Date.now() + (Math.abs(ahead) < CLOCK_SLACK || ahead === -Infinity ? 0 : ahead);

/** Learns from the date of an answer. The longer that was on its way, the less it says. */
function setClock(date) {
  const difference = Date.parse(date) - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.max(ahead, difference);
}

/** What went wrong with a request, as the server (RFC 9457) or the network tells it. */
export class Problem extends Error {
  constructor(told, retryAfter = null) {
    super(told.detail ?? told.title);
    this.name = "Problem";
    this.status = told.status ?? 0;
    this.kind = (told.type ?? "").replace("/problems/", "");
    this.title = told.title ?? "Something went wrong";
    this.detail = told.detail ?? "";
    this.diagnostic = told.diagnostic ?? null;
    this.retryAfter = told.retry_after ?? retryAfter;
  }

  /** One sentence for the status line. */
  get sentence() {
    const again = this.retryAfter ? ` Try again in ${this.retryAfter} s.` : "";
    return this.detail && this.detail !== this.title ? `${this.title}: ${this.detail}.${again}` : `${this.title}.${again}`;
  }
}

const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

async function problemOf(response) {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  const told = await response.json().catch(() => ({ status: response.status, title: `The server answers ${response.status}` }));
  return new Problem({ status: response.status, ...told }, retryAfter);
}

async function once(method, path, body, { signal, headers: more } = {}) {
  const headers = { accept: "application/json", ...more };
  if (body !== undefined) headers["content-type"] = "application/json";
  const token = recall("token");
  if (token) headers.authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: method === "GET" ? "no-cache" : "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    hooks.reached(false);
    throw new Problem({ status: 0, title: "The server cannot be reached", detail: "what you did last is kept, try again" });
  }
  hooks.reached(true);
  setClock(response.headers.get("date"));
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return null;
  const json = (response.headers.get("content-type") ?? "").includes("json");
  try {
    return json ? await response.json() : await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, title: "The answer broke off", detail: "try again" });
  }
}

/**
 * Sends a request. Where the server is busy it waits and repeats it: what was refused for that
 * reason has not been done. Where a token is asked for, the user is asked, until it is right.
 */
export async function call(method, path, body, options) {
  for (let tries = 1; ; ) {
    try {
      return await once(method, path, body, options);
    } catch (problem) {
      if (problem.status === 401) {
        const wrong = recall("token") !== null;
        remember("token", null);
        const token = await hooks.askToken(wrong);
        if (!token) throw problem;
        remember("token", token);
        continue;
      }
      const busy = problem.kind === "busy" || problem.kind === "too-many-requests";
      const wait = problem.retryAfter ?? 1;
      if (!busy || tries === TRIES || wait > LONGEST_WAIT) throw problem;
      tries++;
      hooks.waiting(wait);
      await sleep(wait);
    }
  }
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body, options);
export const remove = (path, options) => call("DELETE", path, undefined, options);
