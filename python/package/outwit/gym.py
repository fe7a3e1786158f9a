"""A Gymnasium environment for each game: `gymnasium.make("outwit/sokoban-v0")`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from . import GAMES, ROLES, Area, generate

#: Rows and columns that a throw reaches at most, in each direction.
AIM = 7


class OutwitEnv(gymnasium.Env):
    """One game under its reference rules.

    An episode plays `area`, or without one a new area that the game's generator makes from the
    seed and `parameters`. An action is an index into `actions`: the steps that have a key and,
    where the game has aiming, those aimed at the cells around the player. Steps that the rules
    refuse change nothing; `info["action_mask"]` says which are allowed.

    An observation is a square of `2 * radius + 1` cells around the player, a code of `outwit.ROLES`
    each. The reward is 1 for winning, -1 for losing, and `step_reward` for every other step.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str,
        area: Area | None = None,
        radius: int = 10,
        step_reward: float = -0.01,
        render_mode: str | None = None,
        **parameters: Any,
    ):
        if game not in GAMES:
            raise ValueError(f"{game!r} is not one of {', '.join(GAMES)}")
        if area is not None and area.game != game:
            raise ValueError(f"the area is one of {area.game}, not of {game}")
        self.game = game
        self.area = area
        self.radius = radius
        self.step_reward = step_reward
        self.render_mode = render_mode
        self.parameters = parameters
        first = area if area is not None else generate(game, 0, **parameters)[0]
        self.session = first.session()
        self.actions = self._actions()
        side = 2 * radius + 1
        self.action_space = gymnasium.spaces.Discrete(len(self.actions))
        self.observation_space = gymnasium.spaces.Box(
            0, len(ROLES) - 1, shape=(side, side), dtype=np.uint8
        )

    def _actions(self) -> list[str]:
        steps = list(self.session.key_steps)
        row, col = self.session.player or (0, 0)
        around = range(-AIM, AIM + 1)
        aimed = (self.session.aim(row + r, col + c) for r in around for c in around)
        steps.extend(step for step in aimed if step is not None and step not in steps)
        return steps

    def _observation(self) -> np.ndarray:
        row, col = self.session.player or (0, 0)
        side = 2 * self.radius + 1
        return self.session.observation((row - self.radius, col - self.radius, side, side)).copy()

    def _info(self) -> dict[str, Any]:
        legal = set(self.session.legal_steps(self.actions))
        mask = np.array([step in legal for step in self.actions], dtype=np.int8)
        return {"action_mask": mask, "status": self.session.status, "facts": self.session.facts}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        area = self.area
        if area is None:
            area, _ = generate(self.game, int(self.np_random.integers(2**31)), **self.parameters)
        self.session = area.session()
        return self._observation(), self._info()

    def step(self, action):
        try:
            self.session.act(self.actions[int(action)])
        except ValueError:
            pass  # refused: nothing has changed, and the step costs what any other does
        status = self.session.status
        reward = {"won": 1.0, "lost": -1.0}.get(status, self.step_reward)
        return self._observation(), reward, status != "playing", False, self._info()

    def render(self):
        return "\n".join(self.session.view())


for _game in GAMES:
    gymnasium.register(
        f"outwit/{_game}-v0", entry_point=OutwitEnv, kwargs={"game": _game}, max_episode_steps=1000
    )
