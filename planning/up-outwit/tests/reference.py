"""Plain search over a problem's own actions, written apart from the engines: what they are compared with."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator

from unified_planning.model import Action, FNode, Problem

Fact = tuple[str, ...]


class Grounded:
    """A problem's actions with objects in place of parameters, and its start."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        held = (atom for atom, value in problem.explicit_initial_values.items() if value.is_true())
        self.start = {_fact(atom, {}) for atom in held}
        changed = {effect.fluent.fluent().name for action in problem.actions for effect in action.effects}
        self._fixed = {fact for fact in self.start if fact[0] not in changed}
        self._by_fluent: dict[str, list[Fact]] = {}
        for fact in self._fixed:
            self._by_fluent.setdefault(fact[0], []).append(fact)
        self.actions = [grounded for action in problem.actions for grounded in self._ground(action)]
        self.goals = {_fact(goal, {}) for goal in _parts(problem.goals)}

    def _ground(self, action: Action) -> Iterator[tuple[str, set[Fact], set[Fact], set[Fact]]]:
        needs = list(_parts(action.preconditions))
        fixed = [need for need in needs if need.fluent().name in self._by_fluent]
        for bound in self._bindings(fixed, {}):
            free = [parameter for parameter in action.parameters if parameter.name not in bound]
            domains = [[obj.name for obj in self.problem.objects(parameter.type)] for parameter in free]
            for objects in itertools.product(*domains):
                names = {**bound, **{parameter.name: name for parameter, name in zip(free, objects)}}
                adds = {_fact(effect.fluent, names) for effect in action.effects if effect.value.is_true()}
                deletes = {_fact(effect.fluent, names) for effect in action.effects if effect.value.is_false()}
                changing = {_fact(need, names) for need in needs} - self._fixed
                if all(fact[0] not in self._by_fluent for fact in changing):
                    yield action.name, changing, adds, deletes

    def _bindings(self, needs: list[FNode], bound: dict[str, str]) -> Iterator[dict[str, str]]:
        if not needs:
            yield bound
            return
        parameters = [arg.parameter().name for arg in needs[0].args]
        for fact in self._by_fluent[needs[0].fluent().name]:
            more = dict(zip(parameters, fact[1:]))
            if all(bound.get(name, value) == value for name, value in more.items()):
                yield from self._bindings(needs[1:], {**bound, **more})

    def least(self, cost: Callable[[str], int]) -> int | None:
        """The least cost of a plan, for actions that cost 0 or 1; None where there is none."""
        start = frozenset(self.start - self._fixed)
        best = {start: 0}
        waiting = deque([(0, start)])
        while waiting:
            spent, state = waiting.popleft()
            if spent > best[state]:
                continue
            if self.goals <= state | self._fixed:
                return spent
            for name, needs, adds, deletes in self.actions:
                if needs <= state:
                    after, price = (state - deletes) | adds, spent + cost(name)
                    if price < best.get(after, price + 1):
                        best[after] = price
                        (waiting.append if cost(name) else waiting.appendleft)((price, after))
        return None


def _parts(conditions: list[FNode]) -> Iterator[FNode]:
    for condition in conditions:
        if condition.is_and():
            yield from _parts(condition.args)
        elif not condition.is_true():
            yield condition


def _fact(atom: FNode, names: dict[str, str]) -> Fact:
    objects = (arg.object().name if arg.is_object_exp() else names[arg.parameter().name] for arg in atom.args)
    return (atom.fluent().name, *objects)
