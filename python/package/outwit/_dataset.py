"""Positions with their labels, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._levels import largest
from ._native import Area


def dataset(
    levels: Sequence[Area],
    *,
    positions: int = 32,
    strays: int = 4,
    shape: tuple[int, int] | None = None,
    radius: int | None = None,
    measure: str | None = None,
    plan_time: float = 1.0,
    time: float = 0.1,
    nodes: int | None = None,
    memory: int = 1024,
    threads: int | None = None,
    seed: int = 1,
) -> dict[str, npt.NDArray[Any]]:
    """Positions of levels with exact labels, for learning by imitation and for learning values.

    From each level `positions` positions are drawn, each up to `strays` random steps away from a plan, for which a
    search has `plan_time` seconds. `label` labels them within `time`, for a least cost in `measure`. With `nodes`
    both searches have this number of expansions, no clock, and so the same result on any machine. Each array has a
    row for each position:

    * `observations`: a code of `outwit.ROLES` for each cell, of the board in `shape` rows and columns (those of the
      largest level, if nothing is said), or of the window around the player with this `radius`;
    * `masks`: 1 for each allowed action;
    * `best`: an action that begins a plan of least cost, `distances`: that cost; both -1 if it is not known;
    * `lost`: 1 for a lost position, 0 for another one, -1 if it is not known;
    * `levels`: the place of the level in `levels`.

    `actions` has the actions as steps. `numpy.savez_compressed("positions.npz", **dataset(levels))` writes them.
    """
    if shape is None and radius is None:
        shape = largest(levels)
    flat = _native.dataset(
        levels,
        positions=positions,
        strays=strays,
        shape=shape,
        radius=radius,
        measure=measure,
        plan_time=plan_time,
        time=None if nodes is not None else time,
        nodes=nodes,
        memory=memory,
        threads=threads,
        seed=seed,
    )
    actions, shape = flat.pop("actions"), flat.pop("shape")
    arrays: dict[str, npt.NDArray[Any]] = flat
    arrays["observations"] = arrays["observations"].reshape(-1, *shape)
    arrays["masks"] = arrays["masks"].reshape(-1, len(actions))
    arrays["actions"] = np.array(actions)
    return arrays
