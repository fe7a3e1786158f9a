"""A problem of unified-planning as STRIPS: actions are sets of literals, states are sets of atoms.

Whatever is more than that is refused, so what follows need not think of it. `Task.replay` runs a plan through
the problem's own actions: it knows nothing of Sokoban and nothing of outwit, and every plan that an engine
returns has passed it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unified_planning.model import (
    AbstractProblem,
    Effect,
    FNode,
    Fluent,
    InstantaneousAction,
    Problem,
    ProblemKind,
)
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION
from unified_planning.model.types import Type
from unified_planning.plans import ActionInstance

Atom = tuple[str, ...]
"""The name of a fluent, then those of its objects."""

MAX_FACTS = 4_000_000
"""Most atoms of one fluent that are written out where the fluent holds by default."""


class Unsupported(Exception):
    """The problem is none that outwit solves; the text says why."""


def supported_kind() -> ProblemKind:
    """The features that a problem may have."""
    kind = ProblemKind(version=LATEST_PROBLEM_KIND_VERSION)
    kind.set_problem_class("ACTION_BASED")
    kind.set_typing("FLAT_TYPING")
    kind.set_typing("HIERARCHICAL_TYPING")
    kind.set_quality_metrics("ACTIONS_COST")
    kind.set_quality_metrics("PLAN_LENGTH")
    kind.set_actions_cost_kind("INT_NUMBERS_IN_ACTIONS_COST")
    kind.set_actions_cost_kind("REAL_NUMBERS_IN_ACTIONS_COST")
    return kind


@dataclass(frozen=True)
class Literal:
    """A fluent of an action, over the action's parameters."""

    fluent: str
    parameters: tuple[int, ...]

    def ground(self, objects: Sequence[str]) -> Atom:
        """The atom that it is when these objects are the action's parameters."""
        return (self.fluent, *(objects[parameter] for parameter in self.parameters))


@dataclass(frozen=True)
class Schema:
    """An action as sets of literals."""

    action: InstantaneousAction
    needs: tuple[Literal, ...]
    adds: tuple[Literal, ...]
    deletes: tuple[Literal, ...]


@dataclass(frozen=True)
class Failure:
    """Why a plan does not hold."""

    reason: str
    step: int | None
    """The index of the action that cannot be done; none where the goals are not reached."""


class Task:
    """A problem as STRIPS."""

    def __init__(self, problem: AbstractProblem) -> None:
        kind = problem.kind
        supported = supported_kind()
        if not kind <= supported or type(problem) is not Problem:
            features = sorted(kind.features - supported.features)
            raise Unsupported(f"the problem is not plain STRIPS: {', '.join(features) or type(problem).__name__}")
        self.problem: Problem = problem
        self.schemas = tuple(_schema(action) for action in problem.actions)
        self.goals = frozenset(_atom(goal) for goal in _conjuncts(problem.goals))
        literals = (
            literal
            for schema in self.schemas
            for literal in itertools.chain(schema.needs, schema.adds, schema.deletes)
        )
        names = {literal.fluent for literal in literals} | {goal[0] for goal in self.goals}
        self._facts = self._start_of(names)

    def objects(self, type_: Type) -> frozenset[str]:
        """The names of a type's objects, subtypes included."""
        return frozenset(obj.name for obj in self.problem.objects(type_))

    def facts(self, fluent: str) -> frozenset[tuple[str, ...]]:
        """For which objects a fluent holds at the start."""
        return self._facts[fluent]

    def start(self) -> set[Atom]:
        """The atoms of the start that actions and goals speak of."""
        return {(fluent, *objects) for fluent, facts in self._facts.items() for objects in facts}

    def replay(self, actions: Sequence[ActionInstance]) -> Failure | None:
        """Does the actions of a plan one by one; None where all can be done and reach the goals."""
        schemas = {schema.action.name: schema for schema in self.schemas}
        state = self.start()
        for step, instance in enumerate(actions):
            schema = schemas.get(instance.action.name)
            if schema is None or (instance.action is not schema.action and instance.action != schema.action):
                return Failure(f"step {step + 1}: the problem has no action {instance.action.name}", step)
            wrong = self._wrong_object(instance)
            if wrong is not None:
                return Failure(f"step {step + 1}: {wrong} is none of the problem's objects", step)
            objects = objects_of(instance)
            missing = [literal for literal in schema.needs if literal.ground(objects) not in state]
            if missing:
                fact = missing[0].ground(objects)
                return Failure(f"step {step + 1}, {instance}: {_written(fact)} does not hold", step)
            state -= {literal.ground(objects) for literal in schema.deletes}
            state |= {literal.ground(objects) for literal in schema.adds}
        missed = sorted(self.goals - state)
        return Failure(f"at the end {_written(missed[0])} does not hold", None) if missed else None

    def _start_of(self, names: set[str]) -> dict[str, frozenset[tuple[str, ...]]]:
        explicit: dict[str, dict[tuple[str, ...], bool]] = {name: {} for name in names}
        for expression, value in self.problem.explicit_initial_values.items():
            values = explicit.get(expression.fluent().name)
            if values is not None:
                if not value.is_bool_constant() or not all(arg.is_object_exp() for arg in expression.args):
                    raise Unsupported(f"the initial value of {expression} is no constant")
                values[tuple(arg.object().name for arg in expression.args)] = value.is_true()
        return {name: self._held(self.problem.fluent(name), values) for name, values in explicit.items()}

    def _held(self, fluent: Fluent, explicit: dict[tuple[str, ...], bool]) -> frozenset[tuple[str, ...]]:
        """For which objects a fluent holds, given its values that are no defaults."""
        default = self.problem.fluents_defaults.get(fluent)
        if default is not None and default.is_false():
            return frozenset(objects for objects, holds in explicit.items() if holds)
        if default is not None and not default.is_true():
            raise Unsupported(f"the initial value of {fluent.name} is no constant")
        everything = self._groundings(fluent)
        if default is None and not everything <= explicit.keys():
            raise Unsupported(f"the fluent {fluent.name} has no initial value for some objects")
        return frozenset(objects for objects in everything if explicit.get(objects, True))

    def _groundings(self, fluent: Fluent) -> set[tuple[str, ...]]:
        domains = [self.objects(parameter.type) for parameter in fluent.signature]
        if math.prod(map(len, domains)) > MAX_FACTS:
            raise Unsupported(f"the fluent {fluent.name} has more than {MAX_FACTS} atoms")
        return set(itertools.product(*domains))

    def _wrong_object(self, instance: ActionInstance) -> str | None:
        for expression in instance.actual_parameters:
            if not expression.is_object_exp():
                return str(expression)
            obj = expression.object()
            if not self.problem.has_object(obj.name) or self.problem.object(obj.name) != obj:
                return obj.name
        return None


def objects_of(instance: ActionInstance) -> list[str]:
    """The names of the objects of an action of a plan."""
    return [expression.object().name for expression in instance.actual_parameters]


def _written(atom: Atom) -> str:
    return f"{atom[0]}({', '.join(atom[1:])})"


def _conjuncts(conditions: Sequence[FNode]) -> Iterator[FNode]:
    for condition in conditions:
        if condition.is_and():
            yield from _conjuncts(condition.args)
        elif not condition.is_true():
            yield condition


def _atom(goal: FNode) -> Atom:
    if not goal.is_fluent_exp() or not all(arg.is_object_exp() for arg in goal.args):
        raise Unsupported(f"the goal {goal} is no fact")
    return (goal.fluent().name, *(arg.object().name for arg in goal.args))


def _literal(expression: FNode, action: InstantaneousAction) -> Literal:
    is_fluent = expression.is_fluent_exp() and expression.fluent().type.is_bool_type()
    if not is_fluent or not all(arg.is_parameter_exp() for arg in expression.args):
        raise Unsupported(f"{expression} of the action {action.name} is no fluent over its parameters")
    names = [parameter.name for parameter in action.parameters]
    parameters = tuple(names.index(arg.parameter().name) for arg in expression.args)
    return Literal(expression.fluent().name, parameters)


def _schema(action: object) -> Schema:
    if type(action) is not InstantaneousAction or action.simulated_effect is not None:
        raise Unsupported(f"the action {getattr(action, 'name', action)} is more than conditions and effects")
    for parameter in action.parameters:
        if not parameter.type.is_user_type():
            raise Unsupported(f"the parameter {parameter.name} of the action {action.name} is no object")
    needs = {_literal(condition, action) for condition in _conjuncts(action.preconditions)}
    adds, deletes = set(), set()
    for effect in action.effects:
        _check_plain(effect, action)
        (adds if effect.value.is_true() else deletes).add(_literal(effect.fluent, action))

    def ordered(literals: set[Literal]) -> tuple[Literal, ...]:
        return tuple(sorted(literals, key=lambda literal: (literal.fluent, literal.parameters)))

    return Schema(action, ordered(needs), ordered(adds), ordered(deletes))


def _check_plain(effect: Effect, action: InstantaneousAction) -> None:
    is_plain = effect.is_assignment() and effect.value.is_bool_constant()
    if not is_plain or effect.is_conditional() or effect.is_forall():
        raise Unsupported(f"the effect {effect} of the action {action.name} is more than a fact")
