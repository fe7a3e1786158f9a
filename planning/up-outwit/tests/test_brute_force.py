"""What the engines claim of small random boards, against plain search over the problems' own actions."""

from __future__ import annotations

import random

import pytest
from conftest import one_push_problem_of, problem_of
from reference import Grounded
from unified_planning.engines import PlanGenerationResultStatus as Status, ValidationResultStatus
from unified_planning.engines import SequentialPlanValidator
from unified_planning.model import Problem
from unified_planning.plans import SequentialPlan

from up_outwit import OutwitEngine, OutwitOptimalEngine

BOARDS = 30
SECONDS = 20.0
"""A timeout that is never needed."""


def random_board(seed: int) -> str:
    """A board of at most 4 by 4 cells with walls in it, which often has no plan.

    It may be solved at the start, may have fewer or more targets than stones, and parts that nobody can come to.
    """
    chance = random.Random(seed)
    rows, cols = chance.choice([(1, 5), (2, 4), (3, 3), (3, 4), (4, 4)])
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    chance.shuffle(cells)
    signs = {cell: " " for cell in cells}
    for _ in range(chance.randrange(0, len(cells) // 4 + 1)):
        signs[cells.pop()] = "#"
    stones = chance.choice([0, 1, 1, 2, 2])
    floor = [cells.pop() for _ in range(stones)]
    targets = chance.choice([stones, stones, stones, stones + 1, max(0, stones - 1)])
    for cell in floor:
        signs[cell] = "$"
    player = cells.pop()
    signs[player] = "@"
    over = {" ": ".", "$": "*", "@": "+"}
    candidates = [cell for cell, sign in signs.items() if sign in over]
    for cell in chance.sample(candidates, min(targets, len(candidates))):
        signs[cell] = over[signs[cell]]
    return "\n".join("".join(signs[row, col] for col in range(cols)) for row in range(rows))


def shut_a_cell(problem: Problem, seed: int) -> None:
    """Makes a cell a wall that still has its neighbours: nothing is there, and it is not clear."""
    is_clear = problem.fluent("clear")
    clear = [atom for atom, value in problem.explicit_initial_values.items() if atom.fluent() == is_clear]
    if clear:
        problem.set_initial_value(random.Random(seed).choice(clear), False)


def check(problem: Problem, counts: dict[str, int], best: int | None, board: str) -> Status:
    """Compares the engines' answers with the least cost of a plan."""
    results = [engine.solve(problem, timeout=SECONDS) for engine in (OutwitOptimalEngine(), OutwitEngine())]
    *_, last = OutwitEngine().get_solutions(problem, timeout=SECONDS)
    for result in (*results, last):
        if best is None:
            assert (result.status, result.plan) == (Status.UNSOLVABLE_PROVEN, None), board
            continue
        assert result.status == Status.SOLVED_OPTIMALLY, f"{result}\n{board}"
        assert sum(counts[instance.action.name] for instance in result.plan.actions) == best, board
        theirs = SequentialPlanValidator().validate(problem, result.plan)
        ours = OutwitEngine().validate(problem, result.plan)
        assert theirs.status == ours.status == ValidationResultStatus.VALID, board
        assert ours.metric_evaluations == theirs.metric_evaluations
    return results[0].status


@pytest.mark.parametrize("metric", ["pushes", "moves"])
def test_claims_hold_on_random_boards(metric: str) -> None:
    seen: dict[Status, int] = {}
    for seed in range(BOARDS):
        board = random_board(seed)
        problem = problem_of(board, metric)
        if seed % 3 == 0:
            shut_a_cell(problem, seed)
        counts = {"move": int(metric == "moves"), "push-to-goal": 1, "push-to-nongoal": 1}
        best = Grounded(problem).least(counts.__getitem__)
        status = check(problem, counts, best, board)
        seen[status] = seen.get(status, 0) + 1
    # Both answers occur often enough to mean something.
    assert min(seen[Status.SOLVED_OPTIMALLY], seen[Status.UNSOLVABLE_PROVEN]) >= BOARDS // 5, seen


def test_claims_hold_where_one_stone_has_one_place_to_go_to() -> None:
    solved = 0
    for seed in range(1000, 1000 + 3 * BOARDS):
        board = random_board(seed).replace("*", "$").replace("+", "@").replace(".", " ")
        if board.count("$") == 1:
            chance = random.Random(seed)
            rows = board.splitlines()
            free = [(row, col) for row, line in enumerate(rows) for col, sign in enumerate(line) if sign != "#"]
            row, col = chance.choice(free)
            problem = one_push_problem_of(board, {"box-1": f"pos-{col}-{row}"})
            best = Grounded(problem).least(lambda _: 1)
            status = check(problem, {"walk": 1, "shove": 1}, best, board)
            solved += status == Status.SOLVED_OPTIMALLY
    assert solved >= 4


def test_the_validator_agrees_with_the_one_of_unified_planning() -> None:
    """On walks at random, on plans, and on plans in which something is left out or exchanged."""
    seen: dict[ValidationResultStatus, int] = {}
    for seed in range(BOARDS):
        chance = random.Random(seed)
        problem = problem_of(random_board(seed), "moves")
        result = OutwitEngine().solve(problem, timeout=SECONDS)
        plans = [SequentialPlan([], problem.environment)]
        if result.plan is not None and len(result.plan.actions) > 1:
            actions = result.plan.actions
            place, other = chance.sample(range(len(actions)), 2)
            exchanged = list(actions)
            exchanged[place], exchanged[other] = exchanged[other], exchanged[place]
            backwards = list(reversed(actions))
            left_out = actions[:place] + actions[place + 1 :]
            goes_on = actions + actions[-1:]
            plans += [SequentialPlan(some) for some in (actions, exchanged, backwards, left_out, goes_on)]
        for plan in plans:
            theirs = SequentialPlanValidator().validate(problem, plan)
            ours = OutwitEngine().validate(problem, plan)
            assert (ours.status, ours.reason) == (theirs.status, theirs.reason), f"{plan}\n{ours.log_messages}"
            assert ours.inapplicable_action is theirs.inapplicable_action
            assert ours.metric_evaluations == theirs.metric_evaluations
            seen[ours.status] = seen.get(ours.status, 0) + 1
    assert min(seen.values()) >= 8 and len(seen) == 2, seen
