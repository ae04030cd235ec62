"""What values mean: names and numbers as they were written, defaults, durations, the values of a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import load_scenario, load_stack
from quota_engine.config.scalars import resolve
from quota_engine.config.tree import Numeral
from quota_engine.model import shapes
from quota_engine.model.capacity import CapacityPlan, Window
from quota_engine.model.durations import LONGEST_MS, format_duration, parse_duration
from quota_engine.model.stack import UNLIMITED, Stack, State
from quota_engine.model.work import ApplyStack, Exit, RetryRule, Terminate, Timing

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "cases" / "config"


def stack_of(path: str) -> Stack:
    loaded = load_stack(CASES / path)
    assert loaded.value is not None, loaded.diagnostics
    return loaded.value


def test_names_that_yaml_1_1_reads_as_booleans_stay_as_they_are_written() -> None:
    """Two shares called `no` and `off` would else both be False, and one would vanish."""
    stack = stack_of("text/names-like-booleans.yaml")
    assert stack.name == "on"
    assert list(stack.job_queues["train"].quota_shares) == ["no", "off", "0123", "1e3"]
    assert stack.job_queues["train"].quota_shares["no"].tags == {"country": "NO", "paid": "yes", "no": "x"}


def test_text_in_quotes_keeps_its_digits() -> None:
    """An account read as an octal number would be in every ARN."""
    stack = stack_of("text/numbers-in-quotes.yaml")
    assert stack.account == "012345670123"
    assert stack.service_environments["gpu"].tags == {
        "cost_center": "00420",
        "project_code": "1_000",
        "build": "1e3",
        "time": "12:30:00",
    }


def test_a_borrow_limit_of_zero_is_a_value_and_none_is_not(tmp_path: Path) -> None:
    """Reading 0 as "not set" makes it unlimited: the costliest direction."""
    shares = {"zero": ", borrow_limit: 0", "unset": "", "unlimited": ", borrow_limit: -1"}
    limits = "capacity_limits: {ml.g5.xlarge: 1}"
    lines = [
        f"      {name}: {{{limits}, resource_sharing: {{strategy: LEND_AND_BORROW{limit}}}}}"
        for name, limit in shares.items()
    ]
    (tmp_path / "s.yaml").write_text(
        "kind: stack\nversion: 1\nname: demo\nregion: us-east-1\njob_queues:\n  train:\n"
        "    service_environment: gpu\n    scheduling_policy: quota-fifo\n    quota_shares:\n" + "\n".join(lines) + "\n"
    )
    stack = load_stack(tmp_path / "s.yaml").value
    assert stack is not None
    found = stack.job_queues["train"].quota_shares
    assert [found[name].borrow_limit_percent for name in shares] == [0, None, UNLIMITED]
    assert [found[name].effective_borrow_limit_percent for name in shares] == [0, UNLIMITED, UNLIMITED]
    requests = [shapes.share_to_api(found[name], "arn")["resourceSharingConfiguration"] for name in shares]
    assert [request.get("borrowLimit") for request in requests] == [0, None, -1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-1", -1),
        ("8", 8),
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("Null", None),
        ("0.5", 0.5),
        ("4.0", 4.0),
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("2026-12-01", "2026-12-01"),
        ("0b11", "0b11"),
        ("0777", Numeral("0777", 777)),
        ("+5", Numeral("+5", 5)),
        ("-0", Numeral("-0", 0)),
        ("0x1F", Numeral("0x1F", 31)),
        ("0o17", Numeral("0o17", 15)),
        ("1e3", Numeral("1e3", 1000)),
        ("1E400", Numeral("1E400", None)),
        (".inf", Numeral(".inf", None)),
        (".NaN", Numeral(".NaN", None)),
        ("5.", Numeral("5.", 5)),
    ],
)
def test_a_plain_scalar_means_what_a_person_reads(text: str, value: object) -> None:
    """Only one spelling of an integer is an integer; every other number is shown as written and refused."""
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("30s", 30_000),
        ("1h30m", 5_400_000),
        ("250ms", 250),
        ("2d", 172_800_000),
        ("1d2h3m4s5ms", 93_784_005),
        ("0s", 0),
        ("", None),
        ("30", None),
        ("1m1h", None),
        ("1.5h", None),
        ("-1s", None),
        ("1h 30m", None),
        ("1S", None),
        ("٣s", None),
        ("36601d", None),
    ],
)
def test_a_duration_has_units_from_large_to_small(text: str, milliseconds: int | None) -> None:
    """A bare number could be seconds or minutes, and a job would be killed sixty times too early."""
    assert parse_duration(text) == milliseconds


def test_durations_are_written_as_they_are_read() -> None:
    """Messages propose durations; they must be ones that the format takes."""
    for milliseconds in (0, 1, 999, 1000, 61_001, 3_600_000, LONGEST_MS):
        assert parse_duration(format_duration(milliseconds)) == milliseconds


def test_a_scenario_means_what_it_states() -> None:
    """Every key of the format ends in a field of the model; one that is dropped would silently do nothing."""
    loaded = load_scenario(CASES / "scenario" / "whole.yaml")
    scenario = loaded.value
    assert scenario is not None, loaded.diagnostics
    assert (scenario.queue, scenario.until_ms) == ("train", 172_800_000)
    assert scenario.timing == Timing(scheduled_ms=5_000, starting_ms=180_000, stopping_ms=20_000)
    assert scenario.assumptions == {"backfill": True}
    jobs = {job.name: job for job in scenario.jobs}
    assert [job.name for job in scenario.jobs][:4] == ["plain", "copy-01", "copy-02", "copy-03"]
    assert len(jobs) == 14
    assert jobs["copy-12"].checkpoint_continuous
    assert jobs["plain"].duration_ms is None
    full = jobs["full"]
    assert (full.submit_at_ms, full.duration_ms, full.priority, full.attempts) == (5_400_000, 250, 9999, 3)
    assert full.evaluate_on_exit == (RetryRule("RETRY", "Received status*"), RetryRule("EXIT", "*"))
    assert (full.timeout_ms, full.preemption_retries, full.checkpoint_ms) == (7_200_000, 0, 1_800_000)
    assert full.exit == Exit(1_200_000, "out of memory")
    kinds = [type(event).__name__ for event in scenario.events]
    assert kinds == [
        "UpdatePriority", "Terminate", "Terminate", "Fail", "CapacityError", "SetCapacity", "ApplyStack",
    ]  # fmt: skip
    assert scenario.events[2] == Terminate(7_200_000, "copy-09", "enough")
    applied = scenario.events[6]
    assert isinstance(applied, ApplyStack)
    assert applied.stack.service_environments["gpu"].capacity_limits == {"ml.g5.xlarge": 3}
    assert Path(applied.source).name == "other-stack.yaml"
    expected = [(one.kind, dict(one.arguments)) for one in scenario.expectations]
    assert expected == [
        ("state_at", {"at_ms": 300_000, "runnable": ("copy-02", "copy-03"), "running": ("plain",)}),
        ("preempted", {"job": "copy-01", "kind": "cross-share", "by": "plain"}),
        ("never_preempted", {"share": "a"}),
        ("finished", {"job": "plain", "by_ms": 86_400_000}),
        ("preempted", {"share": "b"}),
        ("never_preempted", {"workload": "copy"}),
        ("finished", {"share": "a", "by_ms": 86_400_000}),
        ("finished", {"workload": "copy", "by_ms": 86_400_000}),
        (
            "wait",
            {
                "share": "b",
                "mean": {"at_least_ms": 1_000},
                "p50": {"at_most_ms": 3_600_000},
                "p95": {"at_most_ms": 7_200_000, "at_least_ms": 0},
                "max": {"at_most_ms": 14_400_000},
            },
        ),
        ("wait", {"workload": "copy", "max": {"at_most_ms": 14_400_000}}),
        ("borrowed", {"share": "a", "instance_type": "ml.g5.xlarge", "at_most": 8}),
        ("lent", {"share": "b", "at_least": 0}),
        ("utilisation", {"instance_type": "ml.g5.xlarge", "at_least": 0.25, "at_most": 1.0}),
        ("no_blocked_jobs", {}),
        ("blocked", {"job": "full", "reason": "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"}),
    ]


def test_capacity_means_what_it_states() -> None:
    """Windows in the order of time, whatever the file's; what is not said is none, and from the start to the end."""
    loaded = load_scenario(CASES / "scenario" / "capacity.yaml")
    assert loaded.value is not None, loaded.diagnostics
    hour, day = 3_600_000, 86_400_000
    assert loaded.value.capacity == (
        CapacityPlan(
            "ml.g5.xlarge", (Window(0, day, 2), Window(2 * day, 3 * day, 3), Window(3 * day, None, 2)), base=0
        ),
        CapacityPlan("ml.p5.48xlarge", (Window(hour, 2 * hour, 4),), base=1),
    )


def test_jobs_rank_by_time_of_submission_and_then_by_name(tmp_path: Path) -> None:
    """The rank settles ties, so it must not depend on the order of lines in the file."""
    (tmp_path / "stack.yaml").write_text((CASES / "scenario" / "stack.yaml").read_text())
    entries = ["b, submit_at: 1s", "c, submit_at: 0s", "a, submit_at: 1s"]
    for order in (entries, entries[::-1]):
        jobs = "".join(f"  - {{name: {entry}, share: a, instances: {{ml.g5.xlarge: 1}}}}\n" for entry in order)
        (tmp_path / "s.yaml").write_text(f"kind: scenario\nversion: 1\nstack: stack.yaml\njobs:\n{jobs}")
        scenario = load_scenario(tmp_path / "s.yaml").value
        assert scenario is not None
        assert [job.name for job in scenario.jobs] == ["c", "a", "b"]


def test_the_development_stack_is_the_announcements_setup() -> None:
    """Everything the README shows rests on it."""
    loaded = load_stack(ROOT / "stacks" / "dev.yaml")
    assert loaded.value is not None
    queue = loaded.value.job_queues["training"]
    shares = [
        (share.name, dict(share.capacity_limits), share.strategy.value, share.borrow_limit_percent)
        for share in queue.quota_shares.values()
    ]
    assert shares == [
        ("QS1", {"ml.g5.xlarge": 1}, "LEND_AND_BORROW", 200),
        ("QS2", {"ml.g5.xlarge": 1}, "LEND", None),
        ("QS3", {"ml.g5.xlarge": 1}, "RESERVE", None),
    ]
    assert [share.in_share_preemption is State.ENABLED for share in queue.quota_shares.values()] == [True, False, False]
