"""Counts random steps a second: many games at once, one alone, and Gymnasium's own way to step many.

pip install 'outwit[gym]'
python speed.py [GAME ...] [--levels FILE]

With --peers the Sokoban of EnvPool and of Jumanji is measured, too (pip install envpool jumanji), on levels of
their own: their steps are the same keystrokes on boards of the same 10 by 10 cells.
"""

import argparse
import importlib.util
import time
from pathlib import Path

import gymnasium
import numpy as np

import outwit
import outwit.gym

#: Rows and columns of levels that are made, where a game's generator takes them.
SIZES = {"last-of-us": {"rows": 60, "cols": 60}}


def rate(step, steps_each, seconds):
    """Steps a second of a function that does some at a time: the median of five measurements."""
    rates = []
    for _ in range(5):
        step()
        started, steps = time.perf_counter(), 0
        while time.perf_counter() - started < seconds / 5:
            step()
            steps += steps_each
        rates.append(steps / (time.perf_counter() - started))
    return sorted(rates)[2]


def random_steps(games, count):
    """A function that does a random step in each game: an allowed one, if masks are there."""
    choose = np.random.default_rng(1)
    width = len(games.actions)
    _, info = games.reset(seed=1)
    if "action_mask" not in info:
        rows = iter_forever(choose.integers(width, size=(64, count)))
        return lambda: games.step(next(rows))
    # Where an action is not allowed the next one that is takes its place.
    noise = iter_forever(choose.random((16, count, width), dtype=np.float32))
    state = {"mask": info["action_mask"]}

    def step():
        actions = (state["mask"] * next(noise)).argmax(axis=1)
        state["mask"] = games.step(actions)[-1]["action_mask"]

    return step


def iter_forever(rows):
    while True:
        yield from rows


def report(game, what, figure):
    print(f"{game:12} {what:46} {figure:14,.0f} steps a second", flush=True)


def measure(game, levels, seconds):
    # Boards of different sizes are seen through a window.
    obs = "board" if len({area.extent[2:] for area in levels}) == 1 else "window"

    def make(count, **options):
        return outwit.gym.VectorEnv(game, count, levels=levels, obs=obs, **options)

    for count in (256, 1024):
        for copy in (True, False):
            for masks in (True, False):
                games = make(count, copy=copy, masks=masks)
                actions = iter_forever(
                    np.random.default_rng(1).integers(len(games.actions), size=(64, count))
                )
                games.reset(seed=1)
                what = f"{count} games, copy={copy}, masks={masks}"
                report(game, what, rate(lambda: games.step(next(actions)), count, seconds))
    games = make(1024, copy=False)
    report(game, "1024 games, allowed steps drawn in numpy", rate(random_steps(games, 1024), 1024, seconds))
    env = gymnasium.make(f"outwit/{game}-v0", levels=levels, obs=obs)
    report(game, "one game (gymnasium.make)", rate(one(env), 1, seconds))
    makers = [lambda: outwit.gym.OutwitEnv(game, levels=levels, obs=obs)] * 64
    games = gymnasium.vector.SyncVectorEnv(makers)
    games.reset(seed=1)
    actions = iter_forever(np.random.default_rng(1).integers(games.single_action_space.n, size=(64, 64)))
    report(game, "64 games (SyncVectorEnv)", rate(lambda: games.step(next(actions)), 64, seconds))


def measure_envpool(seconds):
    """EnvPool's Sokoban: games in C++, stepped by threads of its own."""
    import envpool

    for count in (256, 1024):
        games = envpool.make_gymnasium("Sokoban-v0", num_envs=count, seed=1)
        games.reset()
        actions = iter_forever(np.random.default_rng(1).integers(4, size=(64, count)))
        report("sokoban", f"{count} games of EnvPool", rate(lambda: games.step(next(actions)), count, seconds))


def measure_jumanji(seconds):
    """Jumanji's Sokoban: games in JAX, compiled for this processor."""
    import jax
    import jumanji
    from jumanji.environments.routing.sokoban.generator import SimpleSolveGenerator
    from jumanji.wrappers import AutoResetWrapper, VmapWrapper

    env = VmapWrapper(AutoResetWrapper(jumanji.make("Sokoban-v0", generator=SimpleSolveGenerator())))
    for count in (256, 1024):
        state, _ = jax.jit(env.reset)(jax.random.split(jax.random.key(1), count))
        actions = jax.random.randint(jax.random.key(2), (64, count), 0, 4)
        one_step = jax.jit(env.step)
        rows = iter_forever(list(actions))
        games = {"state": state}

        def step():
            games["state"], _ = one_step(games["state"], next(rows))
            jax.block_until_ready(games["state"])

        report("sokoban", f"{count} games of Jumanji", rate(step, count, seconds))
        many_steps = jax.jit(lambda state: jax.lax.scan(lambda at, row: (env.step(at, row)[0], 0), state, actions)[0])

        def steps():
            games["state"] = jax.block_until_ready(many_steps(games["state"]))

        report("sokoban", f"{count} games of Jumanji, 64 steps in one call", rate(steps, 64 * count, seconds))


#: Sokoban of other packages.
PEERS = {"envpool": measure_envpool, "jumanji": measure_jumanji}


def measure_peers(seconds):
    for name, measure_peer in PEERS.items():
        if importlib.util.find_spec(name):
            measure_peer(seconds)
        else:
            print(f"{name} is not installed", flush=True)


def one(env):
    """A function that does a random step, and begins again after the end."""
    actions = iter_forever(np.random.default_rng(1).integers(env.action_space.n, size=4096).tolist())
    env.reset(seed=1)

    def step():
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()

    return step


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("games", nargs="*", default=outwit.GAMES)
    arguments.add_argument("--levels", type=Path, help="a file of levels of the one game")
    arguments.add_argument("--seconds", type=float, default=2.0, help="seconds for each figure")
    arguments.add_argument("--peers", action="store_true", help="measure Sokoban of other packages, too")
    options = arguments.parse_args()
    for game in options.games:
        if options.levels:
            levels = outwit.read(options.levels, game)
        else:
            levels = [outwit.generate(game, seed, **SIZES.get(game, {}))[0] for seed in range(16)]
        measure(game, levels, options.seconds)
    if options.peers:
        measure_peers(options.seconds)


if __name__ == "__main__":
    main()
