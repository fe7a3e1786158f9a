// Small helpers around the document: finding, making, telling, copying, downloading.

/** The first element that a selector finds. */
export const $ = (selector, root = document) => root.querySelector(selector);

/** All elements that a selector finds. */
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/**
 * Makes an element. Attributes that are functions become listeners (`onclick`), `true` becomes an
 * empty attribute, and `false`, `null` and `undefined` are left out.
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Makes an element of a drawing. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A plan with its waits to be seen: a line with nothing but a blank shows a dot. */
export const seenWaits = (plan) => plan.replace(/^ $/gm, "·");

/** A whole number with its thousands apart. */
export const grouped = (number) => Number(number).toLocaleString("en").replaceAll(",", "\u202f");

/** `1 step`, `2 steps`. */
export const counted = (number, noun) => `${grouped(number)} ${noun}${Number(number) === 1 ? "" : "s"}`;

/** Facts, an object by name, as a list; browsers may have kept older ones that are lists. */
export const factList = (facts) => (Array.isArray(facts) ? facts : Object.entries(facts ?? {}).map(([name, value]) => ({ name, value: String(value) })));

/** The fact of that name as text; empty where there is none. */
export const factOf = (facts, name) => factList(facts).find((fact) => fact.name === name)?.value ?? "";

/** Facts as a row of small plates. */
export function plates(facts) {
  return factList(facts).map(({ name, value, title }) => make("span", { class: "plate", title }, make("span", { class: "plate-name" }, name), ` ${value}`));
}

/**
 * Tells something in the status line, which screen readers read out.
 * `tone` is `""`, `good`, `bad` or `note`.
 */
export function say(text, tone = "") {
  const line = $("#status");
  line.dataset.tone = tone;
  if (line.textContent !== text) line.textContent = text;
}

/** Tells what went wrong with a request. */
export function complain(problem) {
  if (problem?.name === "AbortError") return;
  say(problem?.sentence ?? `Something went wrong in the page: ${problem?.message ?? problem}`, "bad");
  if (!problem?.sentence) console.error(problem);
}

/** What to show of a problem: where an input is wrong, with its line and a caret under it. */
export function problemBox(problem) {
  const box = make("div", { class: "verdict bad", role: "alert" });
  box.append(make("strong", {}, problem.title ?? "Something went wrong"));
  const place = problem.diagnostic;
  if (!place) {
    box.append(make("p", {}, problem.detail ?? problem.message ?? ""));
    return box;
  }
  const where = place.line > 0 ? `Line ${place.line}, column ${place.column}: ` : "";
  box.append(make("p", {}, where + place.message));
  if (place.line > 0 && place.text !== "") {
    const before = [...place.text].slice(0, place.column - 1).map((c) => (c === "\t" ? "\t" : " "));
    const carets = "^".repeat(Math.max(1, Math.min(place.length, 60)));
    const number = String(place.line);
    const margin = " ".repeat(number.length);
    box.append(make("pre", { class: "excerpt" }, `${number} | ${place.text}\n${margin} | ${before.join("")}${carets}`));
  }
  if (place.help) box.append(make("p", { class: "quiet" }, `Help: ${place.help}`));
  return box;
}

/** Selects a line of a text field, so that it is seen, and column where one is given. */
export function selectLine(field, line, column = 1, length = 0) {
  const lines = field.value.split("\n");
  if (line < 1 || line > lines.length) return;
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const from = start + (length > 0 ? Math.min(column - 1, lines[line - 1].length) : 0);
  const to = length > 0 ? Math.min(from + length, field.value.length) : start + lines[line - 1].length;
  field.focus();
  field.setSelectionRange(from, to);
  field.scrollTop = Math.max(0, (field.scrollHeight / lines.length) * (line - 4));
}

/** The text of bytes: UTF-8, UTF-16 with a byte order mark, or else Windows-1252. */
function decoded(bytes) {
  const marked = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()];
  if (marked) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The text of a file, as the command line reads it. A field would take the line end `\r\r\n` for two. */
export async function textOf(file) {
  return decoded(new Uint8Array(await file.arrayBuffer())).replace(/\r\r\n|\r\n|\r/g, "\n");
}

/** Bytes of a text, as it is sent. */
export const bytesOf = (text) => new Blob([text]).size;

/** A number of bytes in KiB or MiB, as people say it. */
export const inBytes = (bytes) => (bytes < 1 << 20 ? `${grouped(Math.ceil(bytes / 1024))} KiB` : `${(Math.ceil((bytes / (1 << 20)) * 10) / 10).toLocaleString("en")} MiB`);

/** A name as that of a file: letters of all scripts stay, what file systems refuse does not. */
const fileName = (name) => name.replace(/[\s\\/:*?"<>|\p{Cc}]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "") || "area";

/** Saves a text as a file. The name is given without its ending. */
export function download(name, ending, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = make("a", { href: url, download: `${fileName(name)}.${ending}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies a text, also where the page is served without encryption. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = make("textarea", { class: "unseen", "aria-hidden": "true" });
    field.value = text;
    const focused = document.activeElement;
    (document.querySelector("dialog:modal") ?? document.body).append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    focused?.focus?.();
    if (!copied) return say("The browser does not allow copying: use download", "bad");
  }
  say("Copied", "good");
}

/** Reads something back that `remember` has kept for this tab; null where there is nothing. */
export function recall(key) {
  try {
    return JSON.parse(sessionStorage.getItem(`outwit:${key}`));
  } catch {
    return null;
  }
}

/** Keeps something for this tab; a full or forbidden store is no failure. Whether it is kept. */
export function remember(key, value) {
  try {
    if (value == null) sessionStorage.removeItem(`outwit:${key}`);
    else sessionStorage.setItem(`outwit:${key}`, JSON.stringify(value));
    return true;
  } catch {
    // The page works without.
    return false;
  }
}

/** Reads something back that `keep` has kept for good; null where there is nothing. */
export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(`outwit:${key}`));
  } catch {
    return null;
  }
}

/** Keeps something for as long as the browser does; a full or forbidden store is no failure. Whether it is kept. */
export function keep(key, value) {
  try {
    localStorage.setItem(`outwit:${key}`, JSON.stringify(value));
    return true;
  } catch {
    // The page works without.
    return false;
  }
}

/** Drops what `keep` has kept. */
export function forget(key) {
  try {
    localStorage.removeItem(`outwit:${key}`);
  } catch {
    // It was not kept.
  }
}

/** Lets the keyboard scroll an element sideways where its content is wider than it. */
export function scrollable(element) {
  const look = () => (element.scrollWidth > element.clientWidth + 1 ? (element.tabIndex = 0) : element.removeAttribute("tabindex"));
  // With the next frame: to measure at once would lay the page out twice.
  const wish = () => requestAnimationFrame(look);
  new ResizeObserver(wish).observe(element);
  new MutationObserver(wish).observe(element, { childList: true });
}

/** A short name of a text: the same for the same text. */
export function hash(text) {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0;
  return (value >>> 0).toString(36);
}

/** Whether the user wants little motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
