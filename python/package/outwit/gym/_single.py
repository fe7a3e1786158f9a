"""One game as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from .. import Area, Session
from ._games import NO_LIMIT, Games, Levels, Outputs, chosen_levels, levels_of

_STATUS = {1.0: "won", -1.0: "lost"}


class OutwitEnv(gymnasium.Env[Any, int]):
    """One game, stepped over its fast simulator.

    An episode plays `area`, or a level that is drawn from `levels`: a list of areas, or the path of a file
    of them. Without either, the game's generator makes levels with `values`, its parameters: `made`
    different ones, or with `made=None` a new one for each episode. They are made ahead on other threads.
    `split` draws from a part: of ten levels in a row `"train"` has the first eight, `"valid"` the next,
    `"test"` the last. `reset(options={"level": 7})` plays the level of that number, from 0; the number of a
    level that is made is its seed.

    An action is an index into `actions`: the steps that have a key and, where the game has aiming, those
    aimed at the cells around the player. Steps that the rules refuse change nothing;
    `info["action_mask"]` says which are allowed, `info["level"]` what is played, `info["status"]` how it
    stands, `info["split"]` which part was drawn from. The reward is 1 for winning, -1 for losing, and
    `step_reward` for every other step.

    What is observed, `obs`, is one of

    * `"window"`: the `2 * radius + 1` rows and columns around the player, a code of `outwit.ROLES` for each
      cell; 0 is off the board, or not seen yet;
    * `"board"`: the board from its upper left corner, in `shape` rows and columns: without a shape, as many
      as the largest level has, or the largest of the first eight that a generator makes; what is larger is
      cut;
    * `"planes"`: the same as an array of 0 and 1 for each role;
    * `"text"`: the same in the game's letters, a line for each row.

    With a `radius`, the last two show the window.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 8}

    def __init__(
        self,
        game: str,
        area: Area | None = None,
        *,
        levels: Levels = None,
        made: int | None = 64,
        split: str = "all",
        obs: str = "window",
        shape: tuple[int, int] | None = None,
        radius: int | None = None,
        step_reward: float = -0.01,
        render_mode: str | None = None,
        **values: Any,
    ):
        if area is not None:
            if levels is not None:
                raise ValueError("either an area or levels")
            levels = [area]
        self.game: str = game
        self.step_reward: float = step_reward
        self.render_mode: str | None = render_mode
        areas = levels_of(game, levels, values)
        self._games = Games(
            game,
            1,
            areas,
            obs=obs,
            shape=shape,
            radius=radius,
            made=made,
            split=split,
            step_reward=step_reward,
            most_steps=NO_LIMIT,
            **values,
        )
        self._outputs = Outputs(self._games, 1, masks=True)
        self._action = np.zeros(1, np.int64)
        self._split = split
        self.actions: list[str] = self._games.actions
        self.action_space: gymnasium.Space[Any] = gymnasium.spaces.Discrete(len(self.actions))
        self.observation_space: gymnasium.Space[Any] = self._games.space()
        self._is_over = True

    @property
    def session(self) -> Session:
        """The game under the reference rules, after the steps so far: to be looked at, solved, or gone on
        with. Each access makes another one from the level."""
        return self._games.native.session(0)

    @property
    def area(self) -> Area:
        """The level that is played."""
        return self.session.area

    def __eq__(self, other: object) -> bool:
        """Whether both environments play the same levels in the same way and are at the same place."""
        if not isinstance(other, OutwitEnv):
            return NotImplemented
        return self._split == other._split and self._games.is_same(other._games)

    def __hash__(self) -> int:
        return id(self)

    def _observation(self) -> Any:
        seen = self._outputs.observations[0]
        return self._games.text(seen) if self._games.obs == "text" else seen.copy()

    def _info(self, status: str) -> dict[str, Any]:
        return {
            "action_mask": self._outputs.masks[0].copy(),
            "status": status,
            "level": int(self._outputs.levels[0]),
            "split": self._split,
        }

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode on a level that is drawn, or on `options["level"]`."""
        super().reset(seed=seed)
        levels = chosen_levels(options, 1)
        games = self._games.native
        games.restart(seed, levels)
        games.step(self._action, self._outputs.arrays)
        self._is_over = False
        return self._observation(), self._info("playing")

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Does an action: what is seen then, its reward, whether the game is over, `False`, and more."""
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over, or has not begun: reset first")
        self._action[0] = action
        self._games.native.step(self._action, self._outputs.arrays)
        self._is_over = bool(self._outputs.terminated[0])
        reward = float(self._outputs.rewards[0]) if self._is_over else self.step_reward
        status = _STATUS[reward] if self._is_over else "playing"
        return self._observation(), reward, self._is_over, False, self._info(status)

    def render(self) -> Any:
        """The board as text (`ansi`, printed for `human`), or as a picture (`rgb_array`)."""
        if self.render_mode == "rgb_array":
            return self.session.picture()
        text = "\n".join(self.session.view())
        if self.render_mode == "human":
            print(text, end="\n\n")
            return None
        return text
