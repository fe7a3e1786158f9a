"""The package from outside: areas, plans, searches, sessions."""

import copy
import inspect
import io
import json
import multiprocessing
import pickle
import random
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from matplotlib.image import imread

import outwit

LEVEL = "#####\n#@$.#\n#####\n"
#: Twelve boxes among few walls: the least moves are far from proven after minutes.
LONG = {"seed": 3, "rows": 16, "cols": 20, "boxes": 12, "pulls": 2000, "walls": 10}
#: So many sessions are played at random, over all games.
SESSIONS = 1000


def level():
    return outwit.parse(LEVEL)[0]


def long_search():
    """An area whose proof takes longer than any test waits."""
    return outwit.generate("sokoban", **LONG)[0]


@pytest.mark.parametrize("game", outwit.GAMES)
def test_values_are_copied_pickled_and_compared(game):
    area, plan = outwit.generate(game, 3)
    other = outwit.generate(game, 4)[0]
    session = area.session()
    for step in area.steps(plan.text)[:2]:
        session.act(step)
    result = area.solve(nodes=2000, optimal=True)
    for value in (area, plan, session, result, session.solve(nodes=2000)):
        for same in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert same == value and same is not value
    assert area != other and area != plan and len({area, copy.copy(area), other, plan}) == 3
    again = copy.copy(session)
    again.undo()
    assert again != session and (again.steps, session.steps) == (1, 2)
    assert other.session() != area.session()
    # What a pickle says is verified again.
    forged = pickle.dumps(plan).replace(plan.text.encode(), b"?" * len(plan.text))
    with pytest.raises((outwit.ReadError, outwit.InvalidPlan)):
        pickle.loads(forged)
    assert result != other.solve(nodes=2000, optimal=True) and result.area == area


def test_a_result_is_the_same_in_another_process():
    best = level().solve(time=10, optimal="moves")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        again = pool.map(solved, [level()])[0]
    assert (again.length, again.plan.text, again.report()["bound"]) == (best.length, best.plan.text, best.bound)
    assert again.certificate() == best.certificate()
    rebuild, (area, report, is_claim, measure) = best.__reduce__()
    with pytest.raises(ValueError, match="length"):
        rebuild(area, report | {"length": report["length"] - 1}, is_claim, measure)
    with pytest.raises(ValueError, match="measure"):
        rebuild(area, report, is_claim, "bricks")


def test_a_reader_finds_the_way():
    assert outwit.__version__.count(".") == 2
    for function in (outwit.Area.solve, outwit.Area.solve_from, outwit.Area.improve, outwit.Session.solve):
        assert {"time", "memory", "threads", "nodes", "seed"} <= set(inspect.signature(function).parameters)
    assert ("$", "thing", "box") in level().legend
    assert all(role in outwit.ROLES for _, role, _ in level().legend)


def test_areas_are_solved_in_other_processes():
    areas = [outwit.generate("sokoban", seed)[0] for seed in range(4)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        plans = pool.map(plan_of, areas)
    assert [plan.area for plan in plans] == areas


def test_effort_decides_what_follows_the_first_plan():
    area = outwit.generate("sokoban", 1001, rows=12, cols=17, boxes=10)[0]
    quick, good, best = (area.solve(nodes=20000, threads=1, effort=effort) for effort in ("quick", "good", "best"))
    assert quick.length >= good.length >= best.length
    assert good.plan == area.solve(nodes=20000, threads=1).plan
    assert quick.bound <= good.bound and quick.expanded < good.expanded <= 20000
    with pytest.raises(ValueError, match="effort.*quick, good, best"):
        area.solve(effort="none")


def solved(area):
    return area.solve(time=10, optimal="moves")


def plan_of(area):
    return area.solve(nodes=20000, threads=1).plan


def test_a_search_goes_on_from_a_position_and_from_a_plan():
    area = outwit.parse("#######\n#@    #\n# $  .#\n#     #\n#######\n")[0]
    result = area.solve_from("r", time=5, optimal=True)
    assert (result.verdict, result.length, result.plan.area) == ("optimal", 3, area)
    assert result.plan.text.startswith("r")
    assert area.solve_from("rd", time=5).verdict == "impossible"
    session = area.session()
    session.act("r")
    assert session.solve(time=5, optimal=True).plan == result.plan
    known = area.solve(known=result.plan.text, nodes=1000)
    assert known.length <= 3
    with pytest.raises(outwit.InvalidPlan):
        area.solve(known="R")
    with pytest.raises(outwit.InvalidPlan):
        area.solve_from("u")


def test_a_level_is_read_solved_and_verified():
    area = level()
    assert (area.game, area.facts["boxes"]) == ("sokoban", 1)
    result = area.solve(time=5, optimal=True)
    assert (result.verdict, result.optimal, result.length, result.bound) == ("optimal", True, 1, 1)
    assert result.plan.text.strip() == "R"
    assert result.plan.facts == {"pushes": 1, "moves": 1}
    assert area.verify("R").length == 1
    assert outwit.parse(area.text, game="sokoban")[0].text == area.text


def test_reports_are_of_the_one_form():
    schema = Path(__file__).parents[2] / "docs" / "report.schema.json"
    schema = json.loads(schema.read_text(encoding="utf-8"))
    impossible = outwit.parse("#####\n#@*.#\n#$ ##\n#####\n")[0]
    for area, budget in [(level(), {}), (impossible, {}), (long_search(), {"nodes": 10})]:
        report = area.solve(time=20, threads=1, **budget).report()
        jsonschema.validate(report, schema)
    solved = level().solve(optimal=True)
    assert solved.report()["plan_facts"] == {"pushes": 1, "moves": 1}
    assert solved.searches == solved.report()["searches"]
    assert [(search["name"], search["ended"]) for search in solved.searches] == [("astar", "proven")]


def test_files_are_read(tmp_path):
    path = tmp_path / "two.xsb"
    path.write_text(LEVEL + "\n" + LEVEL)
    assert len(outwit.read(path)) == len(outwit.read(str(path), game="sokoban")) == 2


FILES = Path(__file__).parents[2] / "tests" / "cases" / "files"


def cases():
    """The table of files as people have them: file, game, levels, readable levels, titles."""
    for line in (FILES / "cases.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        file, what, levels, readable, titles, _, _ = line.split("\t")
        if what.startswith("levels"):
            game = what.removeprefix("levels").removeprefix(" of ") or "sokoban"
            numbers = [int(number) for number in readable.split()]
            yield file, game, int(levels), numbers, titles.split("|") if titles else []


@pytest.mark.parametrize(("file", "game", "levels", "readable", "titles"), list(cases()))
def test_files_as_people_have_them(file, game, levels, readable, titles):
    if not readable:
        with pytest.raises(outwit.ReadError):
            outwit.read(FILES / file, game=game)
        return
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        areas = outwit.read(FILES / file, game=game)
    assert [area.level for area in areas] == readable
    assert len(warned) == levels - len(readable)
    assert all(issubclass(warning.category, outwit.UnreadableLevel) for warning in warned)
    for area in areas:
        if titles:
            assert area.name == (titles[area.level - 1] or f"level {area.level}")


PAIR = "; First\n########\n#@ $ . #\n########\n\n; Second\n######\n#.$@ #\n######\n"


def test_texts_with_plans_of_several_levels_and_headers_are_read():
    first, second = outwit.parse(PAIR, game="sokoban")
    plans = "; level 1: First\nSolution 1\nrlrRR\nSolution 2\nr2R\n; level 2: Second\nL\n"
    plan = first.verify(plans)
    assert (plan.text, plan.facts["moves"]) == ("r2R\n", 3)
    assert plan.remarks == ["the best of 2 plans, from line 5"]
    assert second.verify(plans).text == "L\n"
    assert first.steps(plans) == ["r", "r", "r"]
    assert first.improve(plans, time=1).length == 2
    assert first.verify("2(r)Rl").remarks == ["one key after the win is ignored"]
    with pytest.raises(outwit.ReadError):
        second.verify("; level 1: First\nrRR\n")


def test_bad_input_is_placed():
    with pytest.raises(outwit.ReadError) as error:
        outwit.parse("#####\n#@$x#\n#####\n", game="sokoban")
    assert (error.value.line, error.value.column) == (2, 4)
    with pytest.raises(FileNotFoundError) as missing:
        outwit.read("no/such/file")
    assert missing.value.filename == "no/such/file"
    with pytest.raises(ValueError, match="unknown game"):
        outwit.parse(LEVEL, game="chess")
    with pytest.raises(outwit.ReadError):
        level().verify("Q")


@pytest.mark.parametrize("game", outwit.GAMES)
def test_pictures_show_the_area_and_the_way_of_a_plan(game):
    area, plan = outwit.generate(game, seed=2)
    start, way = (imread(io.BytesIO(area.png(plan))) for plan in (None, plan.text))
    assert start.shape != way.shape or (start != way).any()
    assert area._repr_png_() == area.png()
    assert area.svg().startswith("<svg") and "<polyline" in area.svg(plan.text)


def test_pictures_have_no_plan_that_the_rules_refuse():
    with pytest.raises(outwit.InvalidPlan):
        level().png("L")


def test_a_refused_plan_tells_step_reason_and_board():
    with pytest.raises(outwit.InvalidPlan) as error:
        level().verify("u")
    assert (error.value.step, error.value.line) == (1, 1)
    assert "wall" in error.value.reason and "@" in error.value.board


@pytest.mark.parametrize(
    "keywords",
    [{"time": 0}, {"time": float("nan")}, {"threads": 0}, {"memory": 0}, {"nodes": 0}],
)
def test_budgets_have_limits(keywords):
    with pytest.raises(ValueError):
        level().solve(**keywords)


def test_wrong_keywords_and_measures_are_refused():
    with pytest.raises(TypeError, match="patience"):
        level().solve(patience=1)
    with pytest.raises(ValueError, match="jumps"):
        level().solve(optimal="jumps")
    with pytest.raises(TypeError):
        level().solve(optimal=3)
    assert level().solve(optimal="moves").optimal


@pytest.mark.parametrize("game", outwit.GAMES)
def test_what_is_generated_is_the_same_for_a_seed_and_can_be_solved(game):
    area, plan = outwit.generate(game, seed=5)
    again, _ = outwit.generate(game, seed=5)
    assert (area.text, area.game) == (again.text, game)
    assert area.verify(plan.text).length == plan.length
    result = area.improve(plan.text, nodes=2000, threads=1)
    assert result.plan.length <= plan.length
    same = area.solve(nodes=2000, threads=1), area.solve(nodes=2000, threads=1)
    assert len({(found.length, found.expanded) for found in same}) == 1


def test_generators_know_their_parameters():
    area, _ = outwit.generate("last-of-us", seed=1, rows=20, cols=30)
    assert area.facts["size"] == "20x30"
    with pytest.raises(ValueError, match="not one of"):
        outwit.generate("last-of-us", wings=2)


def test_games_are_described():
    for game in outwit.GAMES:
        told = outwit.describe(game)
        assert told["title"] and told["goal"] and all(told["rules"]), game
    assert outwit.describe("sokoban")["units"][0] == {"one": "push", "many": "pushes"}
    with pytest.raises(ValueError):
        outwit.describe("chess")


def test_progress_is_told_and_the_lock_released():
    told, ticks = [], 0
    done = threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    long_search().solve(time=1.5, optimal="moves", threads=1, progress=told.append)
    done.set()
    thread.join()
    assert ticks > 5
    assert told and set(told[-1]) == {"phase", "nodes", "best", "bound", "fraction"}


def test_events_are_heard_in_the_form_of_the_command():
    area = level()
    heard, progress = [], []
    result = area.solve(nodes=20000, threads=1, events=heard.append, progress=progress.append)
    names = [event["event"] for event in heard]
    assert {"turn", "turned", "plan", "bound"} <= set(names), names
    assert all(set(event) >= {"event", "seconds"} for event in heard)
    plans = [event for event in heard if event["event"] == "plan"]
    assert (plans[-1]["plan"], plans[-1]["length"]) == (result.plan.text, result.length)
    assert plans[-1]["plan_facts"]["pushes"] == result.length
    bounds = [event["bound"] for event in heard if event["event"] == "bound"]
    assert bounds == sorted(set(bounds)) and bounds[-1] == result.bound
    turned = [event["turn"] for event in heard if event["event"] == "turned"]
    assert sum(turn["expanded"] for turn in turned) == result.expanded
    area.session().solve(nodes=1000, events=heard.append)
    assert len(heard) > len(names)


def test_a_callback_for_events_that_raises_ends_the_search():
    def fail(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_search().solve(time=600, optimal="moves", threads=1, events=fail)


def test_a_callback_that_raises_ends_the_search():
    def fail(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_search().solve(time=600, optimal="moves", threads=1, progress=fail)


def test_an_interrupt_ends_the_search_with_the_best_so_far():
    # In a process of its own: the signal is for its main thread alone.
    program = (
        "import outwit, os, signal\n"
        # A shell starts what runs in its background with interrupts ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"area = outwit.generate('sokoban', **{LONG})[0]\n"
        "interrupt = lambda progress: os.kill(os.getpid(), signal.SIGINT)\n"
        "print(area.solve(time=600, optimal='moves', threads=1, progress=interrupt).stopped)\n"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.stdout.strip() == "cancelled", ran.stderr


def test_two_interrupts_together_are_one():
    program = (
        "import outwit, os, signal, subprocess, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"area = outwit.generate('sokoban', **{LONG})[0]\n"
        "kill = f'kill -INT {os.getpid()}'\n"
        # Not before the callback is through with starting it.
        "twice = f'sleep 0.5; {kill}; sleep 0.2; {kill}'\n"
        "sent = []\n"
        "interrupt = lambda progress: sent or sent.append(subprocess.Popen(['sh', '-c', twice]))\n"
        "result = area.solve(time=600, optimal='moves', threads=1, progress=interrupt)\n"
        "sent[0].wait()\n"
        "print(result.stopped)\n"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.stdout.strip() == "cancelled", ran.stderr


def test_sessions_at_random_agree_with_the_replay_of_their_plans():
    areas = [outwit.generate(game, seed=seed)[0] for game in outwit.GAMES for seed in range(4)]
    played = 0
    for seed in range(SESSIONS):
        draw = random.Random(seed)
        area = areas[seed % len(areas)]
        session = area.session()
        keys = session.key_steps
        for _ in range(draw.randrange(1, 25)):
            if session.status != "playing":
                break
            done = session.steps
            step = draw.choice(keys)
            try:
                session.act(step)
            except ValueError:
                assert session.steps == done, f"seed {seed}: {step} was refused and done"
        if session.steps == 0:
            continue  # no game has an empty plan
        played += 1
        other = area.session()
        for step in area.steps(session.plan):
            other.act(step)
        assert other.plan == session.plan, f"seed {seed}"
        seen = [game.observation(box(game)) for game in (other, session)]
        assert np.array_equal(*seen), f"seed {seed}"
        if session.status == "won":
            assert area.verify(session.plan).text == session.plan, f"seed {seed}"
        else:
            with pytest.raises(ValueError):
                area.verify(session.plan)
    assert played > SESSIONS / 2


def box(session):
    """A window around the player: some boards are too large to be seen at once."""
    row, col = session.player or (0, 0)
    return (row - 20, col - 20, 41, 41)


def test_a_session_is_stepped_taken_back_and_seen():
    session = outwit.parse("######\n#@ $.#\n######\n")[0].session()
    start = session.observation()
    assert start.shape == (3, 6) and start.dtype == np.uint8
    assert outwit.ROLES[start[1, 1]] == "player" and outwit.ROLES[start[0, 0]] == "wall"
    assert session.view() == ["######", "#@ $.#", "######"]
    assert session.view((1, 1, 1, 2)) == ["@ "]
    assert [outwit.ROLES[code] for code in session.observation((-1, 0, 1, 2))[0]] == ["unknown"] * 2
    assert session.legal_steps() == [session.legal_steps()[0]] and session.steps == 0
    with pytest.raises(ValueError, match="wall"):
        session.act("u")
    session.act("r")
    session.act("r")
    assert (session.status, session.plan.strip(), session.steps) == ("won", "rR", 2)
    assert session.legal_steps() == []
    assert session.undo() and session.status == "playing"
    session.rewind(0)
    assert np.array_equal(session.observation(), start) and not session.undo()
    with pytest.raises(ValueError, match="too many"):
        session.observation((0, 0, 1 << 20, 1 << 20))


def test_a_plan_is_watched_step_by_step():
    area, plan = outwit.generate("last-of-us", seed=2)
    session = area.session()
    for step in area.steps(plan.text):
        session.act(step)
    assert session.status == "won" and session.plan == plan.text


def test_what_is_proven_is_certified():
    for game in outwit.GAMES:
        area, _ = outwit.generate(game, 3)
        result = area.solve(time=20, optimal=True)
        if not result.optimal:
            continue
        text = result.certificate(time=20)
        certified = area.check(text, threads=1)
        assert certified.optimal and certified.bound == certified.length == result.length, game
        assert certified.claim == f"no plan is shorter than {result.length}"
        assert certified.states == int(text.split("states ")[1].split()[0])
        more = text.replace(f"than {result.length}", f"than {result.length + 1}")
        with pytest.raises(outwit.NotCertified, match="the claim is false"):
            area.check(more)


def test_what_has_no_certificate_says_why():
    area = outwit.parse("######\n#@$ .#\n######\n", "sokoban")[0]
    result = area.solve(optimal=True)
    text = result.certificate()
    with pytest.raises(outwit.ReadError) as caught:
        area.check(text.replace("claim", "clam"))
    assert caught.value.line == 6
    other = outwit.parse("#######\n#@ $ .#\n#######\n", "sokoban")[0]
    with pytest.raises(outwit.NotCertified, match="of another area"):
        other.check(text)
    with pytest.raises(outwit.NotCertified, match="position"):
        area.solve_from("", optimal=True).certificate()
    hopeless = outwit.parse("#####\n#@$ #\n#  .#\n#####\n", "sokoban")[0]
    assert hopeless.solve(optimal=True).certificate().count("there is no plan") == 1
