"""What must hold before anything changes: the stack's `quota-engine:` settings, each with its gate.

Gates run in `pulumi preview` and `pulumi up`, before the first resource is registered; one that stays closed stops the
program by a RunError, which Pulumi shows without a traceback. `pulumi destroy` runs no program and so no gate: only
`protect` guards it. A setting that no gate knows stops the program too, as its author counts on being guarded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from quota_engine.config import Loaded, Unreadable, load_scenario
from quota_engine.history import HistoryError, read_history, read_recorded, refuse, taken_names, with_history
from quota_engine.model.diagnostic import Severity
from quota_engine.model.job_history import RecordedJob
from quota_engine.model.stack import Stack
from quota_engine.model.work import Scenario
from quota_engine.rules import check_scenario, check_stack, refusal_of
from quota_engine.simulate import ScenarioError, judge
from quota_engine.simulate import run as simulate
from quota_engine.workloads import TooManyJobs, prepare

from .declaration import as_text
from .ending import State, deployed_state, forgotten_rename, guard_ending_jobs
from .prediction import CannotTell, predict

NAMESPACE = "quota-engine"
HISTORY = "forecastHistory"
Gate = Callable[[Stack, Path, State, Any], None]
"""Judges a declaration, which stands in a file, against what is deployed, by its setting's value (None where unset)."""


class GateClosed(pulumi.RunError):
    """Something that must hold doesn't. Pulumi shows the text of a RunError without a traceback."""


def open_gates(stack: Stack, path: Path) -> None:
    """Run every gate on the declaration of `path`. Raises GateClosed, StateUnreadable."""
    settings = _settings()
    for unknown in sorted(settings.keys() - GATES.keys()):
        match = get_close_matches(unknown, sorted(GATES), n=1)
        fix = f"did you mean {NAMESPACE}:{match[0]}?" if match else f"there are {', '.join(sorted(GATES))}"
        raise GateClosed(
            f"Pulumi's settings have {NAMESPACE}:{unknown}, which nothing reads\n"
            f"  why: a guard that is misspelled guards nothing\n  fix: {fix}, or remove it"
        )
    state = deployed_state()
    check_renames(stack, state)
    for name, gate in GATES.items():
        gate(stack, path, state, settings.get(name))


def check_scenarios(stack: Stack, path: Path, state: State, value: Any) -> None:
    """`simulate: [file, …]`, relative to the declaration: scenarios about it, all of whose expectations must hold."""
    if value is None:
        return
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise GateClosed(f"{NAMESPACE}:simulate is a list of scenario files, relative to {path.parent}")
    failures = [line for name in value for line in _failures(path, path.parent / name)]
    if failures:
        raise GateClosed("\n  ".join(["what must hold before anything changes does not:", *failures]))
    pulumi.log.info(f"{len(value)} scenario{'s hold' if len(value) != 1 else ' holds'}: {', '.join(value)}")


def check_ending_jobs(stack: Stack, path: Path, state: State, value: Any) -> None:
    """`endingJobs: warn | block`: what happens where a share that is deleted or replaced has jobs. Default warn."""
    if value not in (None, "warn", "block"):
        raise GateClosed(f"{NAMESPACE}:endingJobs is '{value}'; it can be warn or block")
    ending = guard_ending_jobs(state, stack)
    for one in ending:
        pulumi.log.warn(one.text)
    if value == "block" and any(one.may_end_jobs for one in ending):
        raise GateClosed(
            "jobs would be terminated, and quota-engine:endingJobs is block\n"
            "  fix: wait for the jobs to end, or pulumi config set quota-engine:endingJobs warn"
        )


def check_forecast(stack: Stack, path: Path, state: State, value: Any) -> None:
    """`forecast: none | warn | block`: what happens where deploying hits jobs that run now. Default none.

    How long jobs last is taken from the file that `forecastHistory` names, where it names one.
    """
    if value not in (None, "none", "warn", "block"):
        raise GateClosed(f"{NAMESPACE}:forecast is '{value}'; it can be none, warn or block")
    if value in (None, "none"):
        return
    try:
        prediction = predict(stack, state, _history(path, _settings().get(HISTORY)))
    except CannotTell as error:
        unknown = f"what deploying would do to the running jobs could not be told: {error}"
        if value == "block":
            raise GateClosed(
                f"{unknown}\n  why: quota-engine:forecast is block, and unknown is not harmless\n"
                "  fix: give the deployment the permissions of quota-engine forecast --print-iam-policy, or "
                "pulumi config set quota-engine:forecast warn"
            ) from error
        pulumi.log.warn(unknown)
        return
    if value == "block" and prediction.hits_jobs:
        raise GateClosed(
            f"{prediction.text}\n  why: quota-engine:forecast is block\n"
            "  fix: wait for these jobs to end, or pulumi config set quota-engine:forecast warn"
        )
    (pulumi.log.warn if prediction.hits_jobs else pulumi.log.info)(prediction.text)


def check_history(stack: Stack, path: Path, state: State, value: Any) -> None:
    """`forecastHistory: FILE`, relative to the declaration: recorded jobs, for the gate `forecast` to look ahead by."""
    if value is None:
        return
    if not isinstance(value, str) or not value:
        raise GateClosed(f"{NAMESPACE}:{HISTORY} is one file of recorded jobs, relative to {path.parent}")
    if _settings().get("forecast") in (None, "none"):
        raise GateClosed(
            f"{NAMESPACE}:{HISTORY} is set, but nothing is forecast\n  why: only {NAMESPACE}:forecast reads it\n"
            f"  fix: pulumi config set {NAMESPACE}:forecast warn, or remove {NAMESPACE}:{HISTORY}"
        )


def _history(path: Path, value: str | None) -> Sequence[RecordedJob] | None:
    """Return the recorded jobs of the setting's file, None where none is named. Raises CannotTell."""
    if value is None:
        return None
    try:
        return read_recorded(str(path.parent / value))
    except HistoryError as error:
        raise CannotTell(": ".join(filter(None, (error.what, error.why)))) from error


def check_renames(stack: Stack, state: State) -> None:
    """Refuse a queue that takes a deployed queue's environment without saying that it is the same queue."""
    rename = forgotten_rename(state.queues, stack)
    if rename is not None:
        former, new = rename
        raise GateClosed(
            f"the job queue '{new}' takes the service environment of '{former}', which is no longer declared\n"
            "  why: the new queue would be made first, and an environment serves one queue\n"
            f"  fix: if it is the same queue, add renamed_from: {former}; its jobs end. If not, deploy twice: first "
            "without the new queue"
        )


GATES: Mapping[str, Gate] = {
    "simulate": check_scenarios,
    "endingJobs": check_ending_jobs,
    HISTORY: check_history,
    "forecast": check_forecast,
}
"""Setting → gate, in the order in which they run: what needs no account first."""


def _settings() -> dict[str, Any]:
    """Return the stack's settings of our namespace; structured ones arrive as JSON text."""
    known = {**get_config_env(), **CONFIG.get()}
    ours = {key.partition(":")[2]: value for key, value in known.items() if key.startswith(f"{NAMESPACE}:")}
    return {name: _decoded(value) for name, value in ours.items()}


def _decoded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value
    except ValueError:
        return value


def _failures(declaration: Path, path: Path) -> list[str]:
    """Return a line for each thing that is wrong with a scenario or with what it shows."""
    try:
        loaded = load_scenario(path)
    except Unreadable as error:
        return [f"{path}: the scenario can't be read: {error.reason}"]
    errors = [one for one in loaded.findings(check_stack, check_scenario) if one.severity is Severity.ERROR]
    if errors or loaded.value is None:
        return as_text(errors).splitlines() or [f"{path}: not a scenario that can be run"]
    if not _is_about(loaded, declaration):
        return [f"{path}: it is about the stack {loaded.stacks[0].file}, not about {declaration}"]
    try:
        scenario, bad = _with_history(loaded.value)
        if bad:
            return [f"{path}: {one}" for one in bad]
        verdicts = judge(simulate(prepare(scenario)))
    except (ScenarioError, TooManyJobs, HistoryError) as error:
        return [f"{path}: {error}"]
    if not verdicts:
        return [f"{path}: it expects nothing, so nothing can hold"]
    return [f"{path}: {one.expected}; {one.seen}" for one in verdicts if not one.holds]


def _with_history(scenario: Scenario) -> tuple[Scenario, list[str]]:
    """Return the scenario with the jobs of its history, and what is wrong with that where too much is."""
    replay = scenario.replay
    if replay is None:
        return scenario, []
    read = read_history(replay, start=scenario.start, is_taken=taken_names(scenario))
    history = refuse(read, refusal_of(scenario))
    bad = [] if replay.max_bad.allows(history.bad_count, history.line_count) else history.bad
    return with_history(scenario, history), [f"{history.shown}, {one}" for one in bad]


def _is_about(loaded: Loaded[Scenario], declaration: Path) -> bool:
    return os.path.realpath(loaded.stacks[0].file) == os.path.realpath(declaration)
