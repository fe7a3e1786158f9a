// One file with all that this browser keeps of its owner: areas, drawings, collections, records, plans. Such a file
// is taken in beside what is here, and the better record counts.

import { kept } from "../dom.js";
import { judge } from "../judge/judge.js";
import { drafts, keepDraft, readDraft } from "../workshop/drafts.js";
import { collections, keepCollection, readCollection } from "./collections.js";
import { allDone, keepDone, lessOf } from "./done.js";
import { keepOwnAreas, ownAreas } from "./own.js";

const FORMAT = "outwit-shelf";
const VERSION = 1;

/** All of it as text. */
export function backup(areas) {
  const drawn = drafts().map(({ draft, picture }) => ({ id: draft, picture, ...readDraft(draft) }));
  const plans = areas.flatMap(({ id }) => {
    const plan = kept(`best:${id}`)?.plan;
    return plan ? [{ id, plan }] : [];
  });
  const all = { format: FORMAT, version: VERSION, areas: ownAreas(), won: allDone(), drawings: drawn, collections: collections().map(({ id }) => readCollection(id)).filter(Boolean), plans };
  return `${JSON.stringify(all, null, 1)}\n`;
}

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null;
const isEntry = (value) => Number.isFinite(value) || (isObject(value) && Number.isFinite(value.length) && isObject(value.others ?? {}));
const list = (value, holds) => (Array.isArray(value) ? value.filter((one) => isObject(one) && holds(one)) : []);
/** A picture is shown as it is: nothing but one. */
const pictureOf = ({ picture }) => (isText(picture) && picture.startsWith("data:image/png;base64,") ? picture : null);

/** Takes in the text of such a file; gives what has come in, in numbers, or throws why it is none. */
export async function restore(text, games) {
  let all;
  try {
    all = JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
  if (all?.format !== FORMAT) throw new Error("it was not saved by this page");
  if (!(all.version <= VERSION)) throw new Error("it was saved by a later version of this page");
  const isGame = ({ game }) => games.includes(game);
  const areas = list(all.areas, (one) => isGame(one) && isText(one.id) && isText(one.name) && isText(one.own?.text));
  const drawn = list(all.drawings, (one) => isGame(one) && isText(one.id) && list(one.drawing?.rows?.map((row) => ({ row })), ({ row }) => isText(row)).length > 0);
  const kept = list(all.collections, (one) => isGame(one) && isText(one.text) && isText(one.name));
  const won = Object.entries(all.won ?? {}).filter(([, entry]) => isEntry(entry));
  const here = new Set(ownAreas().map(({ id }) => id));
  const come = areas.filter(({ id }) => !here.has(id)).map((one) => ({ ...one, picture: pictureOf(one) }));
  const room = [
    keepOwnAreas([...ownAreas(), ...come]),
    ...drawn.map((one) => readDraft(one.id) !== null || keepDraft(one.id, { game: one.game, drawing: one.drawing, picture: pictureOf(one) })),
    ...kept.map((one) => keepCollection({ ...one, picture: pictureOf(one) })),
    keepDone(won.reduce((done, [id, entry]) => ({ ...done, [id]: lessOf(done[id], entry) }), allDone())),
  ];
  const plans = await submitted(list(all.plans, (one) => isText(one.id) && isText(one.plan)));
  return { areas: areas.length, drawings: drawn.length, collections: kept.length, won: won.length, plans, whole: room.every(Boolean) };
}

/** Plans count where they hold, and where the page keeps plans by itself. */
async function submitted(plans) {
  if (judge.remote) return 0;
  let held = 0;
  for (const { id, plan } of plans) {
    const told = await judge.submit({ area: { id }, plan }).catch(() => null);
    if (told?.valid) held++;
  }
  return held;
}
