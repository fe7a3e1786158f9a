// Floor outside the walls: no way leads there from anything on the board, and one leads to its edge.

const FLOOR = 0;
const WALL = 1;
const THING = 2;

/**
 * The cells of a game's board that are outside, as runs `[row, col, length]`. Where something is at the edge, or open
 * to it, nothing is outside.
 */
export function outside(game) {
  const { cells, extent } = game;
  const { rows, cols } = extent;
  if (rows !== cells.window.rows || cols !== cells.window.cols) return [];
  const kinds = kindsOf(game);
  const reached = new Uint8Array(rows * cols);
  const open = [];
  const reach = (place) => {
    if (reached[place]) return;
    reached[place] = 1;
    open.push(place);
  };
  for (let row = 0; row < rows; row++) {
    const step = row === 0 || row === rows - 1 ? 1 : Math.max(cols - 1, 1);
    for (let col = 0; col < cols; col += step) if (kinds[row * cols + col] === FLOOR) reach(row * cols + col);
  }
  while (open.length > 0) {
    const place = open.pop();
    const [row, col] = [Math.floor(place / cols), place % cols];
    for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r++) {
      for (let c = Math.max(col - 1, 0); c <= Math.min(col + 1, cols - 1); c++) {
        const kind = kinds[r * cols + c];
        if (kind === THING) return [];
        if (kind === FLOOR && (r === row || c === col)) reach(r * cols + c);
      }
    }
  }
  return runs(reached, extent);
}

/** What is on each cell: floor, a wall or a thing. */
function kindsOf(game) {
  const { codes } = game.cells;
  const known = new Map();
  const kindOf = (code) => {
    const role = game.roleOf(String.fromCharCode(code));
    return role === "Floor" ? FLOOR : role === "Wall" ? WALL : THING;
  };
  return codes.map((code) => {
    if (!known.has(code)) known.set(code, kindOf(code));
    return known.get(code);
  });
}

function runs(reached, { row, col, rows, cols }) {
  const found = [];
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < cols; c++) {
      if (!reached[r * cols + c]) continue;
      const from = c;
      while (c < cols && reached[r * cols + c]) c++;
      found.push([row + r, col + from, c - from]);
    }
  }
  return found;
}
