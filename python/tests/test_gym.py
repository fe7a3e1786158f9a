"""The environments: Gymnasium's own checks, seeds, masks, and a plan that wins."""

import copy
import pickle

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


def test_episodes_are_rendered_copied_and_pickled():
    area = outwit.parse("######\n#@ $.#\n######\n")[0]
    env = gymnasium.make("outwit/sokoban-v0", area=area, render_mode="rgb_array").unwrapped
    env.reset()
    before = env.render()
    assert before.shape == (72, 144, 3) and before.dtype == np.uint8
    env.step(env.actions.index("r"))
    after = env.render()
    assert not np.array_equal(before, after)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other == env and np.array_equal(other.render(), after)
        other.step(env.actions.index("r"))
        assert other != env and other.session.status == "won" and env.session.status == "playing"
    # From here it is one push.
    assert env.session.solve(time=5).length == 1


def test_an_episode_that_is_over_is_reset_first():
    env = outwit.gym.OutwitEnv("sokoban", outwit.parse("#####\n#@$.#\n#####\n")[0])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    _, info = env.reset()
    assert (info["level"], info["split"], info["status"]) == (0, "all", "playing")
    *_, info = env.step(env.actions.index("r"))
    assert info["status"] == "won" and not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    with pytest.raises(ValueError, match="not known: area"):
        env.reset(options={"area": 1})


def test_environments_run_in_processes_of_their_own():
    def make():
        import outwit.gym  # noqa: F401 - registers the games in the other process

        return gymnasium.make("outwit/sokoban-v0", levels=[outwit.generate("sokoban", 1)[0]])

    games = gymnasium.vector.AsyncVectorEnv([make, make], context="spawn")
    seen, info = games.reset(seed=1)
    assert seen.shape[0] == 2 and (info["level"] == 0).all()
    games.close()


def test_throws_are_actions():
    env = gymnasium.make("outwit/last-of-us-v0").unwrapped
    assert any(step.startswith("b ") for step in env.actions)


def test_an_area_of_another_game_is_refused():
    area = outwit.generate("robots", seed=1)[0]
    with pytest.raises(ValueError, match="not of sokoban"):
        outwit.gym.OutwitEnv("sokoban", area=area)
