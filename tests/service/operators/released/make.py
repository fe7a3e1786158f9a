#!/usr/bin/env python3
"""Writes a store of a built program as SQL, for the test that later versions open it.

    make.py PROGRAM VERSION.sqlite.sql                    # a file of SQLite
    make.py PROGRAM VERSION.postgres.sql postgres://…     # an empty database; pg_dump is needed

It is run once a release, with the program that is released (docs/RELEASING.md). The store has two areas of
Sokoban and one of the Last of Us with their best plans; four jobs that are done, one of them with a
certificate, one that was cancelled, and two that wait.
"""

import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
HEAD = """\
-- A store of version {version} as {database} had it: two areas of Sokoban and one of the Last of Us with their best
-- plans; four jobs that are done, one of them with a certificate, one that was cancelled, two that wait.
"""
AREAS = {
    "sokoban/corridor.xsb": "Title: a corridor\nAuthor: outwit\n\n#######\n#@ $ .#\n#######\n",
    "sokoban/two.xsb": "#######\n#@ $ .#\n#.$   #\n#######\n",
}
IMPOSSIBLE = "######\n#@ $ #\n#  . #\n######\n"


class Server:
    """The program, serving a store until the block ends."""

    def __init__(self, program, store, areas, nothing):
        command = [program, "serve", "--listen", "127.0.0.1:0", "--store", store, "--workers", "1"]
        command += ["--areas", areas, "--solutions", nothing]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                return
        sys.exit("the server does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def call(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def submit(self, area, seconds, **wish):
        budget = {"seconds": seconds, "memory_mib": 16}
        return self.call("POST", "/v1/jobs", {"area": area, "budget": budget, **wish})

    def await_end(self, job):
        while self.call("GET", f"/v1/jobs/{job['id']}")["state"] in ("queued", "running"):
            time.sleep(0.05)


def fill(program, store):
    """Has the program fill an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        areas, nothing = Path(folder, "areas"), Path(folder, "nothing")
        sample = (ROOT / "areas/last-of-us/area-0-sample.txt").read_text()
        for name, text in {**AREAS, "last-of-us/area-0-sample.txt": sample}.items():
            (areas / name).parent.mkdir(parents=True, exist_ok=True)
            (areas / name).write_text(text)
        nothing.mkdir()
        with Server(program, store, areas, nothing) as server:
            done = [
                server.submit({"id": "sokoban/corridor"}, 2, optimal=True, certify=True),
                server.submit({"id": "sokoban/two"}, 2),
                server.submit({"id": "last-of-us/area-0-sample"}, 2),
                server.submit({"text": IMPOSSIBLE}, 2),
            ]
            for job in done:
                server.await_end(job)
            server.submit({"id": "last-of-us/area-0-sample"}, 2.5, optimal=True)
            server.submit({"id": "sokoban/two"}, 3, optimal="moves")
            cancelled = server.submit({"id": "sokoban/two"}, 4, optimal="moves")
            path = f"/v1/jobs/{cancelled['id']}"
            server.call("DELETE", path, **{"x-job-key": cancelled["key"]})


def of_sqlite(program):
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder, "store.db"))
        fill(program, store)
        connection = sqlite3.connect(store)
        connection.execute("DELETE FROM search_workers")
        return "\n".join(connection.iterdump()) + "\n"


def of_postgres(program, store):
    fill(program, store)
    dump = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", store]
    text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    lines, is_quoted, is_left_out = [], False, False
    # What only pg_dump's own tools understand goes, but nothing within a text.
    for line in text.splitlines():
        if not is_quoted:
            head = ("--", "\\", "SET ", "SELECT pg_catalog", "INSERT INTO public.search_workers")
            is_left_out = not line.strip() or line.startswith(head)
        is_quoted ^= line.count("'") % 2 == 1
        if not is_left_out:
            lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, out = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    version = out.name.removesuffix(".sql").rpartition(".")[0]
    if len(sys.argv) == 4:
        database, text = "PostgreSQL", of_postgres(program, sys.argv[3])
    else:
        database, text = "SQLite", of_sqlite(program)
    out.write_text(HEAD.format(version=version, database=database) + text)


main()
