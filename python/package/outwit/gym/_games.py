"""The games below both kinds of environments: levels, what is observed, and the arrays that a step fills."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from .. import GAMES, ROLES, Area, read
from .._levels import largest
from .._native import Arrays, Environments

#: The forms of observations.
OBSERVATIONS = ("window", "board", "planes", "text")
#: Cells that a window shows in each direction, if nothing else is said.
RADIUS = 10
#: Number of levels of a generator whose largest board is the shape of observations.
SIZED = 8
#: More steps than any episode has.
NO_LIMIT = 2**32 - 1

#: A file of levels, a list of them, or `None` for those of a generator.
Levels: TypeAlias = str | os.PathLike[str] | Sequence[Area] | None


def levels_of(game: str, levels: Levels, values: dict[str, Any]) -> list[Area] | None:
    """The areas that `levels` names; `None` if a generator makes them."""
    if game not in GAMES:
        raise ValueError(f"{game!r} is not one of {', '.join(GAMES)}")
    if levels is None:
        return None
    if values:
        raise ValueError(f"{', '.join(values)}: a generator takes these, and levels are given")
    return read(levels, game) if isinstance(levels, (str, os.PathLike)) else list(levels)


def chosen_levels(options: dict[str, Any] | None, count: int) -> list[int] | None:
    """The levels that `options` of a reset choose for `count` games, if they do."""
    options = dict(options or {})
    level = options.pop("level", None)
    if options:
        raise ValueError(f"options that are not known: {', '.join(options)}")
    if level is None:
        return None
    every = np.broadcast_to(np.asarray(level), np.shape(level) or count)
    return [operator.index(number) for number in every]


class Games:
    """Games of one kind, and what is observed of them."""

    def __init__(
        self,
        game: str,
        count: int,
        levels: list[Area] | None,
        *,
        obs: str,
        shape: tuple[int, int] | None,
        radius: int | None,
        **settings: Any,
    ):
        if obs not in OBSERVATIONS:
            raise ValueError(f"obs={obs!r} is not one of {', '.join(OBSERVATIONS)}")
        if shape is not None and (obs == "window" or radius is not None):
            raise ValueError("a window around the player has a radius, not a shape")
        if obs == "board" and radius is not None:
            raise ValueError("obs='board' has a shape: with a radius it is 'window'")
        if obs == "window" and radius is None:
            radius = RADIUS
        self._arguments = (game, levels, count)
        self._settings = {"radius": radius, "planes": obs == "planes", **settings}
        if radius is None and shape is None:
            seen = levels
            if levels is None:
                first = self._make((1, 1))
                seen = [first.level(number) for number in first.first_levels(SIZED)]
            shape = largest(seen or [])
        self._shape = shape
        self.native: Environments = self._make(shape)
        self.actions: list[str] = self.native.actions
        self.obs: str = obs
        side = 2 * (radius or 0) + 1
        self.shape: tuple[int, int] = shape or (side, side)
        letters = self.native.letters
        self._letters = np.frombuffer(letters.encode("ascii"), np.uint8)
        self._charset = "".join(sorted(set(letters))) + "\n"

    def _make(self, shape: tuple[int, int] | None) -> Environments:
        return Environments(*self._arguments, shape=shape, **self._settings)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "native": self.native.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.native = self._make(self._shape)
        self.native.resume(state["native"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Games:
        # Levels and all else never change.
        copy = object.__new__(Games)
        copy.__dict__.update(self.__dict__, native=self.native.fork())
        return copy

    def is_same(self, other: Games) -> bool:
        """Whether both play the same levels in the same way and are at the same place."""

        def parts(games: Games) -> tuple[Any, ...]:
            return games._arguments, games._settings, games.obs, games.shape, games.native.state()

        return parts(self) == parts(other)

    @property
    def array_shape(self) -> tuple[int, ...]:
        """The shape of the codes of one game."""
        return (len(ROLES), *self.shape) if self.obs == "planes" else self.shape

    def space(self) -> gymnasium.Space[Any]:
        """The space of the observations of one game."""
        if self.obs == "text":
            rows, cols = self.shape
            length = rows * (cols + 1) - 1
            return gymnasium.spaces.Text(length, min_length=length, charset=self._charset)
        most = 1 if self.obs == "planes" else len(ROLES) - 1
        return gymnasium.spaces.Box(0, most, self.array_shape, np.uint8)

    def text(self, codes: npt.NDArray[np.uint8]) -> str:
        """The codes of a board as letters of the game."""
        lines = np.full((codes.shape[0], codes.shape[1] + 1), ord("\n"), np.uint8)
        lines[:, :-1] = self._letters[codes]
        return lines.tobytes().decode("ascii")[:-1]


class Outputs:
    """The arrays that a step of some games fills."""

    def __init__(self, games: Games, count: int, masks: bool):
        self.observations: npt.NDArray[np.uint8] = np.zeros((count, *games.array_shape), np.uint8)
        self.rewards: npt.NDArray[np.float32] = np.zeros(count, np.float32)
        self.terminated: npt.NDArray[np.bool_] = np.zeros(count, np.bool_)
        self.truncated: npt.NDArray[np.bool_] = np.zeros(count, np.bool_)
        self.masks: npt.NDArray[np.int8] = np.zeros((count, len(games.actions) if masks else 0), np.int8)
        self.levels: npt.NDArray[np.uint32] = np.zeros(count, np.uint32)
        self._lend()

    def _lend(self) -> None:
        self.arrays: Arrays = Arrays(
            self.observations.reshape(-1),
            self.rewards,
            self.terminated,
            self.truncated,
            self.masks.reshape(-1).view(np.uint8),
            self.levels,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self.__dict__.items() if name != "arrays"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lend()
