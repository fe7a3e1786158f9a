"""The board of a problem, and plans between the board and the problem.

`Board` reads a task whose actions are Sokoban's, and refuses it unless the board is exactly a level of Sokoban: cells
are neighbours where they lie side by side on a grid, and nowhere else, and what is said of the start agrees with itself.
A cell on which nothing stands and that is not clear never becomes clear, so it is a wall. Cells that the player could
not come to even without stones play no part: a stone there stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import outwit
from unified_planning.model import FNode
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength
from unified_planning.plans import ActionInstance

from .pattern import Match, recognise
from .strips import Task, Unsupported

Place = tuple[int, int]
"""Row and column."""

KEYS: dict[str, Place] = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}
"""What a key of outwit adds to row and column."""
MAX_SIDE = 200
"""Most rows and columns of the cells. outwit's boards have at most 250, with walls around the cells and what
`Board.level` adds below them."""
PER_ROW = 100
"""Most cells of a row that `Board.level` adds."""


@dataclass(frozen=True)
class Measure:
    """What a shortest plan is by a problem's metric."""

    name: str
    """Its name in outwit: pushes or moves."""
    price: int | Fraction
    """What the metric counts for each of them."""


def _one(values: Sequence[str], what: str) -> str:
    if len(values) != 1:
        raise Unsupported(f"{what}: {', '.join(sorted(values)) or 'none'}")
    return values[0]


class Board:
    """A problem as a level of Sokoban."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.match: Match = recognise(task.schemas)
        self.measure = self._measure()
        self._locations = self._objects(["from", "to", "stand"])
        self._directions = self._objects(["direction"])
        self._stone_names = self._objects(["stone"])
        self.player_name: str | None = None
        if self.match.player_is_object:
            players = self._objects(["player"])
            if players & self._stone_names:
                raise Unsupported("an object is a player and a stone at once")
            self.player_name = _one(list(players), "there has to be one player, here are")
        self._all_stones = self._read_stones()
        self.player: str = self._read_player()
        self._links = self._read_links()
        self.places: dict[str, Place] = self._embed()
        self._names = {place: name for name, place in self.places.items()}
        self.stones: dict[str, str] = {
            stone: cell for stone, cell in self._all_stones.items() if cell in self.places
        }
        self._goal_cells = {cell for (cell,) in self._facts("is goal")} if self.match.says_goals else set()
        self.targets, missed = self._read_goals()
        self.is_solved = self.task.goals <= self.task.start()
        self.hopeless = None if self.is_solved else self._why_hopeless(missed)

    # What the problem says.

    def _facts(self, role: str) -> set[tuple[str, ...]]:
        """A fluent's facts at the start, in the order of the pattern's arguments."""
        part = self.match.parts[role]
        return {part.arguments(objects) for objects in self.task.facts(part.fluent)}

    def _objects(self, variables: Sequence[str]) -> frozenset[str]:
        """The objects that these variables of the pattern range over, which have to be the same in each action."""
        found = set()
        for name, schema in self.match.schemas.items():
            for variable in variables:
                place = self.match.variables[name].get(variable)
                if place is not None:
                    found.add(self.task.objects(schema.action.parameters[place].type))
        if len(found) != 1:
            raise Unsupported(f"the actions are about different objects as {' or '.join(variables)}")
        return found.pop()

    def _measure(self) -> Measure | None:
        metrics = self.task.problem.quality_metrics
        if not metrics:
            return None
        metric = metrics[0]
        if len(metrics) == 1 and isinstance(metric, MinimizeSequentialPlanLength):
            return Measure("moves", 1)
        if len(metrics) != 1 or not isinstance(metric, MinimizeActionCosts):
            raise Unsupported(f"the metric is none of lengths or costs: {metrics}")
        costs = {name: _number(metric, schema.action) for name, schema in self.match.schemas.items()}
        move = costs.pop("move")
        push, *others = set(costs.values())
        if not others and push > 0 and move == 0:
            return Measure("pushes", push)
        if not others and push > 0 and move == push:
            return Measure("moves", push)
        raise Unsupported("of the costs, all pushes have to have the same, and moves either that or none")

    def _read_stones(self) -> dict[str, str]:
        stones: dict[str, str] = {}
        for stone, cell in self._facts("stone at"):
            if stone in self._stone_names:
                if stone in stones or cell in stones.values():
                    raise Unsupported(f"the stone {stone} is at two places, or another one is at its place {cell}")
                stones[stone] = cell
        if len(stones) < len(self._stone_names):
            lost = min(self._stone_names - stones.keys())
            raise Unsupported(f"the stone {lost} is nowhere")
        return stones

    def _read_player(self) -> str:
        facts = self._facts("player at")
        if self.player_name is not None:
            facts = {fact[1:] for fact in facts if fact[0] == self.player_name}
        cell = _one([fact[0] for fact in facts], "the player has to be at one place, and is at")
        if cell in self._all_stones.values():
            raise Unsupported(f"the player and a stone are both at {cell}")
        if cell not in self._locations:
            raise Unsupported(f"the player is at {cell}, from where no action leads")
        return cell

    def _read_links(self) -> dict[str, dict[str, str]]:
        """For each cell that is no wall its neighbours by direction."""
        clear = {cell for (cell,) in self._facts("clear")}
        occupied = set(self._all_stones.values())
        if self.match.player_blocks:
            occupied.add(self.player)
        elif self.player not in clear:
            raise Unsupported(f"the player's cell {self.player} cannot be entered again")
        if occupied & clear:
            raise Unsupported(f"something is at {min(occupied & clear)}, which is said to be clear")
        floor = (clear | occupied) & self._locations
        links: dict[str, dict[str, str]] = {cell: {} for cell in floor}
        for cell, neighbour, direction in self._facts("next"):
            if cell in floor and neighbour in floor and direction in self._directions:
                if direction in links[cell]:
                    raise Unsupported(f"from {cell} there are two neighbours in the direction {direction}")
                links[cell][direction] = neighbour
        return links

    # The grid.

    def _embed(self) -> dict[str, Place]:
        """Lays the cells that the player can come to, were there no stones, on a grid.

        Raises `Unsupported` unless neighbours of the problem are exactly the neighbours on the grid.
        """
        steps = self._steps(self._reach())
        places = {self.player: (0, 0)}
        waiting = [self.player]
        while waiting:
            cell = waiting.pop()
            for direction, neighbour in self._links[cell].items():
                place = _sum(places[cell], steps[direction])
                if neighbour not in places:
                    places[neighbour] = place
                    waiting.append(neighbour)
                elif places[neighbour] != place:
                    raise Unsupported(f"the cell {neighbour} would have to be at two places of a grid")
        self._check_grid(places, steps)
        top, left = (min(place[axis] for place in places.values()) for axis in (0, 1))
        return {cell: (row - top, col - left) for cell, (row, col) in places.items()}

    def _reach(self) -> set[str]:
        reach = {self.player}
        waiting = [self.player]
        while waiting:
            for neighbour in self._links[waiting.pop()].values():
                if neighbour not in reach:
                    reach.add(neighbour)
                    waiting.append(neighbour)
        return reach

    def _steps(self, reach: set[str]) -> dict[str, Place]:
        """What each direction adds to row and column."""
        opposite: dict[str, str] = {}
        for cell in reach:
            for direction, neighbour in self._links[cell].items():
                back = [way for way, there in self._links[neighbour].items() if there == cell]
                if len(back) != 1 or back[0] == direction:
                    raise Unsupported(f"from {cell} to {neighbour} there is one way, and not one way back")
                if opposite.setdefault(direction, back[0]) != back[0]:
                    raise Unsupported(f"the direction {direction} has several opposites")
        pairs = sorted({tuple(sorted(pair)) for pair in opposite.items()})
        if len(pairs) > 2 or len({way for pair in pairs for way in pair}) != 2 * len(pairs):
            raise Unsupported("the directions are not one or two pairs of opposites")
        # Which pair is up and down does not matter: a turned or mirrored board is the same puzzle. Where names
        # tell, the drawing is the usual one.
        pairs.sort(key=lambda pair: any("left" in way or "right" in way for way in pair), reverse=True)
        steps: dict[str, Place] = {}
        for pair, axis in zip(pairs, ((0, 1), (1, 0))):
            first, second = sorted(pair, key=lambda way: ("right" in way or "down" in way, way))
            steps[first] = (-axis[0], -axis[1])
            steps[second] = axis
        return steps

    def _check_grid(self, places: dict[str, Place], steps: dict[str, Place]) -> None:
        names = {place: cell for cell, place in places.items()}
        if len(names) != len(places):
            raise Unsupported("two cells would have to be at one place of a grid")
        for cell, place in places.items():
            for step in KEYS.values():
                neighbour = names.get(_sum(place, step))
                linked = [way for way, there in self._links[cell].items() if there == neighbour]
                if neighbour is not None and [steps[way] for way in linked] != [step]:
                    raise Unsupported(f"the cells {cell} and {neighbour} lie side by side, with no way between them")
        for axis in (0, 1):
            span = [place[axis] for place in places.values()]
            if max(span) - min(span) >= MAX_SIDE:
                raise Unsupported(f"the board has more than {MAX_SIDE} rows or columns")

    # The goals.

    def _read_goals(self) -> tuple[frozenset[str], list[str]]:
        """The targets, and the stones that miss them for good."""
        return self._told_goals() if self._goals_are_told() else self._pinned_goal()

    def _goals_are_told(self) -> bool:
        told = self.match.parts.get("at goal")
        stone_at = self.match.parts["stone at"].fluent
        fluents = {goal[0] for goal in self.task.goals}
        if told is not None and fluents <= {told.fluent}:
            return True
        if fluents == {stone_at} and len(self.task.goals) == 1 and len(self._all_stones) == 1:
            return False
        raise Unsupported("the goals are not that each stone is at one of the targets, which are the same for all")

    def _told_goals(self) -> tuple[frozenset[str], list[str]]:
        wanted = {goal[1] for goal in self.task.goals}
        at_goal = {stone for (stone,) in self._facts("at goal")}
        goals = self._goal_cells
        others = {cell for (cell,) in self._facts("is no goal")}
        for cell in self.places:
            if (cell in goals) == (cell in others):
                raise Unsupported(f"the cell {cell} has to be either a goal or none")
        for stone, cell in self.stones.items():
            if stone not in wanted:
                raise Unsupported(f"the stone {stone} may be anywhere at the end")
            if (stone in at_goal) != (cell in goals):
                raise Unsupported(f"the stone {stone} is at {cell}, which does not agree with its being at a goal")
        fixed = wanted - self.stones.keys()
        return frozenset(goals & self.places.keys()), sorted(fixed - at_goal)

    def _pinned_goal(self) -> tuple[frozenset[str], list[str]]:
        """One stone that has one place to go to: any place for that stone is a place for any stone."""
        if self.match.says_goals:
            self._check_enterable()
        (goal,) = self.task.goals
        stone, cell = self.match.parts["stone at"].arguments(goal[1:])
        if stone not in self._all_stones:
            raise Unsupported(f"the goal is about {stone}, which is no stone")
        is_missed = stone not in self.stones and self._all_stones[stone] != cell
        return frozenset({cell} & self.places.keys()), [stone] if is_missed else []

    def _check_enterable(self) -> None:
        """Where pushes say whether a cell is a goal, they have to be able to say it of each cell."""
        known = {cell for (cell,) in self._facts("is goal") | self._facts("is no goal")}
        for cell in self.places:
            if cell not in known:
                raise Unsupported(f"no stone can be pushed to {cell}, where the player can go")

    def _why_hopeless(self, missed: Sequence[str]) -> str | None:
        """Why there is no plan, where that needs no search."""
        if missed:
            return f"the stone {missed[0]} is not where it has to be, and the player cannot come to it"
        if len(self.stones) > len(self.targets):
            return f"{len(self.stones)} stones have to be at {len(self.targets)} targets"
        return None

    # The level and its plans.

    def level(self, is_open: bool = False) -> outwit.Area:
        """The level for outwit.

        With `is_open` there is one more stone, which nobody can come to and which is at no target: then the game is
        not over when the others are at theirs, and the rules can be asked what comes after.
        """
        rows, cols = (max(place[axis] for place in self.places.values()) + 1 for axis in (0, 1))
        lines = [["#"] * (cols + 2) for _ in range(rows + 2)]
        for cell, (row, col) in self.places.items():
            lines[row + 1][col + 1] = "." if cell in self.targets else " "
        for cell in self.stones.values():
            self._put(lines, cell, {" ": "$", ".": "*"})
        self._put(lines, self.player, {" ": "@", ".": "+"})
        rows_of_signs = ["".join(line) for line in lines]
        if is_open:
            rows_of_signs += self._closed_in()
        (area,) = outwit.parse("\n".join(rows_of_signs) + "\n", game="sokoban")
        return area

    def _closed_in(self) -> list[str]:
        """Rows of single cells between walls: a stone off target, and targets for it and for all stones that lack one."""
        signs = "$" + "." * (1 + max(0, len(self.stones) - len(self.targets)))
        rows = []
        for start in range(0, len(signs), PER_ROW):
            row = "#" + "#".join(signs[start : start + PER_ROW]) + "#"
            rows += ["#" * len(row), row, "#" * len(row)]
        return rows

    def _put(self, lines: list[list[str]], cell: str, signs: dict[str, str]) -> None:
        row, col = self.places[cell]
        lines[row + 1][col + 1] = signs[lines[row + 1][col + 1]]

    def actions(self, steps: Sequence[str]) -> list[ActionInstance]:
        """The actions of a plan of outwit, one for each step."""
        player, stones = self.player, {cell: stone for stone, cell in self.stones.items()}
        actions = []
        for step in steps:
            here = self.places[player]
            move = KEYS[step.lower()]
            ahead = self._names[_sum(here, move)]
            stone = stones.pop(ahead, None)
            if stone is None:
                actions.append(self._instance("move", {"from": player, "to": ahead}))
            else:
                beyond = self._names[_sum(self.places[ahead], move)]
                name = self._push_to(beyond)
                cells = {"stand": player, "from": ahead, "to": beyond, "stone": stone}
                actions.append(self._instance(name, cells))
                stones[beyond] = stone
            player = ahead
        return actions

    def _push_to(self, cell: str) -> str:
        if not self.match.says_goals:
            return "push"
        return "push to goal" if cell in self._goal_cells else "push off goal"

    def _instance(self, name: str, objects: dict[str, str]) -> ActionInstance:
        schema, variables = self.match.schemas[name], self.match.variables[name]
        start = objects.get("stand", objects["from"])
        ahead = objects["from"] if "stand" in objects else objects["to"]
        direction = next(way for way, there in self._links[start].items() if there == ahead)
        objects = {**objects, "direction": direction}
        if self.player_name is not None:
            objects["player"] = self.player_name
        problem = self.task.problem
        by_place = {place: problem.object(objects[variable]) for variable, place in variables.items()}
        expressions = problem.environment.expression_manager
        return ActionInstance(
            schema.action,
            tuple(expressions.ObjectExp(by_place[place]) for place in range(len(by_place))),
        )

    def keys(self, actions: Sequence[ActionInstance]) -> Iterator[str]:
        """The keys of a plan whose actions can be done, one for each action."""
        by_schema = {schema.action.name: name for name, schema in self.match.schemas.items()}
        names = {step: key for key, step in KEYS.items()}
        for instance in actions:
            name = by_schema[instance.action.name]
            ends = ("from", "to") if name == "move" else ("stand", "from")
            here, there = (
                self.places[instance.actual_parameters[self.match.variables[name][end]].object().name]
                for end in ends
            )
            yield names[there[0] - here[0], there[1] - here[1]]

    def cost(self, actions: Sequence[ActionInstance]) -> int | Fraction | None:
        """What the problem's metric says of a plan."""
        if self.measure is None:
            return None
        move = self.match.schemas["move"].action.name
        is_counted = (self.measure.name == "moves" or instance.action.name != move for instance in actions)
        return sum(is_counted) * self.measure.price


def _sum(place: Place, step: Place) -> Place:
    return place[0] + step[0], place[1] + step[1]


def _number(metric: MinimizeActionCosts, action: object) -> int | Fraction:
    cost: FNode | None = metric.get_action_cost(action)
    if cost is None or not cost.is_constant():
        raise Unsupported(f"the cost of the action {action} is no number")
    return cost.constant_value()
