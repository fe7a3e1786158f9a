"""Solves a collection and plots lengths and times.

    pip install 'outwit[plot]'
    python collection.py areas/sokoban/*.xsb --time 2 --out collection.png
"""

import argparse
from pathlib import Path

import outwit


def solve(paths, seconds):
    """Name, length, bound and seconds of each area."""
    for path in paths:
        for area in outwit.read(path):
            result = area.solve(time=seconds)
            print(f"{area.name}: {result.verdict}, length {result.length}, bound {result.bound}")
            yield area.name, result.length, result.bound, result.seconds


def plot(rows, out):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = sorted((row for row in rows if row[1] is not None), key=lambda row: row[1])
    names = [row[0] for row in rows]
    figure, (lengths, times) = pyplot.subplots(2, sharex=True, figsize=(max(6, len(rows) / 4), 6))
    lengths.bar(names, [row[1] for row in rows], label="length")
    lengths.plot(names, [row[2] or 0 for row in rows], "k_", label="bound")
    lengths.set_ylabel("length")
    lengths.legend()
    times.bar(names, [row[3] for row in rows], color="tab:orange")
    times.set_ylabel("seconds")
    times.tick_params(axis="x", rotation=90)
    figure.tight_layout()
    figure.savefig(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("paths", nargs="+", type=Path)
    arguments.add_argument("--time", type=float, default=2.0)
    arguments.add_argument("--out", type=Path, default=Path("collection.png"))
    options = arguments.parse_args()
    plot(list(solve(options.paths, options.time)), options.out)


if __name__ == "__main__":
    main()
