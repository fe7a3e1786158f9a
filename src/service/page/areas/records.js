// Who has found the best plans, and when: in words, and the latest of them as a list.

import { $, make } from "../dom.js";
import { gameTitle, lengthText } from "../games.js";

/** Upper limit of the records that are listed. */
const LISTED = 60;

const day = (ms) => new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** When a best plan was found, and by whom, as far as it is known. */
export function finderText({ found_by: by, found_ms: ms }) {
  if (ms == null) return "";
  return `${by ? `by ${by}, ` : ""}${day(ms)}`;
}

/** Lists the best plans that were found last. */
export function showRecords(desk) {
  const found = desk.areas.areas.filter(({ best }) => best?.found_ms != null).sort((a, b) => b.best.found_ms - a.best.found_ms);
  const item = (area) => {
    const open = async () => {
      $("#records").close();
      await desk.pick({ id: area.id });
      desk.choose("watch");
    };
    const { best } = area;
    const proven = best.optimal ? " ✓" : "";
    return make(
      "tr",
      {},
      make("td", {}, make("button", { type: "button", class: "link", onclick: open }, area.name), make("small", {}, gameTitle(area.game))),
      make("td", {}, `${lengthText(area.game, best.length, best.facts)}${proven}`),
      make("td", {}, best.found_by ?? "–"),
      make("td", {}, day(best.found_ms)),
    );
  };
  $("#records-list").replaceChildren(...found.slice(0, LISTED).map(item));
  $("#records-none").hidden = found.length > 0;
  $("#records table").hidden = found.length === 0;
  $("#records").showModal();
}
