"""Solves a stored area with the client that openapi-python-client generates: `python solve.py URL AREA`.

The area is solved by a job, whose plan is then submitted, so that the server verifies it. A request for an
area that is not there, and a plan that cannot be read, have to be answered with a problem of the declared type.
`scripts/api` generates the client and runs this program.
"""

import sys
import time
from http import HTTPStatus

from outwit_client import Client
from outwit_client.api.jobs import follow_job, get_job, get_job_plan, submit_job
from outwit_client.api.plans import submit_plan
from outwit_client.models import (
    BudgetRequest,
    Job,
    JobRequest,
    JobResult,
    JobState,
    OwnJob,
    Place,
    Problem,
    StoredRef,
    Verdict,
    VerifyRequest,
)

# Seconds between two questions about a job.
PAUSE = 0.05
# Most seconds that a job may wait and search.
PATIENCE = 60.0
OPEN = (JobState.QUEUED, JobState.RUNNING)


def ask(client: Client, area: str) -> OwnJob:
    """Submits a job with a small budget."""
    request = JobRequest(area=StoredRef(id=area), budget=BudgetRequest(seconds=1.0, seed=7))
    job = submit_job.sync(client=client, body=request)
    assert isinstance(job, OwnJob), job
    return job


def wait(client: Client, identifier: str) -> JobResult:
    """The result of a job, once the job is through."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        job = get_job.sync(identifier, client=client)
        assert isinstance(job, Job), job
        if job.state not in OPEN:
            assert job.state is JobState.DONE and job.result is not None, job
            return job.result
        time.sleep(PAUSE)
    raise TimeoutError(f"job {identifier} is not done after {PATIENCE} s")


def verify(client: Client, area: str, plan: str) -> Verdict:
    """What the server says of a plan."""
    verdict = submit_plan.sync(client=client, body=VerifyRequest(area=StoredRef(id=area), plan=plan))
    assert isinstance(verdict, Verdict), verdict
    return verdict


def check_problems(client: Client, area: str) -> None:
    """Makes two requests that have to be refused."""
    missing = submit_job.sync_detailed(client=client, body=JobRequest(area=StoredRef(id="no/area")))
    assert missing.status_code == HTTPStatus.NOT_FOUND, missing
    assert isinstance(missing.parsed, Problem) and missing.parsed.status == 404, missing
    request = VerifyRequest(area=StoredRef(id=area), plan="no plan of any game\n")
    wrong = submit_plan.sync_detailed(client=client, body=request)
    assert wrong.status_code == HTTPStatus.UNPROCESSABLE_ENTITY, wrong
    assert isinstance(wrong.parsed, Problem), wrong
    assert isinstance(wrong.parsed.diagnostic, Place) and wrong.parsed.diagnostic.line == 1, wrong


def main(url: str, area: str) -> None:
    """Solves the area and says in one line what came of it."""
    with Client(base_url=url) as client:
        job = ask(client, area)
        result = wait(client, job.id)
        plan = get_job_plan.sync(job.id, client=client)
        assert isinstance(plan, str) and plan == result.plan, plan
        events = follow_job.sync(job.id, client=client)
        assert isinstance(events, str) and events.startswith("event: job\n"), events
        verdict = verify(client, area, plan)
        assert verdict.valid and verdict.length == result.length, verdict
        check_problems(client, area)
    print(f"openapi-python-client: {area} {result.verdict} with a plan of length {verdict.length}")


if __name__ == "__main__":
    main(*sys.argv[1:])
