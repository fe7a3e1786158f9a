"""The package folder of planutils, with planutils itself where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PDDL

PACKAGE = Path(__file__).parents[2] / "planutils" / "outwit"
SCRIPTS = ["install", "run", "uninstall"]
FILES = [str(PDDL / "competition.pddl"), str(PDDL / "nook.pddl")]
PLAN = "(move hero c11 c12 right)\n(push-to-goal hero crate c12 c13 c14 right)\n"

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="the package folder is not there")


def test_the_manifest_has_what_planutils_asks_for() -> None:
    manifest = json.loads((PACKAGE / "manifest.json").read_text())
    assert {"name", "description", "install-size", "dependencies"} <= manifest.keys()
    assert manifest["dependencies"] == []
    assert manifest["endpoint"]["services"]["solve"]["template"] == "planner"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_are_sound(name: str) -> None:
    script = PACKAGE / name
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    shellcheck = shutil.which("shellcheck")
    if shellcheck is not None:
        subprocess.run([shellcheck, script], check=True)


@pytest.mark.skipif(importlib.util.find_spec("planutils") is None, reason="planutils is not installed")
def test_planutils_installs_and_runs_it(tmp_path: Path) -> None:
    """In a copy of planutils that has this package among its own, and a home folder of its own."""
    spec = importlib.util.find_spec("planutils")
    assert spec is not None and spec.origin is not None
    planutils = tmp_path / "planutils"
    shutil.copytree(Path(spec.origin).parent, planutils)
    shutil.copytree(PACKAGE, planutils / "packages" / "outwit")
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "OUTWIT_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }

    def ran(*words: str) -> str:
        command = [sys.executable, "-c", "import planutils; planutils.main()", *words]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    ran("setup")
    assert "Finished installing outwit" in ran("install", "--yes", "outwit")
    # planutils fills in the form of its service, too.
    manifest = json.loads((planutils / "packages" / "outwit" / "manifest.json").read_text())
    assert manifest["endpoint"]["services"]["solve"]["call"] == "outwit {domain} {problem} plan"
    ran("run", "outwit", *FILES, "plan")
    assert (tmp_path / "plan").read_text() == PLAN
