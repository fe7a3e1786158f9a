"""The command `up-outwit`: solves a problem in PDDL and writes the plan as a file of the planning competition."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pyparsing import ParseBaseException
from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus as Status
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLReader
from unified_planning.plans import SequentialPlan

from .engine import OutwitEngine, OutwitOptimalEngine
from .strips import objects_of

SOLVED, UNSOLVABLE, BAD_INPUT, OUT_OF_BUDGET = 0, 1, 2, 3
"""Exit codes, which are outwit's."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        problem = PDDLReader().parse_problem(given.domain, given.problem)
    except (OSError, ParseBaseException, UPException, SyntaxError, ValueError, KeyError, AssertionError) as error:
        print(f"up-outwit: the files cannot be read: {error}", file=sys.stderr)
        return BAD_INPUT
    options = {"seed": given.seed, "memory_mib": given.memory, "threads": given.threads}
    engine = OutwitOptimalEngine(**options) if given.optimal else OutwitEngine(effort=given.effort, **options)
    engine.skip_checks = True
    result = engine.solve(problem, timeout=given.timeout, output_stream=sys.stderr if given.verbose else None)
    print(_summary(result), file=sys.stderr)
    if isinstance(result.plan, SequentialPlan):
        text = _plan_text(result.plan)
        if given.plan is None:
            sys.stdout.write(text)
        else:
            Path(given.plan).write_text(text, encoding="utf-8")
    return _exit_code(result)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="up-outwit",
        description="Solves a Sokoban problem in PDDL. Other problems are refused.",
        epilog="Exit codes: 0 a plan is written; 1 there is none, proven; 2 bad input, or no Sokoban; 3 time or "
        "memory was over.",
    )
    parser.add_argument("domain", help="file of the domain")
    parser.add_argument("problem", help="file of the problem")
    parser.add_argument("plan", nargs="?", help="file for the plan; stdout if none is given")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for the search; no limit if none is given")
    parser.add_argument("--optimal", action="store_true", help="only a plan that is proven to be a best one will do")
    parser.add_argument("--effort", choices=("quick", "good", "best"), default="good", help="how long a proof is tried")
    parser.add_argument("--memory", type=int, metavar="MIB", default=1024, help="most memory of a search (1024)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads; as many as the machine has if none are given"
    )
    parser.add_argument("--seed", type=int, metavar="N", default=1, help="decides between equals (1)")
    parser.add_argument("--verbose", action="store_true", help="tell the progress on stderr")
    return parser


def _summary(result: PlanGenerationResult) -> str:
    said = "".join(f": {message.message}" for message in result.log_messages or [])
    return f"{result.engine_name}: {result.status.name}{said}"


def _plan_text(plan: SequentialPlan) -> str:
    lines = [f"({' '.join([instance.action.name, *objects_of(instance)])})\n" for instance in plan.actions]
    return "".join(lines)


def _exit_code(result: PlanGenerationResult) -> int:
    if result.status in (Status.SOLVED_OPTIMALLY, Status.SOLVED_SATISFICING):
        return SOLVED
    if result.status == Status.UNSOLVABLE_PROVEN:
        return UNSOLVABLE
    return BAD_INPUT if result.status == Status.UNSUPPORTED_PROBLEM else OUT_OF_BUDGET


if __name__ == "__main__":
    sys.exit(main())
