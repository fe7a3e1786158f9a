// Solves a stored area with the types that openapi-typescript generates, through openapi-fetch:
// `node solve.mjs URL AREA`, once tsc has compiled it beside these types.
//
// The area is solved by a job, whose plan is then submitted, so that the server verifies it. A request for an
// area that is not there, and a plan that cannot be read, have to be answered with a problem of the declared
// type. `scripts/api` generates the types, compiles this program and runs it.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./outwit.js";

type Schemas = components["schemas"];
type Outwit = Client<paths>;

// All that is needed of node's own types.
declare const process: { argv: string[] };

/** Milliseconds between two questions about a job. */
const PAUSE_MS = 50;
/** Most milliseconds that a job may wait and search. */
const PATIENCE_MS = 60_000;

/** The answer to a request that has to succeed. */
function expect<Data>(answer: { data?: Data; error?: Schemas["Problem"] }): Data {
  if (answer.data === undefined) {
    throw new Error(`refused: ${answer.error?.detail ?? "without a reason"}`);
  }
  return answer.data;
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Submits a job with a small budget. */
async function ask(client: Outwit, id: string): Promise<Schemas["OwnJob"]> {
  const body = { area: { id }, budget: { seconds: 1, seed: 8 } };
  return expect(await client.POST("/v1/jobs", { body }));
}

/** The result of a job, once the job is through. */
async function wait(client: Outwit, id: string): Promise<Schemas["JobResult"]> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const job = expect(await client.GET("/v1/jobs/{id}", { params: { path: { id } } }));
    if (job.state !== "queued" && job.state !== "running") {
      if (job.state !== "done" || !job.result) throw new Error(`the job is ${job.state}`);
      return job.result;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  throw new Error(`job ${id} is not done after ${PATIENCE_MS} ms`);
}

/** Makes two requests that have to be refused. */
async function checkProblems(client: Outwit, id: string): Promise<void> {
  const missing = await client.POST("/v1/jobs", { body: { area: { id: "no/area" } } });
  check(missing.error?.status === 404, "an unknown area is not found");
  const wrong = await client.POST("/v1/plans", { body: { area: { id }, plan: "no plan of any game\n" } });
  check(wrong.response.status === 422, "a plan that is none cannot be processed");
  check(wrong.error?.diagnostic?.line === 1, "the problem says where the plan is wrong");
}

/** Solves the area and says in one line what came of it. */
async function main(baseUrl: string, area: string): Promise<void> {
  const client = createClient<paths>({ baseUrl });
  const { id } = await ask(client, area);
  const result = await wait(client, id);
  const params = { path: { id } };
  const plan: string = expect(await client.GET("/v1/jobs/{id}/plan", { params, parseAs: "text" }));
  check(plan === result.plan, "the plan is that of the result");
  const verdict = expect(await client.POST("/v1/plans", { body: { area: { id: area }, plan } }));
  check(verdict.valid && verdict.length === result.length, "the plan holds, and has the length of the result");
  await checkProblems(client, area);
  console.log(`openapi-typescript: ${area} ${result.verdict} with a plan of length ${verdict.length}`);
}

const [url, area] = process.argv.slice(2);
if (!url || !area) throw new Error("usage: solve.mjs URL AREA");
await main(url, area);
