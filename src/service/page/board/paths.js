// Ways over a board for walking by click. They only suggest steps: each is played by the server's
// rules, which may refuse it.

const DIRECTIONS = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
  7: [-1, -1],
  9: [-1, 1],
  1: [1, -1],
  3: [1, 1],
};

/** Cost of a cell on which a hunter hears a step: a detour is better. */
const HEARD_COST = 4;
/** Cost of a cell that a hunter reaches. */
const DANGER_COST = 60;
const TURN_COST = 0.001;
/** Windows with more cells than this are not searched for a way. */
const MOST_CELLS = 1_000_000;

/** The keys of a game that walk: `{step, row, col}`, straight ones first. */
export function walks(game) {
  const found = new Map();
  for (const { key, step } of game.setup.keys) {
    const way = DIRECTIONS[key];
    if (way && !found.has(String(way))) found.set(String(way), { step, row: way[0], col: way[1] });
  }
  return [...found.values()];
}

/**
 * The steps to a cell of a board that is known cell by cell, `[{step, cell}]`; null where there is
 * no way. A neighbouring cell is always tried: what stands there may be pushed.
 */
export function walkTo(game, target) {
  const ways = walks(game);
  const [row, col] = game.player;
  const near = ways.find((way) => row + way.row === target[0] && col + way.col === target[1]);
  if (near) return [{ step: near.step, cell: target }];
  const { window } = game.cells;
  if (!game.cells.holds(...target) || !passable(game, ...target)) return null;
  const { cols } = window;
  const size = window.rows * cols;
  if (size > MOST_CELLS) return null;
  const index = (r, c) => (r - window.row) * cols + (c - window.col);
  const extra = surcharges(game, index, size);
  const best = new Float64Array(size).fill(Infinity);
  const from = new Int32Array(size).fill(-1);
  const by = new Int8Array(size);
  const start = index(row, col);
  const end = index(...target);
  const buckets = [[start]];
  best[start] = 0;
  // Costs are small whole numbers, so one bucket a cost keeps cells in order.
  for (let cost = 0; cost < buckets.length; cost++) {
    for (const at of buckets[cost] ?? []) {
      if (best[at] !== cost) continue;
      if (at === end) return trace(ways, from, by, at, start, cols, window);
      const r = window.row + Math.floor(at / cols);
      const c = window.col + (at % cols);
      ways.forEach((way, w) => {
        const nr = r + way.row;
        const nc = c + way.col;
        if (!game.cells.holds(nr, nc) || !passable(game, nr, nc)) return;
        const next = index(nr, nc);
        const sum = cost + 1 + extra[next];
        if (sum >= best[next]) return;
        best[next] = sum;
        from[next] = at;
        by[next] = w;
        (buckets[sum] ??= []).push(next);
      });
    }
    buckets[cost] = undefined;
  }
  return null;
}

function passable(game, row, col) {
  const role = game.role(row, col);
  return role === "Floor" || role === "Goal" || role === "Player";
}

function surcharges(game, index, size) {
  const extra = new Uint8Array(size);
  for (const [kind, cost] of [["hearing", HEARD_COST], ["danger", DANGER_COST]]) {
    for (const [row, col, length] of game.marks.get(kind)?.values() ?? []) {
      const at = index(row, col);
      for (let i = 0; i < length; i++) extra[at + i] = Math.max(extra[at + i], cost);
    }
  }
  return extra;
}

function trace(ways, from, by, end, start, cols, window) {
  const steps = [];
  for (let at = end; at !== start; at = from[at]) {
    steps.push({ step: ways[by[at]].step, cell: [window.row + Math.floor(at / cols), window.col + (at % cols)] });
  }
  return steps.reverse();
}

/** Whether a kind of mark is on a cell. */
export function marked(game, kind, row, col) {
  for (const [r, c, length] of game.marks.get(kind)?.values() ?? []) {
    if (r === row && col >= c && col < c + length) return true;
  }
  return false;
}

/**
 * The shortest way around walls that are rectangles, as corners from `start` to `target`; null
 * where there is none. It lies on the lines beside the walls, so only their crossings are looked
 * at, whatever the size of the board.
 */
export function around(extent, walls, start, target) {
  const rows = linesOf(extent.row, extent.rows, [start[0], target[0]], walls, "row", "rows");
  const cols = linesOf(extent.col, extent.cols, [start[1], target[1]], walls, "col", "cols");
  const width = cols.length;
  if (rows.length * width > 4 * MOST_CELLS) return null;
  const [right, down] = blocked(rows, cols, walls);
  const at = (cell) => rows.indexOf(cell[0]) * width + cols.indexOf(cell[1]);
  const [from, end] = [at(start), at(target)];
  const best = new Float64Array(rows.length * width).fill(Infinity);
  const parent = new Int32Array(rows.length * width).fill(-1);
  const headings = new Int8Array(rows.length * width).fill(-1);
  const heap = new Heap();
  const rest = (node) => Math.abs(rows[Math.floor(node / width)] - target[0]) + Math.abs(cols[node % width] - target[1]);
  best[from] = 0;
  heap.push(rest(from), from);
  while (heap.size > 0) {
    const node = heap.pop();
    if (node === end) break;
    const i = Math.floor(node / width);
    const j = node % width;
    const go = (next, length, free, heading) => {
      if (!free) return;
      // A turn costs a little, so that of equal ways the plainer one is taken.
      const turned = headings[node] >= 0 && headings[node] !== heading;
      const sum = best[node] + length + (turned ? TURN_COST : 0);
      if (sum >= best[next]) return;
      best[next] = sum;
      parent[next] = node;
      headings[next] = heading;
      heap.push(sum + rest(next), next);
    };
    if (j + 1 < width) go(node + 1, cols[j + 1] - cols[j], !right[node], 0);
    if (j > 0) go(node - 1, cols[j] - cols[j - 1], !right[node - 1], 1);
    if (i + 1 < rows.length) go(node + width, rows[i + 1] - rows[i], !down[node], 2);
    if (i > 0) go(node - width, rows[i] - rows[i - 1], !down[node - width], 3);
  }
  if (best[end] === Infinity) return null;
  const way = [];
  for (let node = end; node !== -1; node = parent[node]) way.push([rows[Math.floor(node / width)], cols[node % width]]);
  return way.reverse();
}

function linesOf(from, length, own, walls, at, side) {
  const lines = new Set(own);
  for (const wall of walls) lines.add(wall[at] - 1).add(wall[at] + wall[side]);
  return [...lines].filter((line) => line >= from && line < from + length).sort((a, b) => a - b);
}

/** Which steps to the next line, rightward and downward, run into a wall. */
function blocked(rows, cols, walls) {
  const width = cols.length;
  const right = new Uint8Array(rows.length * width);
  const down = new Uint8Array(rows.length * width);
  for (const wall of walls) {
    const [top, bottom] = [wall.row, wall.row + wall.rows - 1];
    const [left, end] = [wall.col, wall.col + wall.cols - 1];
    // Steps from a line to the next cover everything between, both ends included.
    const firstRow = Math.max(0, lowerBound(rows, top) - 1);
    const firstCol = Math.max(0, lowerBound(cols, left) - 1);
    for (let i = firstRow; i < rows.length && rows[i] <= bottom; i++) {
      const reachesDown = (rows[i + 1] ?? -Infinity) >= top;
      for (let j = firstCol; j < width && cols[j] <= end; j++) {
        if (rows[i] >= top && (cols[j + 1] ?? -Infinity) >= left) right[i * width + j] = 1;
        if (cols[j] >= left && reachesDown) down[i * width + j] = 1;
      }
    }
  }
  return [right, down];
}

function lowerBound(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A heap of numbers by key, the least first. */
class Heap {
  keys = [];
  values = [];

  get size() {
    return this.keys.length;
  }

  push(key, value) {
    const { keys, values } = this;
    let i = keys.length;
    keys.push(key);
    values.push(value);
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (keys[up] <= key) break;
      keys[i] = keys[up];
      values[i] = values[up];
      i = up;
    }
    keys[i] = key;
    values[i] = value;
  }

  pop() {
    const { keys, values } = this;
    const top = values[0];
    const key = keys.pop();
    const value = values.pop();
    const { length } = keys;
    if (length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (child + 1 < length && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[i] = keys[child];
      values[i] = values[child];
      i = child;
    }
    keys[i] = key;
    values[i] = value;
    return top;
  }
}
