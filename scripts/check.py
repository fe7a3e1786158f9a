#!/usr/bin/env python3
"""A second checker of Sokoban's certificates, in plain Python.

    scripts/check.py LEVEL CERTIFICATE

It is written from docs/CERTIFICATES.md and shares nothing with outwit. The first board of LEVEL counts.
Exit code: 0 certified; 1 not; 2 bad input.
"""

import hashlib
import sys
from collections import deque
from functools import cache
from pathlib import Path

SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
FAR = 10**9
MOST_POSITIONS = 800
MOST_SURCHARGE = 65_535


class Refused(Exception):
    """A claim that is not proven."""


def read_level(text):
    """The rows of the first board, and its title."""
    rows, title = [], None
    for line in text.splitlines():
        if "#" in line and set(line) <= set("#@+$*. -_") and title is None:
            rows.append(line.rstrip())
        elif rows and line.lower().startswith("title:"):
            title = title or line[6:].strip()
    return rows, title or "level 1"


def fingerprint(*texts):
    """SHA-256 of some texts, each after its length."""
    parts = (len(text.encode()).to_bytes(8, "little") + text.encode() for text in texts)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def read_certificate(text):
    """The header as a dictionary, and the plan or None."""
    head, _, plan = text.partition("\nplan\n")
    lines = head.splitlines()
    header = dict(line.split(" ", 1) for line in lines[1:] if " " in line)
    claim, measure = header.get("claim", ""), header.get("measure")
    if (lines[:1] != ["outwit certificate 1"] or header.get("readings") != "default"
            or header.get("game") != "sokoban" or measure not in ("pushes", "moves")
            or not claim.startswith(("there is no plan", "no plan is shorter than "))):
        raise ValueError("this is no certificate of pushes or moves of Sokoban, version 1")
    header["limit"] = None if claim == "there is no plan" else int(claim.rsplit(" ", 1)[1])
    header["most"] = int(header.get("states", ""))
    header["surcharges"] = [int(number) for number in header.get("surcharges", "").split()]
    parts = [line[5:].split(" costs ") for line in lines if line.startswith("part ")]
    header["parts"] = [([int(n) for n in members.split()], int(cost)) for members, cost in parts]
    return header, plan or None


class Level:
    """Squares, and how far a lone box is from each target."""

    def __init__(self, rows):
        width = max(map(len, rows))
        letters = {(y, x): letter for y, row in enumerate(rows)
                   for x, letter in enumerate(row.ljust(width)) if letter != "#"}
        self.open = set(letters)
        self.targets = [square for square, letter in letters.items() if letter in ".+*"]
        self.boxes = frozenset(square for square, letter in letters.items() if letter in "$*")
        self.player = next(square for square, letter in letters.items() if letter in "@+")
        self.target_set = frozenset(self.targets)
        self.surcharges = None
        self.parts = {square: self.parts_without(square) for square in self.open}
        self.measure()

    def beside(self, square, side):
        """The square at a side, or None."""
        beside = (square[0] + side[0], square[1] + side[1])
        return beside if beside in self.open else None

    def around(self, box, side):
        """The square that a push of a box comes from, and the one that it goes to."""
        return self.beside(box, (-side[0], -side[1])), self.beside(box, side)

    def parts_without(self, taken):
        """For each square the part it is in where one square is taken away."""
        parts = {}
        for count, first in enumerate(self.beside(taken, side) for side in SIDES):
            if first is not None and first not in parts:
                parts.update(dict.fromkeys(self.walk({taken}, first), count))
        return parts

    def walk(self, boxes, player):
        """Moves to each square that the player reaches."""
        moves, queue = {player: 0}, deque([player])
        while queue:
            square = queue.popleft()
            for side in SIDES:
                beside = self.beside(square, side)
                if beside is not None and beside not in boxes and beside not in moves:
                    moves[beside] = moves[square] + 1
                    queue.append(beside)
        return moves

    def pose(self, box, player):
        """A lone box, and the part of the board that the player is in."""
        return box, self.parts[box].get(player)

    def measure(self):
        """Pushes of a lone box from each pose to each target, backward from the target."""
        before = {}
        for box in self.open:
            for side in SIDES:
                behind, ahead = self.around(box, side)
                if behind and ahead:
                    before.setdefault(self.pose(ahead, box), []).append(self.pose(box, behind))
        self.distance = {}
        for number, target in enumerate(self.targets):
            poses = {(target, part) for part in (*self.parts[target].values(), None)}
            pushes, reached = 0, set(poses)
            while poses:
                for pose in poses:
                    self.distance.setdefault(pose, [FAR] * len(self.targets))[number] = pushes
                poses = {pose for later in poses for pose in before.get(later, ())} - reached
                reached, pushes = reached | poses, pushes + 1
        self.dead = self.open - {box for box, _ in self.distance}

    def floor(self, boxes, player, moved=None):
        """Least total distance to targets of their own (the Hungarian method), and what clashes add."""
        size = len(self.targets)
        if len(boxes) > size:
            return FAR
        costs = [self.distance.get(self.pose(box, player), [FAR] * size) for box in boxes]
        if self.surcharges:
            costs = [[d + more for d, more in zip(row, self.surcharges)] for row in costs]
        costs += [[0] * size] * (size - len(boxes))
        rows, columns, holder = [0] * size, [0] * (size + 1), [None] * (size + 1)
        for row in range(size):
            holder[size], column = row, size
            slack, before, done = [FAR * 9] * size, [size] * size, [False] * (size + 1)
            while holder[column] is not None:
                done[column] = True
                held, least, nearest = holder[column], FAR * 9, None
                for c in range(size):
                    reduced = costs[held][c] - rows[held] - columns[c]
                    if not done[c] and reduced < slack[c]:
                        slack[c], before[c] = reduced, column
                    if not done[c] and slack[c] < least:
                        least, nearest = slack[c], c
                for c in range(size + 1):
                    if done[c]:
                        rows[holder[c]] += least
                        columns[c] -= least
                    elif c < size:
                        slack[c] -= least
                column = nearest
            while column != size:
                holder[column] = holder[before[column]]
                column = before[column]
        return sum(costs[holder[c]][c] for c in range(size)) + self.clashes(boxes, player, moved)

    def end(self, boxes):
        """The cost of ending a part with its boxes on these targets."""
        return sum(self.surcharges[self.targets.index(box)] for box in boxes)

    def is_frozen(self, boxes, first):
        """Whether boxes around one never move again, and one of them is on no target."""
        cluster, stays = None, set(self.walk(self.open - boxes, first))
        while cluster != stays:
            cluster = stays
            stays = {box for box in cluster if all(
                None in sides or not cluster.isdisjoint(sides) or self.dead.issuperset(sides)
                for sides in (self.around(box, side) for side in SIDES[:2]))}
        return not cluster <= self.target_set

    def clashes(self, boxes, player, moved):
        """What pairs of boxes that cannot both go straight to targets add to the floor."""
        order = sorted(boxes, key=lambda box: player if box == moved else box)
        left, price = [self.pose(box, player) for box in order], 0
        while left:
            first = left.pop(0)
            partner = next((pose for pose in left if self.clash(first, pose)), None)
            if partner is not None:
                left.remove(partner)
                price += 2
        return price

    @cache
    def clash(self, *poses):
        """Whether no pushes of two lone boxes bring both nearer to targets all the time."""
        boxes = tuple(box for box, _ in poses)
        nearer = tuple(frozenset(t for t, d in enumerate(self.distance.get(pose, ())) if d < FAR)
                       for pose in poses)
        stack = [(boxes, min(self.walk(boxes, player)), nearer) for player in self.open - {*boxes}
                 if all(self.pose(box, player) == pose for box, pose in zip(boxes, poses))]
        seen = set(stack)
        while stack:
            boxes, player, nearer = stack.pop()
            if len(seen) > MOST_POSITIONS or all(
                    any(self.targets[t] == box for t in goals) for box, goals in zip(boxes, nearer)):
                return False
            moves = self.walk(boxes, player)
            for i, (behind, ahead) in [(i, self.around(boxes[i], s)) for i in (0, 1) for s in SIDES]:
                if behind not in moves or ahead is None or ahead in boxes:
                    continue
                before = self.distance.get(self.pose(boxes[i], player), ())
                after = self.distance.get(self.pose(ahead, boxes[i]), before)
                goals = frozenset(t for t in nearer[i] if before[t] == after[t] + 1)
                moved = boxes[:i] + (ahead,) + boxes[i + 1:]
                state = moved, min(self.walk(moved, boxes[i])), nearer[:i] + (goals,) + nearer[i + 1:]
                if goals and state not in seen:
                    seen.add(state)
                    stack.append(state)
        return True

    def corral(self, boxes, moves):
        """The boxes of the corral with the fewest pushes: the others need not be pushed now."""
        seen, best = set(), None
        for first in (self.beside(box, side) for box in sorted(boxes) for side in SIDES):
            if first is not None and first not in moves and not (first in boxes or first in seen):
                found = self.grow(boxes, moves, first, inside := set())
                seen |= inside
                if found and (best is None or found[0] < best[0]):
                    best = found
        return boxes if best is None else best[1]

    def grow(self, boxes, moves, first, inside):
        """The number of pushes of a corral and its boxes; None where it does not count."""
        inside.add(first)
        stack, held = [first], []
        while stack:
            while stack:
                square = stack.pop()
                if square in boxes:
                    held.append(square)
                    continue
                beside = [self.beside(square, side) for side in SIDES]
                stack.extend(s for s in beside if s is not None and s not in inside)
                inside.update(stack)
            pushes = 0
            for behind, ahead in [self.around(box, side) for box in held for side in SIDES]:
                if None in (behind, ahead) or behind in inside or ahead in inside and ahead in boxes:
                    continue
                if ahead in moves:
                    return None
                stack.extend(s for s in (ahead, behind) if s not in moves and s not in inside)
                inside.update(stack)
                pushes += behind in moves
        return None if self.target_set.issuperset(held) else (pushes, held)


def close(level, limit, most, in_moves):
    """Closes every state that no reason covers, and counts them."""
    limit = FAR if limit is None else limit
    is_part = level.surcharges is not None
    if level.boxes <= level.target_set and limit > 0 and not is_part:
        raise Refused("the claim is false: a plan of 0 exists")
    if limit == 0 or level.floor(level.boxes, level.player) >= limit:
        return 0
    start = level.boxes, level.player if in_moves else min(level.walk(level.boxes, level.player))
    costs, open_states = {start: 0}, {0: [start]}
    while open_states:
        cost = min(open_states)
        for boxes, player in open_states.pop(cost):
            if costs[boxes, player] < cost:
                continue
            if is_part and boxes <= level.target_set and cost + level.end(boxes) < limit:
                raise Refused(f"a part costs {cost + level.end(boxes)}, less than it says")
            moves = level.walk(boxes, player)
            needed = boxes if in_moves else level.corral(boxes, moves)
            for box, (behind, ahead) in [(b, level.around(b, s)) for b in needed for s in SIDES]:
                if behind not in moves or ahead is None or ahead in boxes:
                    continue
                after, paid = boxes - {box} | {ahead}, cost + (moves[behind] + 1 if in_moves else 1)
                if after <= level.target_set and not is_part:
                    if paid < limit:
                        raise Refused(f"the claim is false: a plan of {paid} exists")
                    continue
                reached = after, box if in_moves else min(level.walk(after, box))
                if costs.get(reached, FAR) <= paid:
                    continue
                if level.floor(after, box, ahead) >= limit - paid or level.is_frozen(after, ahead):
                    continue
                if reached not in costs and len(costs) == most:
                    raise Refused(f"the claim is not proven by closing {most} states")
                costs[reached] = paid
                open_states.setdefault(paid, []).append(reached)
    return len(costs)


def add_up(level, limit, header):
    """Proves a claim by parts, and counts the states that are closed for them."""
    boxes, surcharges, parts = sorted(level.boxes), header["surcharges"], header["parts"]
    is_small = all(0 <= surcharge <= MOST_SURCHARGE for surcharge in surcharges)
    if (header["measure"] != "pushes" or limit is None or not is_small
            or not len(surcharges) == len(level.targets) == len(boxes)
            or sorted(n for members, _ in parts for n in members) != [*range(len(boxes))]
            or sum(cost for _, cost in parts) - sum(surcharges) < limit):
        raise Refused("the certificate's parts prove nothing")
    count, level.surcharges = 0, surcharges
    for members, cost in parts:
        level.boxes = frozenset(boxes[n] for n in members)
        count += close(level, cost, header["most"] - count, False)
    return count


def replay(level, plan):
    """Pushes and moves of a plan."""
    boxes, player, pushes, moves = level.boxes, level.player, 0, 0
    for letter in "".join(plan.lower().split()):
        side = dict(zip("urdl", SIDES)).get(letter, (0, 0))
        ahead, beyond = level.beside(player, side), None
        if ahead in boxes:
            beyond, pushes = level.beside(ahead, side), pushes + 1
            boxes = boxes - {ahead} | {beyond}
        if ahead in (None, player) or len(boxes) != len(level.boxes) or None in boxes:
            raise Refused(f"the plan does not hold at move {moves + 1}")
        player, moves = ahead, moves + 1
    if not boxes <= level.target_set:
        raise Refused("the plan does not end with all boxes on targets")
    return {"pushes": pushes, "moves": moves}


def main(level_file, certificate_file):
    """Checks one certificate."""
    try:
        rows, title = read_level(Path(level_file).read_text("utf-8"))
        header, plan = read_certificate(Path(certificate_file).read_text("utf-8"))
        normal = "".join(row + "\n" for row in rows) + f"Title: {title}\n"
        if header.get("area") != fingerprint("sokoban", normal):
            raise Refused("the certificate is of another level")
        level, limit = Level(rows), header["limit"]
        length = replay(level, plan)[header["measure"]] if plan else None
        if length is not None and (limit is None or length < limit):
            raise Refused(f"the claim is false: the certificate's own plan has {length}")
        if header["parts"]:
            count = add_up(level, limit, header)
        else:
            count = close(level, limit, header["most"], header["measure"] == "moves")
    except Refused as error:
        print(f"not certified: {error}")
        return 1
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"certified: {header['claim']}" + ("" if length is None else f"; the plan has {length}"))
    print(f"{count} states closed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
