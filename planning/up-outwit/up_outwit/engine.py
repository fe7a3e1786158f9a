"""The engines: what unified-planning asks of a planner and of a validator, answered by outwit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import IO, Any, Literal
from warnings import warn

import outwit
from unified_planning.engines import (
    Engine,
    LogLevel,
    LogMessage,
    PlanGenerationResult,
    PlanGenerationResultStatus as Status,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.engines.results import FailedValidationReason
from unified_planning.model import AbstractProblem, ProblemKind, State
from unified_planning.plans import ActionInstance, Plan, PlanKind, SequentialPlan

from .board import Board
from .strips import Failure, Task, Unsupported, supported_kind

Effort = Literal["quick", "good", "best"]

NO_LIMIT = 31_536_000.0
"""Seconds that stand for no timeout: a year, which is the longest time that outwit takes."""
LEAST_TIME = 0.001
"""Seconds that a search has at least, when a timeout has passed."""
PROOF_SECONDS = 10.0
"""Seconds that the effort "good" spends on a proof where there is no timeout."""
PROOF_SHARE = 0.1
"""Part of a timeout that the effort "good" spends on a proof at most."""
FIRST_SLICE = 0.5
"""Seconds of the first search for a better plan."""
SLICE_GROWTH = 1.5
"""By how much each search for a better plan is longer than the one before."""


USUAL_MEASURE = "pushes"
"""What outwit counts where it is not asked for anything else."""


class _Fault(Exception):
    """outwit and the problem's own actions disagree about a plan, which is a fault of ours."""


class _Clock:
    """The time that is left of a timeout."""

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float:
        """Seconds, within what outwit takes."""
        return NO_LIMIT if self._end is None else self._within(self._end - time.monotonic())

    def part(self, seconds: float) -> float:
        """This number of seconds, but no more than are left."""
        return self._within(min(seconds, self.left()))

    @property
    def is_over(self) -> bool:
        """Whether the timeout has passed."""
        return self._end is not None and time.monotonic() >= self._end

    @staticmethod
    def _within(seconds: float) -> float:
        return min(max(seconds, LEAST_TIME), NO_LIMIT)


class _Search:
    """The search for plans of one problem."""

    def __init__(
        self, board: Board, clock: _Clock, output: IO[str] | None, name: str, limits: dict[str, Any]
    ) -> None:
        self.board = board
        self.clock = clock
        self.measure = None if board.measure is None else board.measure.name
        self.best: outwit.Plan | None = None
        """The best plan so far."""
        self.last: outwit.SearchResult | None = None
        self.bound = 0
        """No plan is shorter than this, in the measure of the metric."""
        self._asked = USUAL_MEASURE
        self._output = output
        self._name = name
        self._limits = limits

    @cached_property
    def _area(self) -> outwit.Area:
        """The level, which a problem without a search need not have."""
        return self.board.level()

    def find(self, seconds: float) -> None:
        """Looks for any plan."""
        known = None if self.best is None else self.best.text
        self._heard(
            USUAL_MEASURE,
            self._area.solve(known=known, effort="quick", time=seconds, progress=self._teller(), **self._limits),
        )

    def prove(self, seconds: float) -> None:
        """Looks for a shortest plan in the measure of the metric, or for a proof that the best one is."""
        known = None if self.best is None else self.best.text
        assert self.measure is not None
        self._heard(
            self.measure,
            self._area.solve(
                known=known, optimal=self.measure, time=seconds, progress=self._teller(), **self._limits
            ),
        )

    def shorten(self, seconds: float) -> None:
        """Looks for a plan that is like the best one, and shorter."""
        assert self.best is not None
        self._heard(
            USUAL_MEASURE,
            self._area.improve(self.best.text, time=seconds, progress=self._teller(), **self._limits),
        )

    def _heard(self, measure: str, result: outwit.SearchResult) -> None:
        """Keeps what a search has found that was asked for short plans in a measure."""
        self._asked, self.last = measure, result
        if result.plan is not None and (self.best is None or self._length(result.plan) < self._length(self.best)):
            self.best = result.plan
        if measure == self.measure:
            self.bound = max(self.bound, result.bound or 0)
        self._say(f"{result.verdict}, {measure} {result.length}, at least {result.bound}")

    def _length(self, plan: outwit.Plan) -> int:
        return int(plan.facts[self.measure or USUAL_MEASURE])

    def plan(self) -> SequentialPlan | None:
        """The best plan so far, which has passed the problem's own actions."""
        if self.best is None:
            return None
        try:
            actions = self.board.actions(self._area.steps(self.best.text))
        except (KeyError, StopIteration) as error:
            raise _Fault(f"a plan leaves the board: {error}") from error
        return checked(self.board, actions)

    def is_proven(self) -> bool:
        """Whether the best plan is proven to be a shortest one in the measure of the problem's metric."""
        result = self.last
        if result is None or self.best is None or self._asked != self.measure or result.verdict != "optimal":
            return False
        return result.bound == result.length == self._length(self.best)

    def result(self, status: Status, plan: Plan | None, *said: str) -> PlanGenerationResult:
        """The result for unified-planning."""
        metrics = {}
        if self.last is not None:
            spent = self.last
            metrics = {"engine_internal_time": str(spent.seconds), "expanded": str(spent.expanded)}
            if self.board.measure is not None:
                metrics["bound"] = str(self.bound * self.board.measure.price)
        return PlanGenerationResult(status, plan, self._name, metrics, [_info(text) for text in said])

    def _teller(self) -> Callable[[Any], None] | None:
        if self._output is None:
            return None

        def tell(progress: dict[str, Any]) -> None:
            best = progress["best"]
            text = f"{progress['phase']}: {progress['nodes']} states, at least {progress['bound']}"
            self._say(text if best is None else f"{text}, best {best}")

        return tell

    def _say(self, text: str) -> None:
        if self._output is not None:
            self._output.write(f"{self._name}: {text}\n")


class _OutwitBase(Engine):
    """What the engines have in common: the options, and which problems are refused."""

    def __init__(
        self, *, seed: int = 1, memory_mib: int = 1024, threads: int | None = None, effort: Effort = "good"
    ) -> None:
        """Takes the options of searches.

        `seed` decides between equals, `memory_mib` is the most memory of a search in MiB, `threads` the number of its
        threads, by default as many as the machine has. `effort` says for how long a search goes on for a proof once it
        has a plan: "quick" not at all, "good" for a tenth of the timeout, "best" until the timeout.
        """
        Engine.__init__(self)
        if effort not in ("quick", "good", "best"):
            raise ValueError(f'effort is "quick", "good" or "best", not {effort!r}')
        self._effort = effort
        self._limits = {"seed": int(seed), "memory": int(memory_mib)}
        if threads is not None:
            self._limits["threads"] = int(threads)

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The features of plain STRIPS with types, and with costs or lengths to be minimised.

        Features alone do not say whether a problem is Sokoban. A problem that has these and is not Sokoban is refused
        when it is read: by the status `UNSUPPORTED_PROBLEM` of planners, `UNKNOWN` of the validator.
        """
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether problems of this kind may be Sokoban."""
        return problem_kind <= supported_kind()

    def _search(
        self, problem: AbstractProblem, timeout: float | None, output_stream: IO[str] | None, warm_start: Plan | None
    ) -> _Search | PlanGenerationResult:
        """The search, or the result where none is needed."""
        clock = _Clock(timeout)
        try:
            board = Board(Task(problem))
        except Unsupported as reason:
            said = [LogMessage(LogLevel.ERROR, str(reason))]
            return PlanGenerationResult(Status.UNSUPPORTED_PROBLEM, None, self.name, None, said)
        search = _Search(board, clock, output_stream, self.name, self._limits)
        if board.is_solved:
            has_metric = board.measure is not None
            status = Status.SOLVED_OPTIMALLY if has_metric else Status.SOLVED_SATISFICING
            return search.result(status, checked(board, []), "the goals hold at the start")
        if board.hopeless is not None:
            return search.result(Status.UNSOLVABLE_PROVEN, None, board.hopeless)
        search.best = _known(board, warm_start)
        return search

    def _finish(self, search: _Search, needs_proof: bool) -> PlanGenerationResult:
        """The result of a search that is over."""
        found = search.last
        assert found is not None
        plan = search.plan()
        if plan is not None and search.is_proven():
            return search.result(Status.SOLVED_OPTIMALLY, plan)
        if plan is not None and not needs_proof:
            return search.result(Status.SOLVED_SATISFICING, plan)
        if found.verdict == "impossible" and plan is None:
            return search.result(Status.UNSOLVABLE_PROVEN, None)
        if found.stopped == "cancelled":
            raise KeyboardInterrupt
        statuses = {"time": Status.TIMEOUT, "memory": Status.MEMOUT}
        status = statuses.get(found.stopped or "", Status.UNSOLVABLE_INCOMPLETELY if plan is None else Status.TIMEOUT)
        return search.result(status, plan, "the plan is not proven to be a best one" if plan else "no plan was found")

    def _fault(self, fault: Exception) -> PlanGenerationResult:
        said = [LogMessage(LogLevel.ERROR, f"this is a fault of outwit: {fault}")]
        return PlanGenerationResult(Status.INTERNAL_ERROR, None, self.name, None, said)


class _OutwitOneshot(_OutwitBase, OneshotPlannerMixin):
    """An engine that answers with one plan; how it spends its time is its own."""

    def __init__(self, **options: Any) -> None:
        _OutwitBase.__init__(self, **options)
        OneshotPlannerMixin.__init__(self)

    def _spend(self, search: _Search, timeout: float | None) -> PlanGenerationResult:
        """Searches until there is a result."""
        raise NotImplementedError

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[State], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[State], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Plan | None = None,
        **kwargs: Any,
    ) -> PlanGenerationResult:
        _warn_of(heuristic, kwargs)
        search = self._search(problem, timeout, output_stream, warm_start_plan)
        if isinstance(search, PlanGenerationResult):
            return search
        try:
            return self._spend(search, timeout)
        except _Fault as fault:
            return self._fault(fault)


class OutwitEngine(_OutwitOneshot, AnytimePlannerMixin, PlanValidatorMixin):
    """Solves Sokoban as well as the time allows, finds better and better plans, and validates plans.

    A plan that is proven to be a best one by the problem's metric has the status `SOLVED_OPTIMALLY`, every other
    one `SOLVED_SATISFICING`.
    """

    def __init__(self, **options: Any) -> None:
        """Takes the options `seed`, `memory_mib`, `threads` and `effort`."""
        _OutwitOneshot.__init__(self, **options)
        AnytimePlannerMixin.__init__(self)
        PlanValidatorMixin.__init__(self)

    @property
    def name(self) -> str:
        """The engine's name."""
        return "outwit"

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Any plan may be the answer: `OutwitOptimalEngine` is for best ones."""
        return optimality_guarantee == OptimalityGuarantee.SATISFICING

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Each plan is better than the one before."""
        return anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Plans are sequences of actions."""
        return plan_kind == PlanKind.SEQUENTIAL_PLAN

    def _spend(self, search: _Search, timeout: float | None) -> PlanGenerationResult:
        search.find(search.clock.left())
        seconds = self._proof_seconds(search.clock, timeout)
        if search.best is not None and search.measure is not None and not search.is_proven() and seconds > 0:
            search.prove(seconds)
        return self._finish(search, needs_proof=False)

    def _proof_seconds(self, clock: _Clock, timeout: float | None) -> float:
        """For how long a proof is tried."""
        if self._effort == "quick" or clock.is_over:
            return 0
        if self._effort == "best":
            return clock.left()
        return clock.part(PROOF_SECONDS if timeout is None else timeout * PROOF_SHARE)

    def _get_solutions(
        self, problem: AbstractProblem, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> Iterator[PlanGenerationResult]:
        return self._get_solutions_with_params(problem, timeout, output_stream)

    def _get_solutions_with_params(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Plan | None = None,
        **kwargs: Any,
    ) -> Iterator[PlanGenerationResult]:
        _warn_of(None, kwargs)
        search = self._search(problem, timeout, output_stream, warm_start_plan)
        if isinstance(search, PlanGenerationResult):
            yield search
            return
        try:
            yield from self._improving(search)
            yield self._finish(search, needs_proof=False)
        except _Fault as fault:
            yield self._fault(fault)

    def _improving(self, search: _Search) -> Iterator[PlanGenerationResult]:
        """The plans that are found on the way, each better than the one before.

        The last of them comes again at the end, with what is proven of it.
        """
        search.find(search.clock.left())
        slice_seconds = FIRST_SLICE
        cost = None
        for turn in itertools.cycle((search.prove, search.shorten)):
            if search.best is None or search.measure is None or search.last is None:
                return
            plan = search.plan()
            assert plan is not None
            now = search.board.cost(plan.actions)
            if cost is None or (now is not None and now < cost):
                cost = now
                yield search.result(Status.INTERMEDIATE, plan)
            if search.is_proven() or search.last.stopped == "cancelled" or search.clock.is_over:
                return
            turn(search.clock.part(slice_seconds))
            slice_seconds *= SLICE_GROWTH

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        try:
            board = Board(Task(problem))
            if not isinstance(plan, SequentialPlan):
                raise Unsupported("the plan is no sequence of actions")
        except Unsupported as reason:
            said = [LogMessage(LogLevel.ERROR, str(reason))]
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, said)
        failure = board.task.replay(plan.actions)
        refusal = _refusal(board, plan.actions if failure is None else plan.actions[: failure.step], failure)
        if refusal is not None:
            said = [LogMessage(LogLevel.ERROR, f"this is a fault of outwit: {refusal}")]
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, said)
        if failure is None:
            cost = board.cost(plan.actions)
            evaluations = None if cost is None else {board.task.problem.quality_metrics[0]: cost}
            return ValidationResult(ValidationResultStatus.VALID, self.name, [], evaluations)
        ends_early = failure.step is not None
        return ValidationResult(
            ValidationResultStatus.INVALID,
            self.name,
            [_info(failure.reason)],
            reason=FailedValidationReason.INAPPLICABLE_ACTION
            if ends_early
            else FailedValidationReason.UNSATISFIED_GOALS,
            inapplicable_action=None if failure.step is None else plan.actions[failure.step],
        )


class OutwitOptimalEngine(_OutwitOneshot):
    """Solves Sokoban with a plan that is proven to be a best one by the problem's metric.

    Where the time or the memory is over before, the status says so, with the best plan so far.
    """

    def __init__(self, **options: Any) -> None:
        """Takes the options `seed`, `memory_mib` and `threads`; `effort` has no meaning here."""
        super().__init__(**options)

    @property
    def name(self) -> str:
        """The engine's name."""
        return "outwit-opt"

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Plans are proven to be best ones."""
        return True

    def _spend(self, search: _Search, timeout: float | None) -> PlanGenerationResult:
        # Without a metric any plan is a best one.
        has_metric = search.measure is not None
        (search.prove if has_metric else search.find)(search.clock.left())
        return self._finish(search, needs_proof=has_metric)


def checked(board: Board, actions: list[ActionInstance]) -> SequentialPlan:
    """A plan that the problem's own actions have let pass."""
    failure = board.task.replay(actions)
    if failure is not None:
        raise _Fault(failure.reason)
    return SequentialPlan(actions, board.task.problem.environment)


def _refusal(board: Board, done: list[ActionInstance], failure: Failure | None) -> str | None:
    """What outwit's reference rules object to in a plan's actions, or in their end.

    The problem's own actions have let the actions pass that are `done`, and `failure` says what came then. None where
    the rules agree.
    """
    session = board.level(is_open=True).session()
    for number, key in enumerate(board.keys(done), 1):
        try:
            session.act(key)
        except ValueError as reason:
            return f"step {number}: {reason}"
    view = session.view()
    signs = [view[row + 1][col + 1] for row, col in board.places.values()]
    is_home = "$" not in signs and board.hopeless is None
    ends = failure is None or failure.step is None
    return "the end is judged in two ways" if ends and is_home != (failure is None) else None


def _known(board: Board, plan: Plan | None) -> outwit.Plan | None:
    """A known plan as one of outwit; none where it does not hold."""
    if plan is None:
        return None
    if not isinstance(plan, SequentialPlan) or board.task.replay(plan.actions) is not None:
        warn("the known plan does not hold for this problem, and is left out")
        return None
    keys = "".join(board.keys(plan.actions))
    try:
        return board.level().verify(keys)
    except outwit.InvalidPlan:
        # A plan that goes on after it has reached the goals is none of outwit's.
        warn("the known plan is left out")
        return None


def _warn_of(heuristic: object, others: dict[str, Any]) -> None:
    if heuristic is not None:
        warn("outwit has heuristics of its own; the one that was given is not used")
    if others:
        warn(f"outwit does not know these parameters: {', '.join(others)}")


def _info(text: str) -> LogMessage:
    return LogMessage(LogLevel.INFO, text)


