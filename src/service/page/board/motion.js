// Things that move: from one picture of the board to the next, each thing that has left a cell and come to one
// nearby is seen on its way.

/** Time of a move, in milliseconds. */
const LASTS = 110;
/** Greatest distance of a move that is shown, in cells. */
const REACH = 2;
/** Number of things that move at once above which none is shown on its way. */
const MANY = 400;

/** A thing stays itself where it is on its goal. */
const kind = ({ role }) => (role === "Settled" ? "Thing" : role);

export class Motion {
  constructor() {
    this.left = [];
    this.came = [];
    /** Where each thing that is on its way comes from, and since when, by the thing. */
    this.ways = new Map();
  }

  /** Of the change that is drawn next: a thing left a cell. */
  leave(thing) {
    this.left.push(thing);
  }

  /** Of the change that is drawn next: a thing came to a cell. */
  come(thing) {
    this.came.push(thing);
  }

  /** The change is whole: finds out which thing has gone where. */
  begin(now) {
    const { left, came } = this;
    this.left = [];
    this.came = [];
    if (left.length > MANY || came.length > MANY) return;
    for (const thing of came) {
      const distance = (other) => Math.max(Math.abs(other.row - thing.row), Math.abs(other.col - thing.col));
      const near = left.filter((other) => kind(other) === kind(thing) && distance(other) <= REACH && distance(other) > 0);
      if (near.length === 0) continue;
      const from = near.reduce((best, other) => (distance(other) < distance(best) ? other : best));
      left.splice(left.indexOf(from), 1);
      this.ways.set(thing, { row: from.row, col: from.col, since: now });
    }
  }

  /** Where a thing is seen now: its own cell, or a place on the way there. */
  place(thing, now) {
    const way = this.ways.get(thing);
    if (!way) return thing;
    const part = Math.min((now - way.since) / LASTS, 1);
    if (part >= 1) this.ways.delete(thing);
    const eased = part * (2 - part);
    return { row: way.row + (thing.row - way.row) * eased, col: way.col + (thing.col - way.col) * eased };
  }

  /** Whether something is on its way. */
  get goesOn() {
    return this.ways.size > 0;
  }

  forget() {
    this.left = [];
    this.came = [];
    this.ways.clear();
  }
}
