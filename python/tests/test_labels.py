"""Labels of positions, compared with plain search over sessions."""

from collections import deque

import numpy as np
import pytest

import outwit

LEVEL = "#######\n#@    #\n# $$ .#\n#   . #\n#######\n"


def distances(area):
    """The least moves to the end from each position that can be reached, by its picture."""
    start = area.session()
    found = {tuple(start.view()): start}
    open_, before, won = deque([start]), {}, []
    while open_:
        session = open_.popleft()
        here = tuple(session.view())
        if session.status == "won":
            won.append(here)
            continue
        for step in session.legal_steps():
            after = session.copy()
            after.act(step)
            there = tuple(after.view())
            before.setdefault(there, []).append(here)
            if there not in found:
                found[there] = after
                open_.append(after)
    least = dict.fromkeys(won, 0)
    open_ = deque(won)
    while open_:
        there = open_.popleft()
        for here in before.get(there, []):
            if here not in least:
                least[here] = least[there] + 1
                open_.append(here)
    return found, least


def test_labels_are_those_of_plain_search():
    area = outwit.parse(LEVEL)[0]
    found, least = distances(area)
    sessions = list(found.values())[::3]
    labels = outwit.label(sessions, measure="moves", time=10)
    assert len(labels) == len(sessions) > 300
    lost = 0
    for session, label in zip(sessions, labels):
        truth = least.get(tuple(session.view()))
        assert label.exact and label.lost is (truth is None) and label.distance == truth
        lost += label.lost
        if truth:
            after = session.copy()
            after.act(label.step)
            assert least[tuple(after.view())] == truth - 1
        else:
            assert label.step is None
    assert 0 < lost < len(sessions)
    assert outwit.label(sessions, measure="moves", time=10, threads=1) == labels


@pytest.mark.parametrize("game", outwit.GAMES)
def test_each_game_has_labels(game):
    small = {"labyrinth": {"class": 2}, "last-of-us": {"rows": 12, "cols": 12, "clickers": 3}}
    area, plan = outwit.generate(game, 2, **small.get(game, {}))
    steps = area.steps(plan.text)
    sessions = [area.session()]
    for step in steps[:-1]:
        sessions.append(sessions[-1].copy())
        sessions[-1].act(step)
    labels = outwit.label(sessions[-4:], time=5)
    # One step from the end.
    assert labels[-1].exact and not labels[-1].lost
    after = sessions[-1].copy()
    after.act(labels[-1].step)
    if after.status == "won":
        assert outwit.label([after])[0] == outwit.Label(distance=0, lost=False)


def test_what_is_not_known_is_absent():
    area = outwit.generate("sokoban", 3, rows=16, cols=20, boxes=12, pulls=2000, walls=10)[0]
    label = outwit.label([area.session()], nodes=10)[0]
    assert (label.distance, label.step, label.exact) == (None, None, False)
    assert outwit.label([]) == []
    with pytest.raises(ValueError, match="measure"):
        outwit.label([area.session()], measure="beauty")
    with pytest.raises(TypeError, match="unexpected"):
        outwit.label([area.session()], times=1)


@pytest.mark.parametrize("game", ["sokoban", "last-of-us", "monsters"])
def test_datasets_are_positions_with_labels(game, tmp_path):
    small = {"last-of-us": {"rows": 12, "cols": 12, "clickers": 3}}
    levels = [outwit.generate(game, seed, **small.get(game, {}))[0] for seed in range(3)]
    data = outwit.dataset(levels, positions=10, nodes=20000)
    count = len(data["levels"])
    assert 20 <= count <= 30 and set(data["levels"].tolist()) == {0, 1, 2}
    for name, array in data.items():
        assert name == "actions" or len(array) == count, name
    exact = data["best"] >= 0
    assert exact.any() and (data["distances"][exact] > 0).all() and (data["lost"][exact] == 0).all()
    assert (data["masks"][exact, data["best"][exact]] == 1).all()
    player = outwit.ROLES.index("player")
    assert ((data["observations"] == player).sum(axis=(1, 2)) == 1).all()
    path = tmp_path / "positions.npz"
    np.savez_compressed(path, **data)
    again = outwit.dataset(levels, positions=10, nodes=20000, threads=1)
    with np.load(path) as read:
        assert set(read) == set(again)
        assert all(np.array_equal(read[name], again[name]) for name in read)
    window = outwit.dataset(levels, positions=2, nodes=100, radius=3)
    assert window["observations"].shape[1:] == (7, 7)
    with pytest.raises(ValueError, match="no levels"):
        outwit.dataset([])
    with pytest.raises(ValueError, match="strays"):
        outwit.dataset(levels, strays=2**32 - 1)
    with pytest.raises(ValueError, match="bytes in all"):
        outwit.dataset(levels, positions=100_000, radius=1000)
