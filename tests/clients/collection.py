"""Opens collections that outwit writes in another program, sokoenginepy: `python collection.py OUTWIT`.

OUTWIT is a built `outwit`. sokoenginepy has a reader of its own for `.sok` files and an engine of its own, in
which each solution is replayed. `scripts/collections` installs it and runs this program.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sokoenginepy.game import BoardGraph, BoardManager, Mover
from sokoenginepy.io import Collection, Puzzle

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Level:
    """What a level of a collection has to be in the other program."""

    title: str
    author: str
    board: str
    is_solved: bool = True


CORRIDOR = "########\n#@ $ . #\n########"
LEFT = "######\n#.$@ #\n######"
DEAD = "#####\n#@$ #\n#  .#\n#####"
# The empty row is written with a sign of its own.
ISLAND = "########\n#@ $ . #\n########\n-\n###\n# #\n###"
ON_TARGET = "  ######\n###    #\n#  $ + #\n#     *#\n########"
# Names that a reader could take for something else, and levels that have none beside levels without a solution,
# whose names must not become those of the next level.
LEVELS = [
    Level("Corridor", "A. Uthor", CORRIDOR),
    Level("", "", LEFT),
    Level("Dead", "", DEAD, is_solved=False),
    Level("", "", ISLAND),
    Level("Dead again", "Zoë Müller", DEAD, is_solved=False),
    Level("", "", CORRIDOR),
    Level("Rudders", "lurd", ON_TARGET),
    Level("3: x = y", "", LEFT),
    Level("Dead at the end", "", DEAD, is_solved=False),
]
TITLES = [("Rooms & cellars", "Ann O'Nym"), ("A title alone", ""), ("", "An author alone"), ("", "")]


def written(title: str, author: str) -> str:
    """The levels as a collection for outwit to solve."""
    lines = [f"{key}: {value}\n" for key, value in (("Collection", title), ("Author", author)) if value]
    text = "".join(lines) + "\n"
    for level in LEVELS:
        names = (("Title", level.title), ("Author", level.author))
        text += level.board + "\n" + "".join(f"{key}: {value}\n" for key, value in names if value) + "\n"
    return text


def outwit(program: str, *args: str) -> None:
    """Runs outwit on one thread, quickly; 1 says that some level has no plan."""
    command = [program, *args, "--nodes", "2000", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), f"{command}: {done.stderr}"


def opened(path: Path) -> Collection:
    """A file as the other program reads it."""
    collection = Collection()
    collection.load(str(path))
    return collection


def rows(board: str) -> list[str]:
    """The rows of a board without the blanks at their ends."""
    return [row.rstrip() for row in board.rstrip("\n").split("\n")]


def is_won(board: BoardGraph) -> bool:
    """Whether all boxes of a board are on targets. The mover has a manager of its own, which denies it always."""
    return BoardManager(board).is_solved


def replay(puzzle: Puzzle, moves: str) -> None:
    """Plays a solution: all of it is legal, its capitals are its pushes, and its last step wins."""
    board = BoardGraph(puzzle)
    mover = Mover(board)
    steps = puzzle.snapshots[0].pusher_steps
    assert len(steps) == len(moves) > 0, moves
    for step, letter in zip(steps, moves):
        assert not is_won(board), moves
        mover.move(step.direction)
        (done,) = mover.last_move
        assert done.is_push_or_pull == letter.isupper(), moves
    assert is_won(board), moves


def compare(puzzle: Puzzle, level: Level) -> None:
    """Compares a level as the other program has it with what it has to be."""
    found = (puzzle.title or "", puzzle.author or "")
    assert found == (level.title, level.author), f"{found}: {level}"
    assert rows(puzzle.board) == rows(level.board), puzzle.board
    assert len(puzzle.snapshots) == level.is_solved, level
    for snapshot in puzzle.snapshots:
        assert snapshot.title == "Solution", snapshot.title
        replay(puzzle, snapshot.moves_data)


def solve(program: str, folder: Path, title: str, author: str) -> None:
    """`outwit solve --format sok`: the head of the file, and all names, boards and solutions."""
    given, solved = folder / "given.sok", folder / "solved.sok"
    given.write_text(written(title, author), encoding="utf-8")
    outwit(program, "solve", str(given), "--format", "sok", "--quiet", "--output", str(solved))
    collection = opened(solved)
    assert (collection.title, collection.author) == (title, author), solved.read_text(encoding="utf-8")
    assert len(collection.puzzles) == len(LEVELS), len(collection.puzzles)
    for puzzle, level in zip(collection.puzzles, LEVELS):
        compare(puzzle, level)


def batch(program: str, folder: Path) -> int:
    """`outwit batch --sok` of stored areas: the number of levels, each of which has a solution."""
    areas = sorted((ROOT / "areas" / "sokoban").glob("pull-[789]x*.xsb"))
    shelf = folder / "shelf.sok"
    outwit(program, "batch", *map(str, areas), "--out", str(folder / "plans"), "--sok", str(shelf))
    puzzles = opened(shelf).puzzles
    assert len(puzzles) == len(areas) > 0, len(puzzles)
    for puzzle, area in zip(puzzles, areas):
        board = "".join(line for line in area.read_text().splitlines(True) if "#" in line)
        compare(puzzle, Level(area.stem, "", board))
    return len(puzzles)


def main(program: str) -> None:
    """Checks all files and says in one line how many levels there were."""
    with tempfile.TemporaryDirectory() as name:
        for title, author in TITLES:
            solve(program, Path(name), title, author)
        stored = batch(program, Path(name))
    print(f"sokoenginepy: {len(TITLES)} collections of {len(LEVELS)} levels, and {stored} stored areas, are read")


if __name__ == "__main__":
    main(sys.argv[1])
