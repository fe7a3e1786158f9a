"""Games stepped together: what they tell is what sessions tell, and what Gymnasium expects."""

import copy
import pickle

import numpy as np
import pytest

import outwit

gymnasium = pytest.importorskip("gymnasium")

import outwit.gym  # noqa: E402

STEPS = 60
#: Levels that are small to look at.
SMALL = {"labyrinth": {"class": 2}, "last-of-us": {"rows": 20, "cols": 20, "clickers": 9}}


def levels_of(game, count=3):
    return [outwit.generate(game, seed, **SMALL.get(game, {}))[0] for seed in range(count)]


@pytest.mark.parametrize("game", outwit.GAMES)
@pytest.mark.parametrize("obs", ["board", "window"])
def test_what_is_told_is_what_sessions_tell(game, obs):
    levels = levels_of(game)
    radius = {"radius": 4} if obs == "window" else {}
    games = outwit.gym.VectorEnv(game, 5, levels=levels, obs=obs, max_episode_steps=40, **radius)
    choose = np.random.default_rng(3)
    seen, info = games.reset(seed=7)
    sessions = [levels[level].session() for level in info["level"]]
    steps, over = [0] * 5, [False] * 5
    for _ in range(STEPS):
        for number, session in enumerate(sessions):
            row, col = session.player if obs == "window" else session.extent[:2]
            reach = 4 if obs == "window" else 0
            window = (row - reach, col - reach, *seen.shape[1:])
            assert np.array_equal(session.observation(window), seen[number])
            legal = set(session.legal_steps(games.actions))
            assert [step in legal for step in games.actions] == list(info["action_mask"][number])
        actions = choose.integers(len(games.actions), size=5)
        seen, rewards, terminated, truncated, info = games.step(actions)
        for number, action in enumerate(actions):
            if over[number]:
                assert rewards[number] == 0 and not terminated[number]
                sessions[number] = levels[info["level"][number]].session()
                steps[number], over[number] = 0, False
                continue
            session = sessions[number]
            try:
                session.act(games.actions[action])
            except ValueError:
                pass
            steps[number] += 1
            expected = {"won": 1.0, "lost": -1.0}.get(session.status, -0.01)
            assert rewards[number] == pytest.approx(expected)
            assert terminated[number] == (session.status != "playing")
            assert truncated[number] == (session.status == "playing" and steps[number] >= 40)
            over[number] = bool(terminated[number] or truncated[number])


def test_gymnasium_makes_them():
    games = gymnasium.make_vec("outwit/sokoban-v0", num_envs=200, levels=levels_of("sokoban"))
    assert isinstance(games.unwrapped, outwit.gym.VectorEnv)
    assert games.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    games.action_space.seed(1)
    seen, _ = games.reset(seed=1)
    for _ in range(20):
        assert games.observation_space.contains(seen)
        seen, *_ = games.step(games.action_space.sample())


@pytest.mark.parametrize("made", [9, None])
def test_the_seed_decides_all(made):
    def play(seed, count):
        games = outwit.gym.VectorEnv("sokoban", count, made=made, max_episode_steps=4)
        choose = np.random.default_rng(5)
        told = [games.reset(seed=seed)[0]]
        told += [games.step(choose.integers(4, size=200)[:count])[0] for _ in range(10)]
        return np.stack(told)

    count = 200 if made else 5
    assert np.array_equal(play(3, count), play(3, count))
    assert not np.array_equal(play(3, count), play(4, count))
    # The first games are those of a smaller batch.
    assert np.array_equal(play(3, count)[:, :4], play(3, 4))


def test_arrays_are_copies_unless_that_is_not_wanted():
    for copies in (True, False):
        games = outwit.gym.VectorEnv("robots", 2, levels=levels_of("robots"), copy=copies)
        first, before = games.reset(seed=1)
        second, rewards, *_, info = games.step([0, 0])
        _, again, *_ = games.step([0, 0])
        assert (first is second) is not copies
        assert (before["action_mask"] is info["action_mask"]) is not copies
        assert (rewards is again) is not copies


@pytest.mark.parametrize("game", ["sokoban", "last-of-us"])
def test_planes_and_text_show_the_codes(game):
    made = {
        obs: outwit.gym.VectorEnv(game, 3, levels=levels_of(game), obs=obs)
        for obs in ("board", "planes", "text")
    }
    seen = {obs: games.reset(seed=2)[0] for obs, games in made.items()}
    for obs, games in made.items():
        assert games.observation_space.contains(seen[obs]), obs
        assert games.single_observation_space.contains(seen[obs][0]), obs
    board = seen["board"]
    assert np.array_equal(seen["planes"].argmax(axis=1), board)
    assert (seen["planes"].sum(axis=1) == 1).all()
    session = made["text"]._games.native.level(int(made["text"]._outputs.levels[0])).session()
    for line, codes, view in zip(seen["text"][0].split("\n"), board[0], session.view()):
        assert len(line) == len(codes)
        walls = [code == outwit.ROLES.index("wall") for code in codes[: len(view)]]
        assert [letter == "#" for letter in view] == walls == [c == "#" for c in line[: len(view)]]


def test_a_part_of_the_levels_is_drawn_from():
    levels = levels_of("sokoban", 20)
    drawn = {}
    for split in ("all", "train", "valid", "test"):
        games = outwit.gym.VectorEnv("sokoban", 300, levels=levels, split=split)
        info = games.reset(seed=1)[1]
        assert info["split"] == split
        drawn[split] = set(info["level"].tolist())
    assert drawn["valid"] == {8, 18} and drawn["test"] == {9, 19}
    assert drawn["train"] == set(range(20)) - {8, 9, 18, 19}
    assert drawn["all"] == set(range(20))
    made = outwit.gym.VectorEnv("sokoban", 50, made=5, split="test")
    info = made.reset(seed=1)[1]
    assert set(info["level"].tolist()) == {9, 19, 29, 39, 49}
    level = made._games.native.level(19)
    assert level.text == outwit.generate("sokoban", 19)[0].text


def test_a_level_can_be_chosen():
    levels = levels_of("sokoban", 4)
    games = outwit.gym.VectorEnv("sokoban", 3, levels=levels)
    assert games.reset(options={"level": 2})[1]["level"].tolist() == [2, 2, 2]
    assert games.reset(options={"level": [3, 0, 1]})[1]["level"].tolist() == [3, 0, 1]
    with pytest.raises(ValueError, match="no level 4"):
        games.reset(options={"level": 4})
    with pytest.raises(ValueError, match="no level 9"):
        games.reset(options={"level": [3, 9, 1]})
    assert games.reset(options={"level": [0, 1, 2]})[1]["level"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="2 levels for 3 games"):
        games.reset(options={"level": [1, 2]})


@pytest.mark.parametrize("obs", ["window", "text"])
def test_parts_of_the_games_are_stepped_on_another_thread(obs):
    levels = levels_of("sokoban", 5)

    def make(**more):
        return outwit.gym.VectorEnv("sokoban", 8, levels=levels, obs=obs, **more)

    together, parts = make(), make(batch_size=3)
    choose = np.random.default_rng(1)
    told = [[(seen, 0.0)] for seen in together.reset(seed=4)[0]]
    actions = choose.integers(4, size=(30, 8))
    for row in actions:
        seen, rewards, *_ = together.step(row)
        for number in range(8):
            told[number].append((seen[number], rewards[number]))
    parts.async_reset(seed=4)
    steps = [0] * 8
    for _ in range(60):
        seen, rewards, terminated, truncated, info = parts.recv()
        games = info["env_id"]
        assert len(games) == len(seen) == 3 and len(info["action_mask"]) == 3
        for place, game in enumerate(games):
            expected, reward = told[game][steps[game]]
            assert np.array_equal(seen[place], expected) and rewards[place] == reward
            steps[game] += 1
        parts.send([actions[steps[game] - 1][game] for game in games], games)
    assert sum(steps) == 180
    with pytest.raises(gymnasium.error.AlreadyPendingCallError):
        parts.reset()
    parts.close()


def test_what_is_not_known_is_refused():
    make = outwit.gym.VectorEnv
    levels = levels_of("sokoban", 2)
    for match, arguments in [
        ("not one of", ("chess", 1)),
        ("games: not from 1", ("sokoban", 0)),
        ("not from 1 to 2", ("sokoban", 2, {"batch_size": 3})),
        ("no levels", ("sokoban", 1, {"levels": []})),
        ("levels of", ("sokoban", 1, {"levels": levels + levels_of("robots", 1)})),
        ("not of robots", ("robots", 1, {"levels": levels})),
        ("a generator takes these", ("sokoban", 1, {"levels": levels, "boxes": 3})),
        ('"bocks" is not one of', ("sokoban", 1, {"bocks": 3})),
        ("is not from", ("sokoban", 1, {"boxes": 3000})),
        ("levels that are made is not", ("sokoban", 1, {"made": 0})),
        ('unknown split "trian"; one of', ("sokoban", 1, {"levels": levels, "split": "trian"})),
        ("too few for a part test", ("sokoban", 1, {"levels": levels, "split": "test"})),
        ("obs='picture' is not one of", ("sokoban", 1, {"obs": "picture"})),
        ("has a radius", ("sokoban", 1, {"shape": (5, 5)})),
        ("has a shape", ("sokoban", 1, {"obs": "board", "radius": 3})),
        ("more than", ("sokoban", 9999, {"levels": levels, "obs": "board", "shape": (9999, 9999)})),
    ]:
        game, count, *more = arguments
        with pytest.raises(ValueError, match=match):
            make(game, count, **(more[0] if more else {}))
    games = make("sokoban", 2, levels=levels)
    with pytest.raises(ValueError, match="not known: area"):
        games.reset(options={"area": 1})
    games.reset()
    with pytest.raises(ValueError, match="3 actions for 2 games"):
        games.step([0, 0, 0])
    with pytest.raises(ValueError, match="no game 2"):
        games.send([0, 0], [0, 2])
        games.recv()
    with pytest.raises(ValueError, match="two actions"):
        games.send([0, 0], [1, 1])
        games.recv()


@pytest.mark.parametrize("obs", ["board", "text"])
def test_copies_go_on_by_themselves(obs):
    games = outwit.gym.VectorEnv("last-of-us", 3, levels=levels_of("last-of-us"), obs=obs)
    choose = np.random.default_rng(2)
    games.reset(seed=3)
    for _ in range(25):
        games.step(choose.integers(len(games.actions), size=3))
    copies = [copy.deepcopy(games), pickle.loads(pickle.dumps(games))]
    assert all(other == games for other in copies)
    rows = choose.integers(len(games.actions), size=(40, 3))
    told = [games.step(row) for row in rows]
    assert not any(other == games for other in copies)
    for other in copies:
        for row, expected in zip(rows, told):
            for one, another in zip(other.step(row)[:4], expected):
                assert np.array_equal(one, another)
        assert other == games
    sent = outwit.gym.VectorEnv("robots", 2, levels=levels_of("robots"))
    sent.async_reset()
    with pytest.raises(TypeError, match="recv them first"):
        copy.copy(sent)


def test_a_game_can_be_looked_at():
    games = outwit.gym.VectorEnv("sokoban", 2, levels=outwit.parse("#####\n#@$.#\n#####\n"))
    with pytest.raises(ValueError, match="has not begun"):
        games.session(0)
    games.reset()
    games.step([games.actions.index("l"), games.actions.index("r")])
    assert [games.session(game).status for game in (0, 1)] == ["playing", "won"]
    won = games.session(1)
    assert won.area.verify(won.plan).length == 1


@pytest.mark.parametrize("game", outwit.GAMES)
def test_actions_of_any_number_are_refused_without_harm(game):
    games = outwit.gym.VectorEnv(game, 4, levels=levels_of(game, 2))
    games.reset(seed=1)
    for action in (-1, len(games.actions), 2**62, -(2**63)):
        _, rewards, terminated, *_ = games.step([action] * 4)
        assert (rewards == np.float32(-0.01)).all() and not terminated.any()
