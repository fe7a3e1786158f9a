// Warnings that a game is lost though it goes on. The board's marks say it at once where they can; elsewhere the
// position is solved in the background when the player rests.

import { judge } from "../judge/judge.js";

/** Time without a step after which a position is solved, in milliseconds. */
const REST = 400;
/** Time of that search, in seconds. */
const SECONDS = 1.5;

export class Warning {
  /** `warn` is called where a search finds that a game is lost. */
  constructor(warn) {
    this.warn = warn;
  }

  /** A game has changed. */
  follow(game, area) {
    this.stop();
    game.doomed = null;
    if (game.status !== "playing" || game.steps.length === 0) return;
    const stuck = game.marks.get("stuck")?.size ?? 0;
    if (stuck > 0) {
      game.doomed = game.setup.legend.marks.find(({ kind }) => kind === "stuck")?.about ?? "something is stuck";
      return;
    }
    if (judge.probers.play && !game.setup.walls) this.timer = setTimeout(() => this.solve(game, area).catch(() => {}), REST);
  }

  stop() {
    clearTimeout(this.timer);
    judge.probers.play?.stop();
  }

  async solve(game, area) {
    const { position } = game;
    const [meant, begun] = await Promise.all([judge.meant(area), game.plan()]);
    if (game.position !== position) return;
    const result = await judge.probers.play?.ask({ area: meant, begun, seconds: SECONDS });
    if (result?.verdict !== "impossible" || game.position !== position) return;
    game.doomed = "no way leads to the end any more";
    this.warn(game);
  }
}
