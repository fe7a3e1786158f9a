"""PDDL in and out: the command, what outwit exports, and other names for everything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import PDDL, READER
from unified_planning.engines import SequentialPlanValidator

from up_outwit import OutwitOptimalEngine
from up_outwit.__main__ import main

EXPORTED_DOMAIN = Path(__file__).parents[3] / "src" / "games" / "sokoban" / "domain.pddl"
FILES = [str(PDDL / "competition.pddl"), str(PDDL / "nook.pddl")]


def test_the_command_writes_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan"
    assert main([*FILES, str(plan), "--timeout", "10"]) == 0
    assert plan.read_text() == "(move hero c11 c12 right)\n(push-to-goal hero crate c12 c13 c14 right)\n"
    assert capsys.readouterr().err == "outwit: SOLVED_SATISFICING\n"
    problem = READER.parse_problem(*FILES)
    assert SequentialPlanValidator().validate(problem, READER.parse_plan(problem, str(plan)))
    assert main(FILES) == 0
    assert capsys.readouterr().out == plan.read_text()


def test_the_command_says_why_there_is_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    problem.write_text(Path(FILES[1]).read_text().replace("(is-nongoal c12)", "(is-goal c12)").replace(
        "(is-goal c14)", "(is-nongoal c14)"
    ))  # fmt: skip
    assert main([FILES[0], str(problem)]) == 1
    assert "UNSOLVABLE_PROVEN" in capsys.readouterr().err
    domain.write_text(Path(FILES[0]).read_text().replace("(clear ?b)\n", "\n"))
    assert main([str(domain), FILES[1]]) == 2
    assert "UNSUPPORTED_PROBLEM: the actions are not those of Sokoban" in capsys.readouterr().err
    domain.write_text("(define (domain")
    assert main([str(domain), FILES[1]]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main([FILES[0], str(tmp_path / "none")]) == 2


@pytest.mark.skipif(not EXPORTED_DOMAIN.exists(), reason="the sources of outwit are not there")
def test_what_outwit_exports_is_solved_with_its_costs() -> None:
    problem = READER.parse_problem(str(EXPORTED_DOMAIN), str(PDDL / "exported.pddl"))
    plan = OutwitOptimalEngine().solve(problem).plan
    validated = SequentialPlanValidator().validate(problem, plan)
    # `outwit solve --optimal` says so of the level, areas/sokoban/pull-7x8-2-1.xsb.
    assert validated and list(validated.metric_evaluations.values()) == [8]


def test_names_do_not_matter() -> None:
    """Every name of the domain and of the problem becomes another one."""
    words: dict[str, str] = {}
    kept = {"define", "domain", "problem", "and", "not", "object"}

    def renamed(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in kept else words.setdefault(word, f"w{len(words)}")

    def text_of(file: str) -> str:
        lines = [line.split(";")[0] for line in Path(file).read_text().splitlines()]
        return re.sub(r"(?<![:\w-])[a-z][\w-]*", renamed, "\n".join(lines))

    problem = READER.parse_problem_string(*map(text_of, FILES))
    plan = OutwitOptimalEngine().solve(problem).plan
    assert [instance.action.name for instance in plan.actions] == [words["move"], words["push-to-goal"]]
    assert SequentialPlanValidator().validate(problem, plan)
