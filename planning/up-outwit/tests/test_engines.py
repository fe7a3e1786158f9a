"""The engines as unified-planning uses them: by the factory, with options, warm starts and timeouts."""

from __future__ import annotations

import io
import time

import pytest
from conftest import one_push_problem_of, problem_of
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.environment import get_environment
from unified_planning.exceptions import UPNoSuitableEngineAvailableException
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import AnytimePlanner, OneshotPlanner, PlanValidator

from up_outwit import OutwitEngine, OutwitOptimalEngine, register

SMALL = """\
 .    .
   $  $
      @"""
HALL = "\n".join(
    [
        "           ",
        " $  $  $ . ",
        "  $  $   . ",
        "   .  .  . ",
        " $   @   $ ",
        " .  #  $ . ",
        "         . ",
    ]
)
"""A hall without walls, for which the fewest moves are out of reach."""


def test_the_factory_chooses_the_engines() -> None:
    problem = problem_of(SMALL)
    with OneshotPlanner(problem_kind=problem.kind) as engine:
        assert engine.name == "outwit"
    with OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY") as engine:
        assert engine.name == "outwit-opt"
        result = engine.solve(problem)
    assert result.status == Status.SOLVED_OPTIMALLY
    with AnytimePlanner(problem_kind=problem.kind, anytime_guarantee="INCREASING_QUALITY") as engine:
        assert engine.name == "outwit"
    with pytest.raises(UPNoSuitableEngineAvailableException):
        AnytimePlanner(problem_kind=problem.kind, anytime_guarantee="OPTIMAL_PLANS")
    with PlanValidator(name="outwit") as engine:
        assert engine.validate(problem, result.plan)
    register()
    assert get_environment().factory.preference_list.count("outwit") == 1


def test_options_are_taken() -> None:
    options = {"seed": 3, "memory_mib": 128, "threads": 1, "effort": "quick"}
    with OneshotPlanner(name="outwit", params=options) as engine:
        assert engine.solve(problem_of(SMALL), timeout=10).plan is not None
    with pytest.raises(ValueError, match="effort"):
        OutwitEngine(effort="little")
    with pytest.raises(TypeError):
        OutwitEngine(depth=3)


def test_without_a_metric_a_plan_is_a_plan() -> None:
    problem = problem_of(SMALL, metric=None)
    for engine in (OutwitEngine(), OutwitOptimalEngine()):
        result = engine.solve(problem, timeout=10)
        assert result.status == Status.SOLVED_SATISFICING
        assert OutwitEngine().validate(problem, result.plan).metric_evaluations is None
    results = OutwitEngine().get_solutions(problem, timeout=10)
    assert [result.status for result in results] == [Status.SOLVED_SATISFICING]


def test_a_level_that_is_solved_has_a_plan_without_actions() -> None:
    for problem in (problem_of("@*"), one_push_problem_of("@$", {"box-1": "pos-1-0"})):
        for engine in (OutwitEngine(), OutwitOptimalEngine()):
            result = engine.solve(problem)
            assert (result.status, result.plan.actions) == (Status.SOLVED_OPTIMALLY, [])


def test_a_stone_that_nobody_can_come_to_decides_by_where_it_is() -> None:
    lost = OutwitEngine().solve(problem_of("@$.#$.", metric="moves"))
    assert lost.status == Status.UNSOLVABLE_PROVEN and "cannot come to it" in lost.log_messages[0].message
    assert OutwitEngine().solve(problem_of("@$.#*.", metric="moves")).status == Status.SOLVED_OPTIMALLY
    crowded = OutwitEngine().solve(problem_of("$ @ $.", metric="moves"))
    assert crowded.status == Status.UNSOLVABLE_PROVEN and "1 targets" in crowded.log_messages[0].message


def test_a_plan_without_a_proof_is_not_called_optimal() -> None:
    problem = problem_of(HALL, "moves")
    begin = time.monotonic()
    result = OutwitOptimalEngine(threads=1).solve(problem, timeout=0.3)
    assert result.status == Status.TIMEOUT
    result = OutwitEngine(threads=1).solve(problem, timeout=1)
    assert result.status == Status.SOLVED_SATISFICING
    assert int(result.metrics["bound"]) < len(result.plan.actions)
    assert OutwitEngine().validate(problem, result.plan)
    assert time.monotonic() - begin < 5
    result = OutwitOptimalEngine(threads=1).solve(problem, timeout=0.3, warm_start_plan=result.plan)
    assert result.status == Status.TIMEOUT and OutwitEngine().validate(problem, result.plan)


def test_plans_get_better() -> None:
    problem = problem_of(HALL, "pushes")
    costs, statuses = [], []
    for result in OutwitEngine(threads=1).get_solutions(problem, timeout=2):
        validated = OutwitEngine().validate(problem, result.plan)
        costs += validated.metric_evaluations.values()
        statuses.append(result.status)
    assert costs[:-1] == sorted(set(costs[:-1]), reverse=True) and costs[-1] == costs[-2]
    assert set(statuses[:-1]) == {Status.INTERMEDIATE}
    assert statuses[-1] in (Status.SOLVED_OPTIMALLY, Status.SOLVED_SATISFICING)


def test_a_known_plan_is_where_the_search_begins() -> None:
    problem = problem_of(SMALL, "moves")
    engine = OutwitOptimalEngine()
    best = engine.solve(problem).plan
    assert engine.solve(problem, warm_start_plan=best).plan == best
    with pytest.warns(UserWarning, match="does not hold"):
        again = engine.solve(problem, warm_start_plan=SequentialPlan(best.actions[1:]))
    assert len(again.plan.actions) == len(best.actions)


def test_progress_goes_to_the_stream_and_heuristics_are_not_used() -> None:
    stream = io.StringIO()
    with pytest.warns(UserWarning, match="heuristics"):
        OutwitEngine().solve(problem_of(SMALL), heuristic=lambda _: 0, timeout=10, output_stream=stream)
    assert stream.getvalue().startswith("outwit: ")


def test_a_plan_that_passes_the_goals_and_goes_on_is_judged_by_its_end() -> None:
    problem = problem_of("@$. ", "moves")
    right = OutwitEngine().solve(problem).plan.actions
    names = ["player-1", "stone-1", "pos-1-0", "pos-2-0", "pos-3-0", "dir-right"]
    off = right[0].__class__(problem.action("push-to-nongoal"), [problem.object(name) for name in names])
    result = OutwitEngine().validate(problem, SequentialPlan([*right, off]))
    assert (result.status.name, result.reason.name) == ("INVALID", "UNSATISFIED_GOALS")
    wrong = OutwitEngine().validate(problem, SequentialPlan([off, *right]))
    assert wrong.inapplicable_action is off and "does not hold" in wrong.log_messages[0].message


def test_a_cell_that_is_not_clear_and_empty_is_a_wall() -> None:
    for metric in ("pushes", "moves"):
        problem = problem_of("@ $.\n    ", metric)
        assert OutwitEngine().solve(problem, timeout=10).status == Status.SOLVED_OPTIMALLY
        # The stone is at the upper edge, and there is no other way to its left side.
        problem.set_initial_value(problem.fluent("clear")(problem.object("pos-1-0")), False)
        assert OutwitEngine().solve(problem, timeout=10).status == Status.UNSOLVABLE_PROVEN
