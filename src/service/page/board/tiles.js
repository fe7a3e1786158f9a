// How the letters of a board look: the palette for light and dark, and a shape for each role, so
// that nothing is told by colour alone. The colours keep their distance for all kinds of sight.

/** Colours of the board by theme. */
export const PALETTES = {
  light: {
    backdrop: "#e4dfd3",
    floor: "#fbf9f4",
    grid: "rgba(40, 50, 60, 0.08)",
    wall: "#44525d",
    Player: "#0a5cc2",
    Goal: "#0b7a57",
    Thing: "#c98a1b",
    Settled: "#0b7a57",
    Walker: "#7a5c00",
    Hunter: "#c2420c",
    Shooter: "#86349a",
    Trap: "#5c4a12",
    Blast: "#e0661c",
    Unknown: "#9a948a",
    onShape: "#ffffff",
    hearing: "rgba(222, 150, 40, 0.20)",
    danger: "rgba(194, 66, 12, 0.30)",
    dangerLine: "rgba(150, 40, 0, 0.55)",
    throw: "rgba(10, 92, 194, 0.13)",
    throwDot: "rgba(10, 92, 194, 0.55)",
    other: "rgba(90, 90, 90, 0.16)",
    target: "#a83408",
    dead: "rgba(70, 70, 70, 0.10)",
    deadDot: "rgba(90, 80, 70, 0.55)",
    stuck: "rgba(179, 38, 30, 0.28)",
    wrong: "rgba(179, 38, 30, 0.28)",
    trail: "#2f74c9",
    trailAhead: "#6c87a8",
    push: "#8a5a00",
    fog: "#cfc8ba",
    cursor: "#1d2730",
    refused: "#b3261e",
  },
  dark: {
    backdrop: "#0b0f12",
    floor: "#1a2329",
    grid: "rgba(220, 230, 235, 0.07)",
    wall: "#4b5a65",
    Player: "#62aefc",
    Goal: "#4ccf9f",
    Thing: "#e6b455",
    Settled: "#4ccf9f",
    Walker: "#e2cb5a",
    Hunter: "#ff8b50",
    Shooter: "#d793e6",
    Trap: "#d8c27a",
    Blast: "#ffa24d",
    Unknown: "#707b82",
    onShape: "#0d1418",
    hearing: "rgba(230, 170, 80, 0.17)",
    danger: "rgba(255, 120, 60, 0.26)",
    dangerLine: "rgba(255, 150, 100, 0.55)",
    throw: "rgba(98, 174, 252, 0.13)",
    throwDot: "rgba(98, 174, 252, 0.65)",
    other: "rgba(200, 200, 200, 0.14)",
    target: "#ffb08a",
    dead: "rgba(220, 220, 220, 0.09)",
    deadDot: "rgba(200, 205, 210, 0.50)",
    stuck: "rgba(255, 143, 135, 0.30)",
    wrong: "rgba(255, 143, 135, 0.30)",
    trail: "#62aefc",
    trailAhead: "#6488ab",
    push: "#e6b455",
    fog: "#05080a",
    cursor: "#f2f4f2",
    refused: "#ff8f87",
  },
};

/** What is drawn as a plain cell. */
export const isGround = (role) => role === "Floor" || role === "Wall" || role === undefined;

/** Letters that point somewhere. */
const TURNED = { "^": 0, ">": 90, v: 180, "<": 270 };

const SHAPES = {
  Player(c) {
    c.disc(0.4);
  },
  Goal(c) {
    c.ring(0.36, 0.11);
    c.disc(0.13);
  },
  Thing(c) {
    c.box(0.37);
    c.carve(() => c.frame(0.24, 0.06));
  },
  Settled(c) {
    c.box(0.37);
    c.carve(() => c.tick());
  },
  Walker(c, letter) {
    c.arrow(TURNED[letter] ?? 0);
  },
  Hunter(c) {
    c.diamond(0.45);
  },
  Shooter(c) {
    c.cross(0.4, 0.17);
  },
  Trap(c) {
    c.polygon(8, 0.4);
  },
  Blast(c) {
    c.star(8, 0.46, 0.24);
  },
  Unknown(c) {
    c.ring(0.3, 0.08);
  },
};

/** Letters that would say what the shape says already. */
const SPEAKING = { Thing: true, Settled: true, Goal: true, Walker: true, Blast: true, Shooter: true };

/** A pen in a square of side 1 around the middle. */
class Pen {
  constructor(context, size, colour, on) {
    Object.assign(this, { context, size, colour, on });
    context.translate(size / 2, size / 2);
    context.scale(size, size);
    context.fillStyle = colour;
    context.lineJoin = "round";
    context.lineCap = "round";
  }

  carve(what) {
    const { context } = this;
    context.save();
    context.fillStyle = context.strokeStyle = this.on;
    what();
    context.restore();
  }

  path(points) {
    const { context } = this;
    context.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
    context.fill();
  }

  disc(radius) {
    const { context } = this;
    context.beginPath();
    context.arc(0, 0, radius, 0, Math.PI * 2);
    context.fill();
  }

  ring(radius, width) {
    const { context } = this;
    context.beginPath();
    context.arc(0, 0, radius, 0, Math.PI * 2);
    context.lineWidth = width;
    context.strokeStyle = this.colour;
    context.stroke();
  }

  box(half) {
    const { context } = this;
    context.beginPath();
    context.roundRect(-half, -half, half * 2, half * 2, 0.08);
    context.fill();
  }

  frame(half, width) {
    const { context } = this;
    context.lineWidth = width;
    context.strokeRect(-half, -half, half * 2, half * 2);
    context.beginPath();
    context.moveTo(-half, half);
    context.lineTo(half, -half);
    context.stroke();
  }

  tick() {
    const { context } = this;
    context.lineWidth = 0.11;
    context.beginPath();
    context.moveTo(-0.19, 0.02);
    context.lineTo(-0.05, 0.16);
    context.lineTo(0.2, -0.15);
    context.stroke();
  }

  arrow(degrees) {
    const { context } = this;
    context.rotate((degrees * Math.PI) / 180);
    this.path([[0, -0.42], [0.38, 0.32], [0, 0.16], [-0.38, 0.32]]);
  }

  diamond(half) {
    this.path([[0, -half], [half, 0], [0, half], [-half, 0]]);
  }

  cross(half, width) {
    const { context } = this;
    context.lineWidth = width;
    context.strokeStyle = this.colour;
    context.beginPath();
    const h = half * 0.78;
    context.moveTo(-h, -h);
    context.lineTo(h, h);
    context.moveTo(h, -h);
    context.lineTo(-h, h);
    context.stroke();
  }

  polygon(corners, radius) {
    const turn = Math.PI / corners;
    const at = (i) => [Math.sin(2 * i * turn + turn) * radius, Math.cos(2 * i * turn + turn) * radius];
    this.path(Array.from({ length: corners }, (_, i) => at(i)));
  }

  star(points, outer, inner) {
    const at = (i) => {
      const radius = i % 2 === 0 ? outer : inner;
      const angle = (i * Math.PI) / points;
      return [Math.sin(angle) * radius, Math.cos(angle) * radius];
    };
    this.path(Array.from({ length: points * 2 }, (_, i) => at(i)));
  }

  /** A letter in the middle, in pixels: fonts of less than one are not measured well. */
  letter(text) {
    const { context, size } = this;
    context.resetTransform();
    context.fillStyle = this.on;
    context.font = `700 ${Math.round(size * 0.46)}px ui-monospace, "DejaVu Sans Mono", Consolas, monospace`;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const measure = context.measureText(text);
    const middle = (measure.actualBoundingBoxAscent - measure.actualBoundingBoxDescent) / 2;
    context.fillText(text, size / 2, size / 2 + middle);
  }
}

/** A tile is drawn once for each letter and size, then copied. */
export class Tiles {
  constructor() {
    this.drawn = new Map();
    this.theme = "";
  }

  /** The picture of a letter, `size` device pixels wide. */
  get(theme, role, letter, size) {
    if (theme !== this.theme || this.drawn.size > 400) {
      this.drawn.clear();
      this.theme = theme;
    }
    const key = `${role}${letter}${size}`;
    let tile = this.drawn.get(key);
    if (!tile) this.drawn.set(key, (tile = picture(PALETTES[theme], role, letter, size)));
    return tile;
  }
}

function picture(palette, role, letter, size) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  const pen = new Pen(context, size, palette[role] ?? palette.Unknown, palette.onShape);
  (SHAPES[role] ?? SHAPES.Unknown)(pen, letter);
  // What is drawn into 18 pixels or less cannot be read.
  if (size >= 18 && !SPEAKING[role] && letter.trim() !== "") pen.letter(letter);
  return canvas;
}
