"""The examples run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_a_collection_is_solved_and_plotted(tmp_path):
    pytest.importorskip("matplotlib")
    levels = tmp_path / "levels.xsb"
    levels.write_text("#####\n#@$.#\n#####\n\n######\n#@$ .#\n######\n")
    out = tmp_path / "plot.png"
    command = [sys.executable, EXAMPLES / "collection.py", levels, "--time", "1", "--out", out]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "level 2: optimal, length 2, bound 2" in ran.stdout
    assert out.read_bytes().startswith(b"\x89PNG")


def test_the_readme_runs():
    readme = (EXAMPLES.parent / "README.md").read_text()
    blocks = [block for block in readme.split("```")[1::2] if block.startswith("python\n")]
    assert len(blocks) == 6
    code = "\n".join(block.removeprefix("python\n") for block in blocks)
    # The session goes on until it is won: a corridor has one way only.
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("optimal 1 R")
    by_chance, by_policy = (int(part.split()[-1]) for part in ran.stdout.split("% of the games are won")[:2])
    assert by_policy > 1.5 * by_chance, ran.stdout


def test_a_policy_learns():
    pytest.importorskip("matplotlib")
    pytest.importorskip("gymnasium")
    cells = json.loads((EXAMPLES / "sokoban_policy.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    show = "print('results', accuracy[0], accuracy[-1], imitated, max(curve))"
    script = "\n".join(["import matplotlib; matplotlib.use('Agg')", *code, show])
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    first, last, imitated, learned = map(float, ran.stdout.split("results")[1].split())
    assert last > first and last > 0.5 and imitated > 0.1 and learned > imitated, ran.stdout


def test_steps_are_counted():
    pytest.importorskip("gymnasium")
    command = [sys.executable, EXAMPLES / "speed.py", "sokoban", "--seconds", "0.02"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert len(lines) == 11 and all(line.endswith(" steps a second") for line in lines)
