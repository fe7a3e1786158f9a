"""Sokoban's actions, and which fluents and parameters of a problem play their parts.

Problems are recognised by what their actions need and do, never by names. Three things differ between the domains that
are in use, in any combination: the player may be an object or not; a cell may be clear where the player stands or
not; and pushes may be one action, or two that say whether the stone comes to a goal. `recognise` tries to match each
combination with the problem's actions. Each literal has to have its counterpart, so that a problem that matches has
Sokoban's actions and nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .strips import Literal, Schema, Unsupported

Term = tuple[str, ...]
"""A literal of the pattern: the part that a fluent plays, then variables."""

MAY_BE_ONE = frozenset({"player at", "stone at"})
"""Parts that one fluent may play together: `at` of the planning competition is of players and stones."""


@dataclass(frozen=True)
class Step:
    """An action of the pattern."""

    name: str
    needs: tuple[Term, ...]
    adds: tuple[Term, ...]
    deletes: tuple[Term, ...]


@dataclass(frozen=True)
class Part:
    """The fluent that plays a part."""

    fluent: str
    order: tuple[int, ...]
    """Where the fluent has each of the pattern's arguments."""

    def arguments(self, objects: Sequence[str]) -> tuple[str, ...]:
        """A fluent's objects in the order of the pattern."""
        return tuple(objects[place] for place in self.order)


@dataclass(frozen=True)
class Match:
    """A problem's actions as those of Sokoban."""

    parts: Mapping[str, Part]
    schemas: Mapping[str, Schema]
    """The problem's action for each of the pattern."""
    variables: Mapping[str, Mapping[str, int]]
    """For each action of the pattern: which parameter is which variable."""
    player_is_object: bool
    player_blocks: bool
    """Whether the player's own cell is not clear."""
    says_goals: bool
    """Whether pushes tell that a stone is at a goal."""


def pattern(player_is_object: bool, player_blocks: bool, says_goals: bool) -> list[Step]:
    """The actions of Sokoban in one of the forms."""

    def player(cell: str) -> Term:
        return ("player at", "player", cell) if player_is_object else ("player at", cell)

    def clear(cell: str) -> tuple[Term, ...]:
        return (("clear", cell),)

    def only(condition: bool, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return terms if condition else ()

    move = Step(
        "move",
        needs=(player("from"), *clear("to"), ("next", "from", "to", "direction")),
        adds=(player("to"), *only(player_blocks, clear("from"))),
        deletes=(player("from"), *only(player_blocks, clear("to"))),
    )

    def push(name: str, kind: str | None) -> Step:
        tells = (("at goal", "stone"),)
        return Step(
            name,
            needs=(
                player("stand"),
                ("stone at", "stone", "from"),
                *clear("to"),
                ("next", "stand", "from", "direction"),
                ("next", "from", "to", "direction"),
                *(() if kind is None else ((kind, "to"),)),
            ),
            adds=(
                player("from"),
                ("stone at", "stone", "to"),
                *clear("stand" if player_blocks else "from"),
                *only(kind == "is goal", tells),
            ),
            deletes=(
                player("stand"),
                ("stone at", "stone", "from"),
                *clear("to"),
                *only(kind == "is no goal", tells),
            ),
        )

    if says_goals:
        return [move, push("push to goal", "is goal"), push("push off goal", "is no goal")]
    return [move, push("push", None)]


def recognise(schemas: Sequence[Schema]) -> Match:
    """Finds out which of the problem's actions and fluents play which part.

    Raises `Unsupported` where the actions are not Sokoban's.
    """
    for form in itertools.product((True, False), repeat=3):
        steps = pattern(*form)
        for ordered in itertools.permutations(schemas):
            if len(steps) == len(ordered) and all(map(_has_same_size, steps, ordered)):
                found = next(_matches(steps, ordered), None)
                if found is not None:
                    parts, variables = found
                    names = [step.name for step in steps]
                    return Match(parts, dict(zip(names, ordered)), variables, *form)
    raise Unsupported("the actions are not those of Sokoban: a player moves to a clear neighbour, and pushes a stone")


def _has_same_size(step: Step, schema: Schema) -> bool:
    variables = {variable for term in step.needs for variable in term[1:]}
    sizes = len(step.needs), len(step.adds), len(step.deletes), len(variables)
    return sizes == (len(schema.needs), len(schema.adds), len(schema.deletes), len(schema.action.parameters))


_Parts = dict[str, Part]
_Variables = dict[str, dict[str, int]]


def _matches(steps: Sequence[Step], schemas: Sequence[Schema]) -> Iterator[tuple[_Parts, _Variables]]:
    """All ways to match the terms of the pattern with the literals of the actions, one with one."""
    groups = [
        (step.name, terms, literals)
        for step, schema in zip(steps, schemas)
        for terms, literals in (
            (step.needs, schema.needs),
            (step.adds, schema.adds),
            (step.deletes, schema.deletes),
        )
    ]

    def extend(
        group: int, term: int, left: frozenset[Literal], parts: _Parts, variables: _Variables
    ) -> Iterator[tuple[_Parts, _Variables]]:
        name, terms, _ = groups[group]
        if term == len(terms):
            if group + 1 == len(groups):
                yield parts, variables
            else:
                yield from extend(group + 1, 0, frozenset(groups[group + 1][2]), parts, variables)
            return
        for literal in sorted(left, key=lambda literal: (literal.fluent, literal.parameters)):
            for more_parts, own in _bindings(terms[term], literal, parts, variables[name]):
                rest = left - {literal}
                yield from extend(group, term + 1, rest, more_parts, {**variables, name: own})

    yield from extend(0, 0, frozenset(groups[0][2]), {}, {step.name: {} for step in steps})


def _bindings(
    term: Term, literal: Literal, parts: _Parts, variables: dict[str, int]
) -> Iterator[tuple[_Parts, dict[str, int]]]:
    """How a literal can be what a term says, given what the parts and variables are already."""
    role, *names = term
    if len(names) != len(literal.parameters):
        return
    known = parts.get(role)
    if known is not None:
        candidates = [known] if known.fluent == literal.fluent else []
    else:
        others = {part.fluent for other, part in parts.items() if not {role, other} <= MAY_BE_ONE}
        orders = itertools.permutations(range(len(names)))
        candidates = [Part(literal.fluent, order) for order in orders if literal.fluent not in others]
    for part in candidates:
        own = dict(variables)
        for name, place in zip(names, part.order):
            parameter = literal.parameters[place]
            if own.get(name, parameter) != parameter:
                break
            own[name] = parameter
        else:
            if len(set(own.values())) == len(own):
                yield {**parts, role: part}, own
