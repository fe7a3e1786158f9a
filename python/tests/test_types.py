"""Everything public has a type, for whoever checks theirs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_all_public_types_are_known():
    pytest.importorskip("pyright")
    pytest.importorskip("gymnasium")
    command = [sys.executable, "-m", "pyright", "--verifytypes", "outwit", "--ignoreexternal"]
    # It looks for packages where the first `python` of the path has them.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "Type completeness score: 100%" in ran.stdout, ran.stdout + ran.stderr
