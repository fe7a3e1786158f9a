"""Properties of several levels together."""

from __future__ import annotations

from collections.abc import Sequence

from ._native import Area


def largest(areas: Sequence[Area]) -> tuple[int, int]:
    """The most rows and the most columns of some areas."""
    extents = [area.extent for area in areas]
    rows = max((rows for _, _, rows, _ in extents), default=1)
    return rows, max((cols for *_, cols in extents), default=1)
