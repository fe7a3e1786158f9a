"""Everything public has a type, for whoever checks theirs."""

import subprocess
import sys

import pytest


def test_all_public_types_are_known():
    pytest.importorskip("pyright")
    pytest.importorskip("gymnasium")
    command = [sys.executable, "-m", "pyright", "--verifytypes", "outwit", "--ignoreexternal"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert "Type completeness score: 100%" in ran.stdout, ran.stdout + ran.stderr
