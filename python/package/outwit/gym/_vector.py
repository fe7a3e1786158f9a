"""Many games as one Gymnasium environment."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeAlias

import gymnasium
import gymnasium.vector
import numpy as np
import numpy.typing as npt

from .. import Session
from ._games import Games, Levels, Outputs, chosen_levels, levels_of

#: Observations, rewards, which games are over, which were cut off, and more.
_Answer: TypeAlias = tuple[
    Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
]


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games of one kind, stepped together over their fast simulators, without the interpreter's lock.

    Levels, actions and observations are those of `OutwitEnv`, and so are its arguments. Each game draws its
    level by its own random numbers, and begins again at the step after its end, whose action is not done and
    whose reward is 0 (`AutoresetMode.NEXT_STEP`). A game is cut off after `max_episode_steps`.
    `reset(options={"level": 7})` begins all games on that level, a list of numbers each game on its own.

    With `copy=False` the arrays of a step are written over by the next one. `masks=False` leaves
    `info["action_mask"]` out, which is faster.

    `async_reset`, `send` and `recv` are the same steps for a part of the games: `send(actions, env_id)` has
    games stepped on another thread, and `recv` waits for the first `batch_size` of them in the order in
    which they were sent, with their numbers in `info["env_id"]`. The results do not depend on the
    speed of the threads.
    """

    metadata: dict[str, Any] = {
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        levels: Levels = None,
        made: int | None = 64,
        split: str = "all",
        obs: str = "window",
        shape: tuple[int, int] | None = None,
        radius: int | None = None,
        step_reward: float = -0.01,
        max_episode_steps: int = 1000,
        copy: bool = True,
        masks: bool = True,
        batch_size: int | None = None,
        render_mode: str | None = None,
        **values: Any,
    ):
        if render_mode is not None:
            raise ValueError("many games are not rendered: make one, and render that")
        if batch_size is not None and not 1 <= batch_size <= num_envs:
            raise ValueError(f"batch_size={batch_size} is not from 1 to {num_envs}")
        self.game: str = game
        self.num_envs: int = num_envs
        self.batch_size: int = batch_size or num_envs
        self.copy: bool = copy
        self.render_mode: str | None = None
        areas = levels_of(game, levels, values)
        self._games = Games(
            game,
            num_envs,
            areas,
            obs=obs,
            shape=shape,
            radius=radius,
            made=made,
            split=split,
            step_reward=step_reward,
            most_steps=max_episode_steps,
            **values,
        )
        self._split = split
        self._masks = masks
        self._outputs = Outputs(self._games, num_envs, masks)
        self._begin = np.zeros(num_envs, np.int64)
        self.actions: list[str] = self._games.actions
        self.single_action_space: gymnasium.Space[Any] = gymnasium.spaces.Discrete(len(self.actions))
        self.single_observation_space: gymnasium.Space[Any] = self._games.space()
        batch_space = gymnasium.vector.utils.batch_space
        self.action_space: gymnasium.Space[Any] = gymnasium.spaces.MultiDiscrete(
            [len(self.actions)] * num_envs
        )
        self.observation_space: gymnasium.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self._stepper: ThreadPoolExecutor | None = None
        self._sent: deque[tuple[int, int]] = deque()
        self._batches: deque[Future[tuple[Outputs, npt.NDArray[np.uint32]]]] = deque()

    def session(self, game: int) -> Session:
        """The game of this number under the reference rules, after the steps so far."""
        return self._games.native.session(game)

    def __getstate__(self) -> dict[str, Any]:
        if self._batches or self._sent:
            raise TypeError("games that were sent cannot be copied: recv them first")
        return {**self.__dict__, "_stepper": None}

    def __eq__(self, other: object) -> bool:
        """Whether both environments play the same levels in the same way and are at the same place."""
        if not isinstance(other, VectorEnv):
            return NotImplemented
        return self._split == other._split and self._games.is_same(other._games)

    def __hash__(self) -> int:
        return id(self)

    def _observations(self, outputs: Outputs) -> Any:
        if self._games.obs == "text":
            return tuple(self._games.text(codes) for codes in outputs.observations)
        return outputs.observations.copy() if self.copy else outputs.observations

    def _info(self, outputs: Outputs) -> dict[str, Any]:
        info: dict[str, Any] = {"level": outputs.levels, "split": self._split}
        if self._masks:
            info["action_mask"] = outputs.masks
        if self.copy:
            info = {name: value if name == "split" else value.copy() for name, value in info.items()}
        return info

    def _answer(self, outputs: Outputs) -> _Answer:
        rewards, terminated, truncated = outputs.rewards, outputs.terminated, outputs.truncated
        if self.copy:
            rewards, terminated, truncated = rewards.copy(), terminated.copy(), truncated.copy()
        return self._observations(outputs), rewards, terminated, truncated, self._info(outputs)

    def _restart(self, seed: int | None, options: dict[str, Any] | None) -> None:
        super().reset(seed=seed)
        self._games.native.restart(seed, chosen_levels(options, self.num_envs))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins all games on levels that are drawn, or on those of `options["level"]`."""
        if self._batches or self._sent:
            raise gymnasium.error.AlreadyPendingCallError("recv what was sent first", "send")
        self._restart(seed, options)
        self._games.native.step(self._begin, self._outputs.arrays)
        return self._observations(self._outputs), self._info(self._outputs)

    def step(self, actions: npt.ArrayLike) -> _Answer:
        """Does an action in each game: what is seen then, rewards, which are over, which are cut off, and more."""
        if self._batches or self._sent:
            raise gymnasium.error.AlreadyPendingCallError("recv what was sent first", "send")
        self._games.native.step(np.ascontiguousarray(actions, np.int64), self._outputs.arrays)
        return self._answer(self._outputs)

    def async_reset(self, *, seed: int | None = None) -> None:
        """Begins all games; `recv` gives what they show."""
        if self._batches or self._sent:
            raise gymnasium.error.AlreadyPendingCallError("recv what was sent first", "send")
        self._restart(seed, None)
        self.send(self._begin, np.arange(self.num_envs))

    def send(self, actions: npt.ArrayLike, env_id: npt.ArrayLike) -> None:
        """Has the games of these numbers do an action each."""
        self._sent.extend(zip(np.asarray(env_id).tolist(), np.asarray(actions).tolist(), strict=True))
        if self._stepper is None:
            self._stepper = ThreadPoolExecutor(1, "outwit-steps")
        while len(self._sent) >= self.batch_size:
            batch = [self._sent.popleft() for _ in range(self.batch_size)]
            self._batches.append(self._stepper.submit(self._step_batch, batch))

    def _step_batch(self, batch: list[tuple[int, int]]) -> tuple[Outputs, npt.NDArray[np.uint32]]:
        outputs = Outputs(self._games, len(batch), self._masks)
        numbers, actions = np.array(batch, np.int64).T
        games = np.ascontiguousarray(numbers, np.uint32)
        self._games.native.step(np.ascontiguousarray(actions), outputs.arrays, games)
        return outputs, games

    def recv(self) -> _Answer:
        """Waits for the first `batch_size` games that were sent, and gives the results of their steps."""
        if not self._batches:
            raise gymnasium.error.NoAsyncCallError(
                f"{len(self._sent)} games were sent: fewer than a batch of {self.batch_size}", "send"
            )
        outputs, games = self._batches.popleft().result()
        info: dict[str, Any] = {"env_id": games, "level": outputs.levels, "split": self._split}
        if self._masks:
            info["action_mask"] = outputs.masks
        is_text = self._games.obs == "text"
        seen = tuple(map(self._games.text, outputs.observations)) if is_text else outputs.observations
        return seen, outputs.rewards, outputs.terminated, outputs.truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the thread on which games that were sent are stepped."""
        if self._stepper is not None:
            self._stepper.shutdown()
            self._stepper = None
