"""Planners and simulators of deterministic grid games; every plan is verified by replaying it."""

from __future__ import annotations

import numpy as np

from ._native import (
    GAMES,
    ROLES,
    Area,
    InvalidPlan,
    Plan,
    ReadError,
    SearchResult,
    Session,
    UnreadableLevel,
    describe,
    generate,
    parse,
    read,
)

__all__ = [
    "GAMES",
    "ROLES",
    "Area",
    "InvalidPlan",
    "Plan",
    "ReadError",
    "SearchResult",
    "Session",
    "UnreadableLevel",
    "describe",
    "generate",
    "parse",
    "read",
]


def _observation(self, window=None):
    """The cells of a window (row, col, rows, cols), or of the board, as an array of uint8.

    A code is the index of what the cell holds in `outwit.ROLES`; off the board it is 0.
    """
    codes, rows, cols = self.observe(window)
    return np.frombuffer(codes, dtype=np.uint8).reshape(rows, cols)


Session.observation = _observation
