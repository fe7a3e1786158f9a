"""Gymnasium environments for each game, one alone or many stepped together.

`gymnasium.make("outwit/sokoban-v0")` makes one, `gymnasium.make_vec("outwit/sokoban-v0", num_envs=256)` many;
both take the arguments of `OutwitEnv` and `VectorEnv`.
"""

import gymnasium

from .. import GAMES
from ._single import OutwitEnv
from ._vector import VectorEnv

__all__ = ["OutwitEnv", "VectorEnv"]

for _game in GAMES:
    gymnasium.register(
        f"outwit/{_game}-v0",
        entry_point=OutwitEnv,
        vector_entry_point=VectorEnv,
        kwargs={"game": _game},
        max_episode_steps=1000,
    )
