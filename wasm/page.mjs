// Puts the page into one HTML file: `node page.mjs LIBRARY PARTS OUT`. LIBRARY is the folder with
// `outwit.wasm` and `worker.mjs`, PARTS the one with `app.js`, `worker.js` and `style.css`.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [library, parts, out] = process.argv.slice(2);
/** The side of a small picture, in pixels. */
const SIDE = 88;
/** The file has at most so many bytes. */
const MOST = 4 << 20;
/** What the file may do: nothing but run what it carries. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; " +
  "img-src data: blob:; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'";

const text = (...path) => readFileSync(join(...path), "utf8");
const packed = (content) => gzipSync(content, { level: 9 }).toString("base64");
const { load } = await import(pathToFileURL(join(library, "worker.mjs")));
const module = readFileSync(join(library, "outwit.wasm"));
const outwit = await load(module);

/** What is proven of areas, by id: the rows of the index of solutions. */
function proven() {
  const bounds = new Map();
  let game = "";
  let columns = [];
  for (const line of text("solutions", "INDEX.md").split("\n")) {
    const cells = line.replace(/^\| | \|$/g, "").split(" | ");
    if (line.startsWith("## ")) game = line.slice(3);
    else if (cells[0] === "area") columns = cells;
    const name = /^\[.*\]\(<.*\/(.*)\.plan>\)$/.exec(cells[0])?.[1];
    if (name) bounds.set(`${game}/${name}`, { length: Number(cells[columns.indexOf("length")]), bound: Number(cells[columns.indexOf("bound")]) || 0 });
  }
  return bounds;
}

/** What the page tells of an area, with its text, its best plan and a small picture. */
function area(game, file, bounds) {
  const name = parse(file).name;
  const id = `${game}/${name}`;
  const source = { text: text("areas", game, file), game };
  const { title, facts, picture } = outwit.call({ do: "describe", area: source, side: SIDE });
  const listed = { id, game, name, title, facts, bytes: Buffer.byteLength(source.text), best: null, text: source.text, plan: null };
  listed.picture = Buffer.from(picture).toString("base64");
  const path = join("solutions", game, `${name}.plan`);
  if (!existsSync(path)) return listed;
  listed.plan = text(path);
  const known = bounds.get(id);
  const judge = (bound) => outwit.call({ do: "verify", area: source, plan: listed.plan, bound });
  let told = judge(known?.bound ?? 0);
  if (!told.valid) throw new Error(`${path}: ${told.reason}`);
  // A bound counts in the measure of the plan that is there.
  if (known?.length !== told.length) told = judge(0);
  listed.best = { ...told.standing, facts: told.facts, found_ms: null, found_by: null };
  return listed;
}

const games = outwit.call({ do: "games" });
const bounds = proven();
const areas = games.flatMap(({ name }) => readdirSync(join("areas", name)).sort().map((file) => area(name, file, bounds)));

const cargo = (id, content) => `<script type="text/plain" id="cargo-${id}">${packed(content)}</script>\n`;
// A script ends where its end tag is, whatever language it is in.
const script = text(parts, "app.js").replaceAll("</script", "<\\/script");
const page = text("src", "service", "page", "index.html")
  .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${text(parts, "style.css")}</style>`)
  .replace(/<script src="app.js"[^>]*><\/script>\n/, () => `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`)
  .replace("</body>", () => `${cargo("areas", JSON.stringify({ games, areas }))}${cargo("library", module)}${cargo("worker", text(parts, "worker.js"))}<script type="module">${script}</script>\n</body>`);
for (const left of ['src="app.js"', 'href="style.css"']) if (page.includes(left)) throw new Error(`the page still loads ${left}`);
if (Buffer.byteLength(page) > MOST) throw new Error(`the page has ${Buffer.byteLength(page)} bytes, and ${MOST} are its most`);
writeFileSync(out, page);
console.log(`${out}: ${Buffer.byteLength(page)} bytes, ${areas.length} areas`);
