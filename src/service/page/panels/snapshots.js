// Snapshots: places of a game to which the player comes back, kept for this tab.

import { $, counted, make, recall, remember, say } from "../dom.js";

/** Number of snapshots of an area; the oldest makes room. */
const MOST = 8;
const keyOf = (area) => `snapshots:${area.key}`;

export class Snapshots {
  constructor(panel) {
    this.panel = panel;
    $("#snapshot").onclick = () => this.take();
  }

  get all() {
    return recall(keyOf(this.panel.desk.area)) ?? [];
  }

  set all(list) {
    remember(keyOf(this.panel.desk.area), list.length > 0 ? list : null);
    this.lay();
  }

  /** Takes a snapshot of the game as it stands. */
  take() {
    const { game } = this.panel;
    if (!game?.setup) return;
    const steps = [...game.steps];
    const others = this.all.filter((one) => one.join("\n") !== steps.join("\n"));
    this.all = [...others, steps].slice(-MOST);
    say(`Snapshot after ${counted(steps.length, "step")}`, "good");
  }

  /** A button for each snapshot. */
  lay() {
    const go = (steps) => this.panel.doing(() => this.panel.game.goTo(steps));
    const chip = (steps) => make("button", { type: "button", class: "button small", title: `Back to the snapshot after ${counted(steps.length, "step")}`, onclick: () => go(steps) }, `⚑ ${steps.length}`);
    $("#snapshots").replaceChildren(...this.all.map(chip));
  }
}
