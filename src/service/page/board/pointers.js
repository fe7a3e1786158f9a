// What the pointer does on the board: clicks, long touches, drags, pinches, swipes, the wheel.

/** Distance below which a pointer that has moved has clicked, in pixels. */
const CLICK_SLACK = 7;
/** Time after which a touch that rests is a second kind of click, in milliseconds. */
const LONG_PRESS = 550;
/** Pixels that a line of a wheel counts. */
const LINE = 18;

export class Pointers {
  /** Listens to what happens on a board's canvas. */
  constructor(board) {
    this.board = board;
    /** Where each pointer that is down was last. */
    this.down = new Map();
    this.dragged = 0;
    this.press = null;
    this.swipe = null;
    /** The cell that was painted last, of a stroke that goes on. */
    this.painted = null;
    const { canvas } = board;
    const up = (event) => this.release(event);
    canvas.addEventListener("pointerdown", (event) => this.touch(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => this.tell("hover", null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  at(event) {
    const box = this.board.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  tell(name, detail) {
    this.board.dispatchEvent(new CustomEvent(name, { detail }));
  }

  click(point, second) {
    const { board } = this;
    if (board.game?.cells) this.tell("cell", { ...board.cellAt(point.x, point.y), second });
  }

  touch(event) {
    const { board, down } = this;
    const point = this.at(event);
    board.canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, point);
    this.dragged = down.size > 1 ? Infinity : 0;
    clearTimeout(this.press);
    this.swipe = null;
    if (board.painting && this.beginStroke(event, point)) return;
    if (event.pointerType !== "touch" || down.size !== 1) return;
    if (board.isFit()) this.swipe = point;
    this.press = setTimeout(() => {
      if (this.dragged >= CLICK_SLACK) return;
      this.dragged = Infinity;
      this.click(point, true);
    }, LONG_PRESS);
  }

  /** One finger or button paints; with a second finger the board is moved. Whether it paints. */
  beginStroke(event, point) {
    if (this.down.size > 1) {
      this.endStroke(true);
      return false;
    }
    if (event.button === 1) return false;
    const cell = this.board.cellAt(point.x, point.y);
    this.painted = cell;
    this.tell("stroke", { ...cell, begins: true, second: event.button === 2 || event.shiftKey });
    return true;
  }

  /** Paints all cells on the way of the pointer. */
  goOnStroke(point) {
    const { row, col } = this.board.cellAt(point.x, point.y);
    const from = this.painted;
    const steps = Math.max(Math.abs(row - from.row), Math.abs(col - from.col));
    for (let i = 1; i <= steps; i++) {
      const between = (a, b) => Math.round(a + ((b - a) * i) / steps);
      this.tell("stroke", { row: between(from.row, row), col: between(from.col, col) });
    }
    this.painted = { row, col };
  }

  endStroke(cancelled) {
    if (!this.painted) return false;
    this.painted = null;
    this.tell("stroke", { ends: true, cancelled });
    return true;
  }

  move(event) {
    const { board, down } = this;
    const point = this.at(event);
    const last = down.get(event.pointerId);
    if (last && this.painted) {
      down.set(event.pointerId, point);
      return this.goOnStroke(point);
    }
    if (!last) {
      if (event.pointerType !== "touch") this.tell("hover", board.cellAt(point.x, point.y));
      return;
    }
    if (down.size === 2) board.pinch(down, event.pointerId, point);
    else if (down.size === 1) {
      this.dragged += Math.hypot(point.x - last.x, point.y - last.y);
      if (this.dragged >= CLICK_SLACK && !this.swipe) {
        board.canvas.classList.add("grabbing");
        board.pan(point.x - last.x, point.y - last.y);
      }
    }
    down.set(event.pointerId, point);
  }

  release(event) {
    const { board, down, dragged, swipe } = this;
    clearTimeout(this.press);
    const known = down.delete(event.pointerId);
    if (down.size === 0) board.canvas.classList.remove("grabbing");
    if (this.endStroke(event.type !== "pointerup") || board.painting) return;
    if (!known || event.type !== "pointerup") return;
    if (swipe && dragged < Infinity && dragged >= CLICK_SLACK) return board.swiped(swipe, this.at(event));
    if (dragged < CLICK_SLACK) this.click(this.at(event), event.button === 2 || event.shiftKey);
  }

  wheel(event) {
    event.preventDefault();
    const { board } = this;
    const point = this.at(event);
    const unit = event.deltaMode === 1 ? LINE : 1;
    if (event.shiftKey) return board.pan(-(event.deltaX + event.deltaY) * unit, 0);
    const turned = Math.min(Math.max(event.deltaY * unit, -240), 240);
    board.zoom(Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.002)), point.x, point.y);
  }
}
