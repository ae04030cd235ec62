"""Explanations: the right reason, and no "would" that does not happen when it is done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from quota_engine.cli.main import run
from quota_engine.config import load_stack
from quota_engine.explain import explain, moment_of
from quota_engine.explain.trial import attempt, with_priority
from quota_engine.model.work import Scenario
from quota_engine.scheduler import DISPATCHED
from tests.conftest import Emulator
from tests.emulator.resources import status
from tests.forecast.test_forecast import Live
from tests.property.busy_histories import busy_histories

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
BLOG = "scenarios/lend-and-borrow.yaml"
PAGE = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")


def told(capfd: Capture, *arguments: str, code: int = 0) -> str:
    assert run(["explain", *arguments]) == code
    output, errors = capfd.readouterr()
    return " ".join((output + errors).split())


@pytest.mark.parametrize(
    ("job", "at", "sentences"),
    [
        (
            "qs1_job_low",
            "5m",
            [
                "waits",
                "it would have to borrow 1 ml.g5.xlarge, but 0 of what others lend is idle",
                "if its priority were 3 (now 1): it would start at once, borrowing 1 ml.g5.xlarge",
            ],
        ),
        (
            "qs1_job_med",
            "5m",
            [
                "runs on borrowed capacity",
                "if a job of 1 ml.g5.xlarge were submitted to QS2: it would be preempted (cross-share)",
                "if its priority were 4 (now 2): that claim would stop qs1_job_high instead",
            ],
        ),
        ("qs1_job_med", "15m", ["waits", "preempted by qs2_job of QS2 (cross-share)", "A-11: choice of victims"]),
        ("qs2_job", "15m", ["runs within its share's own limit", "no job that could be submitted now would end it"]),
        ("qs1_job_high", "20m", ["preempted by qs1_job_low of QS1 (in-share)"]),
    ],
)
def test_the_announcement_explained(job: str, at: str, sentences: list[str], capfd: Capture) -> None:
    """The questions that its readers have."""
    output = told(capfd, job, "--scenario", BLOG, "--at", at)
    for sentence in sentences:
        assert sentence in output


def test_an_assumption_of_the_command_wins_over_the_scenarios_also_where_it_is_the_default(
    tmp_path: Path, capfd: Capture
) -> None:
    """Asked for the default, one gets the default, as with simulate."""
    text = Path(BLOG).read_text(encoding="utf-8").replace("../stacks", str(ROOT / "stacks"))
    path = tmp_path / "scenario.yaml"
    path.write_text(text + "assumptions: {victim_order: [oldest]}\n", encoding="utf-8")
    question = ("qs1_job_med", "--scenario", str(path), "--at", "15m")
    assert "preempted by qs1_job_high of QS1 (in-share)" in told(capfd, *question)
    default = told(capfd, *question, "--assume", "victim_order=priority,youngest")
    assert "preempted by qs2_job of QS2 (cross-share)" in default
    assert "victim_order" in told(capfd, *question, "--assume", "victim_order=best", code=2)


def test_a_finished_job_has_a_history(capfd: Capture) -> None:
    """It neither waits nor runs, but how it came to its end is told."""
    assert "succeeded" in told(capfd, "qs2_job", "--scenario", BLOG, "--at", "10h")


def test_a_job_behind_another_is_told_what_is_ahead(tmp_path: Path, capfd: Capture) -> None:
    """A small job that would fit waits behind a large one: the rule that surprises most people."""
    path = tmp_path / "s.yaml"
    path.write_text(
        f"kind: scenario\nversion: 1\nstack: {ROOT}/stacks/dev.yaml\njobs:\n"
        "  - {name: big, share: QS3, instances: {ml.g5.xlarge: 2}, submit_at: 0s, duration: 1h}\n"
        "  - {name: small, share: QS3, instances: {ml.g5.xlarge: 1}, submit_at: 1s, duration: 1h}\n"
        "expect: [{blocked: {job: big}}]\n",
        encoding="utf-8",
    )
    output = told(capfd, "small", "--scenario", str(path))
    assert "1 job of QS3 is ahead of it: big (priority 0)" in output
    assert "big can never run as things are set" in output
    assert "if its priority were 1 (now 0): it would start at once" in output


@settings(max_examples=40, deadline=None)
@given(busy_histories(jobs=15, shares=3))
def test_every_would_about_a_priority_holds_when_it_is_done(scenario: Scenario) -> None:
    """A promise that fails is worse than none."""
    moment = moment_of(scenario, None)
    for one in moment.situation.jobs:
        if one.status in DISPATCHED:
            continue
        found = explain(moment.situation, one.job.name)
        for would in found.woulds:
            match = re.match(r"its priority were ([0-9]+) ", would.change)
            if match:
                changed = with_priority(moment.situation, one.job.name, int(match[1]))
                assert attempt(changed).starts(one.job.name)


@pytest.fixture
def live(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Live:
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    stack = load_stack("stacks/dev.yaml").value
    assert stack is not None
    found = Live(emulator, stack)
    found.submit("high", "QS1", 3)
    found.submit("med", "QS1", 2)
    found.submit("low", "QS1", 1)
    found.submit("owner", "QS2")
    return found


def test_a_live_job_is_explained_by_its_name_its_id_and_its_arn(live: Live, capfd: Capture) -> None:
    """Whatever a person has at hand."""
    arn = live.scope.service_job(live.ids["med"])
    answers = {told(capfd, *job) for job in (["med", "--queue", "training"], [live.ids["med"]], [arn])}
    (answer,) = answers
    assert "med" in answer
    assert "waits (RUNNABLE)" in answer
    assert "preempted once so far" in answer


def test_what_would_start_a_live_job_starts_it(live: Live, capfd: Capture) -> None:
    """The sentence, acted upon: the priority is set, the job runs."""
    output = told(capfd, live.ids["low"])
    match = re.search(r"if its priority were ([0-9]+) \(now 1\): it would start at once, preempting high", output)
    assert match
    live.batch.update_service_job(jobId=live.ids["low"], schedulingPriority=int(match[1]))
    assert status(live.batch, live.ids["low"]) == "RUNNING"
    assert status(live.batch, live.ids["high"]) == "RUNNABLE"


def test_the_emulator_tells_by_whom_a_job_was_preempted(live: Live, capfd: Capture, tmp_path: Path) -> None:
    """Its trace holds the cause; the same from a saved file."""
    sentence = "preempted by owner of QS2 (cross-share)"
    assert sentence in told(capfd, live.ids["med"], "--emulator")
    region = live.stack.region
    trace: Any = live.emulator.control(f"trace?queue=training&account={live.scope.account}&region={region}")
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace), encoding="utf-8")
    assert sentence in told(capfd, "med", "--trace", str(path))


def test_json_and_markdown_say_the_same(capfd: Capture) -> None:
    """For programs, and for an issue."""
    arguments = ["qs1_job_low", "--scenario", BLOG, "--at", "5m"]
    assert run(["explain", *arguments, "--format", "json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["headline"] == "waits"
    assert set(document) <= {word.strip("`|, ") for word in PAGE.split()}
    assert "**Why**" in told(capfd, *arguments, "--format", "markdown")


def test_the_documentation_shows_a_true_sample(capfd: Capture) -> None:
    """What is shown is what is written."""
    assert run(["explain", "qs1_job_low", "--scenario", BLOG, "--at", "5m"]) == 0
    assert capfd.readouterr().out.strip() in PAGE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "--scenario", BLOG], "there is no job 'nobody'"),
        (["x", "--at", "5m"], "--at goes with --scenario"),
        (["x", "--live", "--emulator"], "choose one of"),
        ([""], "an empty name names nothing"),
        (["x", "--queue", ""], "an empty name names nothing"),
        (["arn:aws:s3:::bucket"], "is no ARN of AWS Batch"),
        (["x", "--trace", ""], "an empty path names nothing"),
        (["x", "--trace", "stacks/dev.yaml"], "is not a trace that can be read"),
        (["x", "--trace", "no-such-file"], "No such file"),
    ],
)
def test_wrong_questions_get_one_clear_message(arguments: list[str], message: str, capfd: Capture) -> None:
    """Never a traceback."""
    output = told(capfd, *arguments, code=2)
    assert message in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("[]", "it has no list of events"),
        ('{"events": [7]}', "it has no list of events"),
        ('{"events": [{"event": "Nothing"}]}', "or knows no such event"),
        ('{"events": [{"event": "Succeeded", "at_ms": 1, "job": {}}]}', "the job of an event is {}, not text"),
        ('{"events": [{"event": "Succeeded", "at_ms": 1e400, "job": "x"}]}', "not a time in ms"),
    ],
)
def test_what_is_no_trace_is_refused_with_why(text: str, why: str, tmp_path: Path, capfd: Capture) -> None:
    """Traces are saved, edited and sent around."""
    path = tmp_path / "trace.json"
    path.write_text(text, encoding="utf-8")
    assert why in told(capfd, "x", "--trace", str(path), code=2)


def test_a_live_job_that_is_not_there_is_said_so(live: Live, capfd: Capture) -> None:
    """By name and by id."""
    assert live.ids
    assert "there is no job nobody in queue training" in told(capfd, "nobody", "--queue", "training", code=2)
    assert "in which queue is nobody?" in told(capfd, "nobody", code=2)
