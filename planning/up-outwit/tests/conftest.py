"""Problems for the tests: boards as text, made into problems of unified-planning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unified_planning.environment import get_environment
from unified_planning.io import PDDLReader
from unified_planning.model import FNode, Object, Problem
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength
from unified_planning.shortcuts import And, Not

PDDL = Path(__file__).parent / "pddl"
STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}

get_environment().credits_stream = None
READER = PDDLReader()
"""The one reader: to make one takes longer than to read a problem."""
_DOMAIN = READER.parse_problem(str(PDDL / "competition.pddl"))
_ATOMIC = READER.parse_problem(str(PDDL / "one-push.pddl"))


def cells_of(board: str) -> dict[str, str]:
    """The cells of a board that are no walls, by name, and their signs."""
    return {
        f"pos-{col}-{row}": sign
        for row, line in enumerate(board.splitlines())
        for col, sign in enumerate(line)
        if sign != "#"
    }


def links_of(cells: dict[str, str]) -> list[tuple[str, str, str]]:
    """Cell, neighbour and direction."""
    found = []
    for cell in cells:
        col, row = map(int, cell.split("-")[1:])
        for direction, (down, right) in STEPS.items():
            neighbour = f"pos-{col + right}-{row + down}"
            if neighbour in cells:
                found.append((cell, neighbour, direction))
    return found


def problem_of(board: str, metric: str | None = "pushes") -> Problem:
    """A board in XSB as a problem of the planning competition's domain."""
    problem = _DOMAIN.clone()
    problem.clear_quality_metrics()
    types = {name: problem.user_type(name) for name in ("player", "stone", "location", "direction")}
    fluent = problem.fluent
    cells = cells_of(board)
    add = problem.add_object
    player = add("player-1", types["player"])
    places = {cell: add(cell, types["location"]) for cell in cells}
    ways = {name: add(f"dir-{name}", types["direction"]) for name in STEPS}
    for cell, neighbour, way in links_of(cells):
        problem.set_initial_value(fluent("move-dir")(places[cell], places[neighbour], ways[way]), True)
    number = 0
    for cell, sign in cells.items():
        place = places[cell]
        problem.set_initial_value(fluent("is-goal" if sign in ".*+" else "is-nongoal")(place), True)
        if sign in "@+":
            problem.set_initial_value(fluent("at")(player, place), True)
        elif sign in "$*":
            number += 1
            stone = add(f"stone-{number}", types["stone"])
            problem.set_initial_value(fluent("at")(stone, place), True)
            problem.set_initial_value(fluent("at-goal")(stone), sign == "*")
            problem.add_goal(fluent("at-goal")(stone))
        else:
            problem.set_initial_value(fluent("clear")(place), True)
    if metric == "moves":
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    elif metric == "pushes":
        pushes = {action: 1 for action in problem.actions if action.name != "move"}
        problem.add_quality_metric(MinimizeActionCosts({**pushes, problem.action("move"): 0}))
    return problem


def problem_from(text: str) -> Problem:
    """A problem in PDDL of the planning competition's domain, without costs.

    The reader of unified-planning would read the domain again each time, which takes most of its time.
    """
    problem = _DOMAIN.clone()
    tree = _tree(iter(re.findall(r"[()]|[^\s()]+", re.sub(";.*", "", text))))
    _, (_, *_), (_, *_), (_, *objects), (_, *init), (_, goal) = tree
    names: list[str] = []
    words = iter(objects)
    for word in words:
        if word == "-":
            kind = problem.user_type(next(words))
            problem.add_objects([Object(name, kind) for name in names])
            names = []
        else:
            names.append(word)

    def fact(name: str, *arguments: str) -> FNode:
        return problem.fluent(name)(*(problem.object(argument) for argument in arguments))

    for one in init:
        problem.set_initial_value(fact(*one), True)
    if goal[0] == "not":
        problem.add_goal(Not(fact(*goal[1])))
    else:
        problem.add_goal(And([fact(*one) for one in goal[1:]]))
    return problem


def _tree(tokens: Iterator[str]) -> list[Any]:
    """What stands between two brackets; the first one is taken already, but for that of the whole."""
    found: list[Any] = []
    for token in tokens:
        if token == ")":
            return found
        found.append(_tree(tokens) if token == "(" else token)
    return found[0]


def one_push_problem_of(board: str, targets: dict[str, str], metric: str | None = "moves") -> Problem:
    """A board as a problem whose pushes say nothing of goals; `targets` has the cell of each stone at the end."""
    problem = _ATOMIC.clone()
    cells = cells_of(board)
    location, box, way_type = (problem.user_type(name) for name in ("cell", "box", "way"))
    places = {cell: problem.add_object(cell, location) for cell in cells}
    ways = {name: problem.add_object(name, way_type) for name in STEPS}
    fluent = problem.fluent
    for cell, neighbour, way in links_of(cells):
        problem.set_initial_value(fluent("beside")(ways[way], places[neighbour], places[cell]), True)
    number = 0
    for cell, sign in cells.items():
        if sign in "@+":
            problem.set_initial_value(fluent("robot")(places[cell]), True)
        if sign in "$*":
            number += 1
            stone = problem.add_object(f"box-{number}", box)
            problem.set_initial_value(fluent("holds")(places[cell], stone), True)
            if stone.name in targets:
                problem.add_goal(fluent("holds")(places[targets[stone.name]], stone))
        else:
            problem.set_initial_value(fluent("free")(places[cell]), True)
    if metric == "moves":
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    return problem


@pytest.fixture(scope="session", autouse=True)
def _engines() -> None:
    import up_outwit

    up_outwit.register()
