// The library in WebAssembly, and a web worker that answers requests with it. Requests and answers
// are those of `wasm/src/request.rs`.

const letters = new TextDecoder();
const bytes = new TextEncoder();
/** Minimum time between two reports of a search's progress, in milliseconds. */
const NEWS = 100;

/**
 * Loads the library from a module or its bytes: `{answer, call}`. `answer` takes a request and gives
 * the answer, both as text; `call` gives what is under `ok`, and throws what is under `error`.
 * `progress` hears how far a search is, `plan` each better plan as it is found.
 */
export async function load(source, { progress = () => {}, plan = () => {} } = {}) {
  let memory;
  const read = (at, length) => letters.decode(new Uint8Array(memory.buffer, at, length));
  const host = {
    now: () => performance.now(),
    progress: (at, length) => progress(read(at, length)),
    plan: (at, length) => plan(read(at, length)),
  };
  const loaded = await WebAssembly.instantiate(source, { host });
  const wasm = (loaded.instance ?? loaded).exports;
  memory = wasm.memory;

  function answer(request) {
    const words = bytes.encode(request);
    const at = wasm.outwit_allocate(words.length);
    new Uint8Array(memory.buffer, at, words.length).set(words);
    const block = wasm.outwit_call(at, words.length);
    const length = new DataView(memory.buffer).getUint32(block, true);
    const reply = read(block + 4, length);
    wasm.outwit_release(block);
    return reply;
  }

  function call(request) {
    const { ok, error } = JSON.parse(answer(JSON.stringify(request)));
    if (error) throw Object.assign(new Error(error.detail), error);
    return ok;
  }

  return { answer, call };
}

/**
 * Answers messages `{module}` once, then `{id, request}` with `{id, ok}`, `{id, error}` or `{id, fault}`,
 * after any number of `{id, progress}` and `{id, plan}`.
 */
function serve() {
  let module = null;
  let outwit = null;
  let current = null;
  let told = -Infinity;
  const progress = (news) => {
    if (performance.now() - told < NEWS) return;
    told = performance.now();
    postMessage({ id: current, progress: JSON.parse(news) });
  };
  const plan = (text) => postMessage({ id: current, plan: text });
  const handle = async ({ id, request }) => {
    current = id;
    try {
      outwit ??= await load(module, { progress, plan });
      postMessage({ id, ...JSON.parse(outwit.answer(JSON.stringify(request))) });
    } catch (fault) {
      // After a trap (no memory, no stack) its memory cannot be trusted: games begin again.
      outwit = null;
      postMessage({ id, fault: String(fault) });
    }
  };
  let turn = Promise.resolve();
  onmessage = ({ data }) => {
    if (data.module) module = data.module;
    else turn = turn.then(() => handle(data));
  };
}

if (globalThis.WorkerGlobalScope && globalThis instanceof WorkerGlobalScope) serve();
