"""The environments: Gymnasium's own checks, seeds, masks, and a plan that wins."""

import numpy as np
import pytest

import outwit

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import outwit.gym  # noqa: E402


@pytest.mark.parametrize("game", outwit.GAMES)
def test_gymnasium_finds_nothing_wrong(game):
    check_env(gymnasium.make(f"outwit/{game}-v0").unwrapped, skip_render_check=True)


@pytest.mark.parametrize("game", outwit.GAMES)
def test_episodes_depend_on_the_seed_alone_and_masks_tell_the_truth(game):
    def play():
        env = gymnasium.make(f"outwit/{game}-v0").unwrapped
        seen, info = env.reset(seed=11)
        env.action_space.seed(1)
        episode = [seen]
        for _ in range(15):
            action = env.action_space.sample()
            before = env.session.steps
            mask = info["action_mask"][action]
            seen, reward, over, _, info = env.step(action)
            assert bool(mask) == (env.session.steps == before + 1)
            episode.append(seen)
            if over:
                assert reward in (1.0, -1.0)
                break
        return episode

    first, second = play(), play()
    assert len(first) == len(second)
    assert all(np.array_equal(a, b) for a, b in zip(first, second))


def test_a_plan_wins_the_episode():
    area = outwit.parse("######\n#@ $.#\n######\n")[0]
    plan = area.solve(time=5).plan
    env = gymnasium.make("outwit/sokoban-v0", area=area, render_mode="ansi").unwrapped
    env.reset()
    rewards = [env.step(env.actions.index(step)) for step in area.steps(plan.text)]
    assert [reward for _, reward, *_ in rewards] == [-0.01, 1.0]
    assert rewards[-1][2] and "*" in env.render()


def test_throws_are_actions():
    env = gymnasium.make("outwit/last-of-us-v0").unwrapped
    assert any(step.startswith("b ") for step in env.actions)


def test_an_area_of_another_game_is_refused():
    area = outwit.generate("robots", seed=1)[0]
    with pytest.raises(ValueError, match="not of sokoban"):
        outwit.gym.OutwitEnv("sokoban", area=area)
