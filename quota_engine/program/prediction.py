"""What deploying would do to the running jobs: the forecast, with what Pulumi's state knows about who made what.

The account is read with the credentials and endpoints of the deployment; nothing here writes. A queue or a region that
is no longer declared is looked at too, as its jobs end. What can't be read is said to be unknown, never taken for
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quota_engine.forecast import Forecast, forecast
from quota_engine.model.job_history import RecordedJob
from quota_engine.model.observation import Observation
from quota_engine.model.stack import JobQueue, ServiceEnvironment, Stack
from quota_engine.model.trouble import Trouble
from quota_engine.report.forecast_text import basis_sentence, headline, hit_sentence

from .ending import State

NAMED_MAX = 20
_MAX_ATTEMPTS = 3


class CannotTell(Exception):
    """The account could not be read, or not as a whole; its text says why."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The forecasts of a deployment, one for each region that it touches; everything in them could be read."""

    forecasts: tuple[Forecast, ...]

    @property
    def hits_jobs(self) -> bool:
        return any(one.hits for one in self.forecasts)

    @property
    def text(self) -> str:
        """The answer of each forecast, the running jobs that are hit by name, and what is not certain."""
        return "\n".join(line for one in self.forecasts for line in _lines(one))


def predict(stack: Stack, state: State, history: Sequence[RecordedJob] | None = None) -> Prediction:
    """Read the account as the deployment would, and let its queues go on as `stack` declares. Raises CannotTell.

    Durations are taken from `history`, recorded jobs; without it only the instant of deploying is judged.
    """
    forecasts = [_forecast(one, state, history) for one in touched(stack, state)]
    problems = dict.fromkeys(problem for one in forecasts for problem in one.unreadable)
    if problems:
        raise CannotTell("; ".join(f"{one.operation}: {one.code}: {one.message}" for one in problems))
    return Prediction(tuple(forecasts))


def touched(stack: Stack, state: State) -> list[Stack]:
    """Return what is declared for each region that is touched, with deployed queues that go as queues without shares.

    The declared region comes first. Queues that go have jobs only where they have shares.
    """
    former = sorted({arn.scope.region for arn in state.shares} - {stack.region})
    emptied = replace(stack, service_environments={}, scheduling_policies={}, job_queues={})
    declared = [stack, *(replace(emptied, region=region) for region in former)]
    return [_with_queues_that_go(one, state) for one in declared]


def with_what_stays(stack: Stack, observed: Observation, state: State) -> Stack:
    """Return the declaration with the live shares that nobody declares and Pulumi has not made, so won't delete.

    An environment of a queue that goes is left as it lives.
    """
    made = {(arn.queue, arn.name) for arn in state.shares if arn.scope.region == stack.region}
    queues = {}
    for name, queue in stack.job_queues.items():
        others = {
            share: value
            for share, value in observed.shares_of(name).items()
            if share not in queue.quota_shares and (name, share) not in made
        }
        queues[name] = replace(queue, quota_shares={**queue.quota_shares, **others})
    living = {
        name: observed.stack.service_environments.get(name, environment) if _is_going(environment) else environment
        for name, environment in stack.service_environments.items()
    }
    return replace(stack, job_queues=queues, service_environments=living)


def _forecast(stack: Stack, state: State, history: Sequence[RecordedJob] | None) -> Forecast:
    from botocore.exceptions import BotoCoreError, ClientError

    from quota_engine.live import observe, observe_jobs

    from .account import deployment_session

    account = stack.account or next((arn.scope.account for arn in state.shares), None)
    try:
        session = deployment_session(stack.region, account)
        observed = observe(stack, session, with_tags=False, max_attempts=_MAX_ATTEMPTS)
        living = [name for name in stack.job_queues if name in observed.stack.job_queues]
        jobs = observe_jobs(stack, living, session, max_attempts=_MAX_ATTEMPTS)
    except Trouble as error:
        raise CannotTell(f"{error.what}: {error.why}" if error.why else error.what) from error
    except (BotoCoreError, ClientError) as error:
        raise CannotTell(" ".join(str(error).split())) from error
    return forecast(with_what_stays(stack, observed, state), observed, jobs, history=history)


def _with_queues_that_go(stack: Stack, state: State) -> Stack:
    deployed = {arn.queue: None for arn in state.shares if arn.queue and arn.scope.region == stack.region}
    going = [name for name in deployed if name not in stack.job_queues]
    environments = {state.queues[name] for name in going if name in state.queues} - stack.service_environments.keys()
    return replace(
        stack,
        service_environments={
            **stack.service_environments,
            **{name: ServiceEnvironment(name, {}) for name in sorted(environments)},
        },
        job_queues={
            **stack.job_queues,
            **{name: JobQueue(name, tuple(filter(None, [state.queues.get(name)])), None) for name in going},
        },
    )


def _is_going(environment: ServiceEnvironment) -> bool:
    """Say whether it stands for one that is no longer declared: none that is has no capacity at all."""
    return not environment.capacity_limits


def _lines(one: Forecast) -> Sequence[str]:
    hits = [(queue.queue, hit) for queue in one.queues for hit in queue.hits]
    lines = [headline(one)]
    lines += [f"  job queue {queue}: {hit_sentence(hit)}" for queue, hit in hits[:NAMED_MAX]]
    lines += [f"  and {len(hits) - NAMED_MAX} more"] if len(hits) > NAMED_MAX else []
    lines += [f"  rests on {basis_sentence(basis, one)}" for queue in one.queues for basis in queue.durations]
    lines += [f"  not certain: {doubt}" for queue in one.queues for doubt in queue.doubts]
    return lines
