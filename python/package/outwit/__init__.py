"""Planners and simulators of deterministic grid games; every plan is verified by replaying it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._native import (
    GAMES,
    ROLES,
    Area,
    Certified,
    InvalidPlan,
    Label,
    NotCertified,
    Plan,
    ReadError,
    SearchResult,
    Session,
    UnreadableLevel,
    __version__,
    describe,
    generate,
    label,
    parse,
    read,
)

from ._dataset import dataset

__all__ = [
    "GAMES",
    "ROLES",
    "Area",
    "Certified",
    "InvalidPlan",
    "Label",
    "NotCertified",
    "Plan",
    "ReadError",
    "SearchResult",
    "Session",
    "UnreadableLevel",
    "__version__",
    "dataset",
    "describe",
    "generate",
    "label",
    "parse",
    "read",
]


def _observation(self: Session, window: tuple[int, int, int, int] | None = None) -> npt.NDArray[np.uint8]:
    """The cells of a window (row, col, rows, cols), or of the board, as an array of uint8.

    A code is the index of what the cell holds in `outwit.ROLES`; off the board it is 0.
    """
    codes, rows, cols = self.observe(window)
    return np.frombuffer(codes, dtype=np.uint8).reshape(rows, cols)


def _picture(self: Session) -> npt.NDArray[np.uint8]:
    """The board as the player sees it, as an array of red, green and blue: rows, columns, 3."""
    width, height, pixels = self.pixels()
    return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3)


Session.observation = _observation
Session.picture = _picture
