// The rules of the games as players need them: what to do, how a turn goes.
// Nothing here decides anything: the judge does.

import { $, counted, factOf, gameTitle, grouped, make } from "./dom.js";
import { Tiles, isGround } from "./board/tiles.js";

/** The size of a sign's tile, in pixels. */
const TILE = 28;

/** What a plan's length counts. */
const UNITS = { "last-of-us": "action", sokoban: "push", robots: "move", labyrinth: "oxygen", monsters: "turn" };

/** Of each game: what is asked for, and the rules. What the signs mean comes with a game. */
export const GAMES = {
  "last-of-us": {
    goal: "Reach the exit unheard",
    rules: [
      "Each turn Ellie does one thing: she walks a cell in any of eight directions, stays where she is, or throws a brick up to 7 cells far. Then every clicker has its turn.",
      "Everything makes a sound: a step where it ends, a brick where it lands. Staying is a sound, too.",
      "A clicker within 2 cells of a sound goes there, cell by cell on a shortest way around the walls, until it has arrived or hears something new. Walls do not stop sounds.",
      "A clicker that stands beside Ellie at its turn catches her. The game is lost.",
      "Bricks go over walls, and each is thrown once. One that lands where nobody hears it lets a turn pass in silence.",
      "A step onto the exit wins at once, whoever stands beside it.",
    ],
  },
  sokoban: {
    goal: "Push every box onto a target",
    rules: [
      "Walk up, down, left and right. Walking against a box pushes it one cell on, if that cell is free.",
      "Boxes are pushed and never pulled, one at a time. A box in a corner stays there for ever.",
      "The game is won when every box stands on a target. Which box on which does not matter.",
      "Plans are compared by pushes, then by moves. In a plan a small letter is a move, a capital one a push.",
    ],
  },
  robots: {
    goal: "Make the robots crash into each other",
    rules: [
      "Walk a cell in any of eight directions, stay, or teleport to one of the places that are left: each serves once.",
      "After that all robots step at once, each straight or diagonally towards you.",
      "Robots that meet destroy each other and leave debris. A robot that walks into debris is destroyed.",
      "Walking against debris pushes it a cell on, over a robot as well, but not against other debris or off the board.",
      "A robot that reaches you wins. You win when no robot is left.",
    ],
  },
  labyrinth: {
    goal: "Find the exit on little oxygen",
    rules: [
      "Walk north, east, south or west as far as you like. Each cell costs 10 oxygen. Walking into a wall is against the rules.",
      "Look around to see the 8 cells about you, or ahead to see a strip of 3 cells' width up to the next wall. Each cell that is shown costs 1.",
      "Dynamite blows up the 8 cells about you, walls as well, for 1000.",
      "Walking onto the exit wins. Plans are compared by oxygen.",
      "In the dark you see what you have looked at, as the player of the original game does.",
    ],
  },
  monsters: {
    goal: "Reach the border, and wait where need be",
    rules: [
      "Step up, down, left or right, or wait. Then the monsters act, row by row from the top. You win on the border, before they do.",
      "A sentinel goes ahead where it looks; where something is in its way it turns a quarter clockwise instead.",
      "A seeker that sees you along its row or column steps towards you.",
      "A shooter that sees you puts a seeker beside itself, on your side.",
      "A blob rests a turn, then steps towards you by the shortest way.",
      "A mine lights up when you are beside it and explodes a turn later: all 9 cells about it, walls as well. So the border can be opened.",
      "Whatever enters your cell ends the game.",
    ],
  },
};

export const goalOf = (game) => GAMES[game]?.goal ?? "Play";

const tiles = new Tiles();

/** A sign as the board draws it, with what it means. */
export function sign(theme, { letter, role, about }) {
  const canvas = make("canvas", { width: TILE, height: TILE, class: "tile", "aria-hidden": "true" });
  if (isGround(role)) canvas.classList.add(role.toLowerCase());
  else canvas.getContext("2d").drawImage(tiles.get(theme, role, letter, TILE), 0, 0);
  return make("li", {}, canvas, make("code", {}, letter), ` ${about}`);
}

/** What the marks on the board's cells mean. */
export const markSigns = ({ marks }) =>
  marks.map(({ kind, about }) => make("li", {}, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), ` ${about}`));

/** A length with what it counts: `19 pushes`, `1 turn`, `1040 oxygen`. */
export function measured(game, length) {
  const unit = UNITS[game] ?? "step";
  const plural = unit === "oxygen" ? unit : unit === "push" ? "pushes" : `${unit}s`;
  return `${grouped(length)} ${Number(length) === 1 ? unit : plural}`;
}

/** A plan's length with the other measure that people compare, where there is one. */
export function lengthText(game, length, facts = {}) {
  const moves = game === "sokoban" && factOf(facts, "moves");
  return `${measured(game, length)}${moves ? `, ${counted(moves, "move")}` : ""}`;
}

/** Shows the rules of a game that is being played. */
export function showRules({ setup }, theme) {
  const { game, legend } = setup;
  const { goal, rules } = GAMES[game];
  $("#rules-title").textContent = gameTitle(game);
  $("#rules-goal").textContent = `${goal}.`;
  $("#rules-list").replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  const signs = legend.signs.map((one) => sign(theme, one));
  $("#rules-signs").replaceChildren(...signs, ...markSigns(legend));
  $("#rules").showModal();
}
