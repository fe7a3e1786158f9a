"""What is not exactly Sokoban is refused, with the reason."""

from __future__ import annotations

import pytest
from conftest import PDDL, READER, one_push_problem_of, problem_from, problem_of
from unified_planning.engines import PlanGenerationResultStatus as Status, ValidationResultStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem
from unified_planning.model.metrics import MinimizeActionCosts
from unified_planning.plans import SequentialPlan
from unified_planning.test.examples import get_example_problems

from up_outwit import OutwitEngine, OutwitOptimalEngine

DOMAIN = (PDDL / "competition.pddl").read_text()
PROBLEM = (PDDL / "nook.pddl").read_text()
EXAMPLES = get_example_problems()


def reason_of(problem: AbstractProblem) -> str:
    """The reason why all engines refuse a problem in all that they do."""
    engines = OutwitEngine(), OutwitOptimalEngine()
    for engine in engines:
        engine.skip_checks = True
    results = [engine.solve(problem, timeout=5) for engine in engines]
    results += engines[0].get_solutions(problem, timeout=5)
    assert len(results) == 3
    for result in results:
        assert (result.status, result.plan) == (Status.UNSUPPORTED_PROBLEM, None), result
    validated = engines[0].validate(problem, SequentialPlan([], problem.environment))
    assert validated.status == ValidationResultStatus.UNKNOWN
    (message,) = validated.log_messages
    assert all(result.log_messages == validated.log_messages for result in results)
    return message.message


def changed(text: str, changes: dict[str, str]) -> str:
    """A text with other words in it, each of which it has to have."""
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


def test_the_problem_itself_is_solved() -> None:
    for problem in (READER.parse_problem_string(DOMAIN, PROBLEM), problem_from(PROBLEM)):
        assert len(OutwitEngine().solve(problem).plan.actions) == 2


MOVE_NEEDS = "(clear ?b)\n                      (move-dir ?a ?b ?way))"
OTHER_ACTIONS = {
    "a cell that is not clear": ({"(clear ?b)\n": "\n"}, "not those of Sokoban"),
    "a push around a corner": (
        {"(move-dir ?middle ?end ?way)": "(move-dir ?middle ?end ?turn)",
         "?way - direction)\n   :precondition (and (is": "?way ?turn - direction)\n   :precondition (and (is"},
        "not those of Sokoban",
    ),
    "a pull": ({"(move-dir ?middle ?end ?way)": "(move-dir ?end ?middle ?way)"}, "not those of Sokoban"),
    "a push to where the player was": (
        {"(clear ?end)": "(clear ?stand)", "(is-goal ?end)": "(is-goal ?stand)", "(at ?what ?end)": "(at ?what ?stand)",
         "(is-nongoal ?end)": "(is-nongoal ?stand)", "?middle ?end ?way)": "?middle ?stand ?way)"},
        "not those of Sokoban",
    ),
    "goals and others by one word": ({"(is-nongoal ?end)": "(is-goal ?end)"}, "not those of Sokoban"),
    "a stone that leaves a copy": ({"                (not (at ?what ?middle))\n": ""}, "not those of Sokoban"),
    "a goal that is forgotten": ({"(and (not (at-goal ?what))\n": "(and\n"}, "not those of Sokoban"),
    "a player who is told no way": ({MOVE_NEEDS: "(clear ?b))"}, "not those of Sokoban"),
    "one action more": (
        {"(:action move\n": "(:action jump :parameters (?who - player ?a ?b - location)\n"
         ":precondition (and (at ?who ?a) (clear ?b))\n"
         ":effect (and (at ?who ?b) (not (at ?who ?a)) (clear ?a) (not (clear ?b))))\n(:action move\n"},
        "not those of Sokoban",
    ),
    "a condition more": ({MOVE_NEEDS: "(is-nongoal ?b)\n" + MOVE_NEEDS}, "not those of Sokoban"),
    "an effect more": ({"(clear ?a)\n": "(clear ?a) (is-goal ?b)\n"}, "not those of Sokoban"),
    "a negative condition": ({MOVE_NEEDS: "(not (is-goal ?b))\n" + MOVE_NEEDS}, "NEGATIVE_CONDITIONS"),
    "an alternative": ({"(clear ?b)\n": "(or (clear ?b) (is-goal ?b))\n"}, "DISJUNCTIVE_CONDITIONS"),
    "a conditional effect": ({"(clear ?a)\n": "(when (is-goal ?a) (clear ?a))\n"}, "CONDITIONAL_EFFECTS"),
    "a number": (
        {"(:action push-to-goal": "(:functions (steps) - number)\n(:action push-to-goal",
         "(clear ?a)\n": "(clear ?a) (increase (steps) 1)\n"},
        "NUMERIC",
    ),
    "a constant": (
        {"(:predicates": "(:constants home - location)\n(:predicates", MOVE_NEEDS: "(clear home)\n" + MOVE_NEEDS},
        "no fluent over its parameters",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_ACTIONS)
def test_other_actions_are_refused(name: str) -> None:
    changes, reason = OTHER_ACTIONS[name]
    init = " (= (steps) 0)" if name == "a number" else ""
    text = PROBLEM.replace("(:init", f"(:init{init}")
    assert reason in reason_of(READER.parse_problem_string(changed(DOMAIN, changes), text))


BOTH_WAYS = " (move-dir {0} {1} {2}) (move-dir {1} {0} {3}) (at hero c11)"
OTHER_BOARDS = {
    "a wall between cells": (
        {"c11 c12 c13 c14 c21 -": "c11 c12 c13 c14 c21 c22 -", "(is-nongoal c21)": "(is-nongoal c21) (is-nongoal c22)",
         "(clear c21)": "(clear c21) (clear c22)", "(at hero c11)": BOTH_WAYS.format("c21", "c22", "right", "left")},
        "side by side",
    ),
    "a one-way street": ({"(move-dir c21 c11 up)": ""}, "not one way back"),
    "a ring": ({"(at hero c11)": BOTH_WAYS.format("c14", "c11", "right", "left")}, "at two places of a grid"),
    "a twist": ({"(at hero c11)": BOTH_WAYS.format("c14", "c21", "up", "down")}, "at two places of a grid"),
    "a cell over another": (
        {"c11 c12 c13 c14 c21 -": "c11 c12 c13 c14 c21 c22 c23 c24 c25 -",
         "(is-nongoal c21)": "(is-nongoal c21) (is-nongoal c22) (is-nongoal c23) (is-nongoal c24) (is-nongoal c25)",
         "(clear c21)": "(clear c21) (clear c22) (clear c23) (clear c24) (clear c25)",
         "(at hero c11)": " (at hero c11) (move-dir c21 c22 right) (move-dir c22 c21 left)"
         " (move-dir c22 c23 up) (move-dir c23 c22 down)"},
        "one place of a grid",
    ),
    "two neighbours in one direction": (
        {"(at hero c11)": "(at hero c11) (move-dir c11 c21 right)"}, "two neighbours in the direction"),
    "a way that turns": ({"(move-dir c12 c11 left)": "(move-dir c12 c11 up)"}, "several opposites"),
    "a way back that is none": ({"(move-dir c21 c11 up)": "(move-dir c21 c11 down)"}, "not one way back"),
    "three axes": (
        {"left right up down -": "left right up down in out -", "c11 c12 c13 c14 c21 -": "c11 c12 c13 c14 c21 c31 -",
         "(is-nongoal c21)": "(is-nongoal c21) (is-nongoal c31)", "(clear c21)": "(clear c21) (clear c31)",
         "(at hero c11)": BOTH_WAYS.format("c11", "c31", "in", "out")},
        "one or two pairs",
    ),
    "two players": ({"hero - player": "hero helper - player"}, "one player"),
    "a player at two places": ({"(at hero c11)": "(at hero c11) (at hero c12)"}, "one place"),
    "a player at none": ({"(at hero c11)": ""}, "one place"),
    "a player in a stone": ({"(at hero c11)": "(at hero c13)"}, "are both at"),
    "a stone at two places": ({"(at hero c11)": "(at hero c11) (at crate c14)"}, "two places"),
    "a stone nowhere": ({"(at crate c13)": ""}, "is nowhere"),
    "two stones at one place": (
        {"crate - stone": "crate box - stone", "(at hero c11)": "(at hero c11) (at box c13)"}, "at its place"),
    "a stone that is clear": ({"(clear c12)": "(clear c12) (clear c13)"}, "said to be clear"),
    "a player who is clear": ({"(clear c12)": "(clear c12) (clear c11)"}, "said to be clear"),
    "a cell that is goal and none": ({"(is-goal c14)": "(is-goal c14) (is-nongoal c14)"}, "either a goal or none"),
    "a cell that is neither": ({"(is-nongoal c12)": ""}, "either a goal or none"),
    "a stone that is not at its goal": ({"(at hero c11)": "(at hero c11) (at-goal crate)"}, "does not agree"),
    "a stone without a goal": (
        {"crate - stone": "crate box - stone", "(clear c12)": "(at box c12)"}, "may be anywhere"),
    "a place for the player": ({"(and (at-goal crate))": "(and (at-goal crate) (at hero c12))"}, "the goals are not"),
    "a cell that is to be clear": ({"(and (at-goal crate))": "(and (at-goal crate) (clear c21))"}, "the goals are not"),
    "no goal": ({"(and (at-goal crate))": "(and)"}, "may be anywhere"),
    "a goal that must not be": ({"(and (at-goal crate))": "(not (at-goal crate))"}, "NEGATIVE_CONDITIONS"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_BOARDS)
def test_other_boards_are_refused(name: str) -> None:
    changes, reason = OTHER_BOARDS[name]
    assert reason in reason_of(problem_from(changed(PROBLEM, changes)))


@pytest.mark.parametrize("costs", [(1, 2, 2), (0, 1, 2), (1, 0, 0), (0, 0, 0), (2, 1, 1)])
def test_other_costs_are_refused(costs: tuple[int, int, int]) -> None:
    problem = problem_of("@$.", metric=None)
    names = "move", "push-to-goal", "push-to-nongoal"
    problem.add_quality_metric(
        MinimizeActionCosts({problem.action(name): cost for name, cost in zip(names, costs)})
    )
    assert "of the costs" in reason_of(problem)


def test_several_stones_with_places_of_their_own_are_refused() -> None:
    problem = one_push_problem_of("@$  $ ", {"box-1": "pos-2-0", "box-2": "pos-5-0"})
    assert "the goals are not" in reason_of(problem)


def test_a_start_that_cannot_be_entered_again_is_refused() -> None:
    problem = one_push_problem_of("@$ ", {"box-1": "pos-2-0"})
    problem.set_initial_value(problem.fluent("free")(problem.object("pos-0-0")), False)
    assert "cannot be entered again" in reason_of(problem)


def test_a_fluent_without_a_value_is_refused() -> None:
    problem = problem_of("@$.")
    problem.fluents_defaults.pop(problem.fluent("clear"))
    assert "UNDEFINED_INITIAL" in reason_of(problem)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_of_unified_planning_are_refused(name: str) -> None:
    problem = EXAMPLES[name].problem
    if not OutwitEngine.supports(problem.kind):
        with pytest.raises(UPUsageError):
            OutwitEngine().solve(problem)
    assert reason_of(problem)
