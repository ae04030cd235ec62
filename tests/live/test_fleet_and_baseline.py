"""Several declarations in one run, as whom each is looked at; and differences that are accepted until a day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from quota_engine.config.supplements import load_baseline, load_fleet, path_of
from quota_engine.report.visible import show_path
from tests.live.conftest import CASE, StartAccount
from tests.live.recorded_account import Fault

STACK = str(CASE / "stack.yaml")
Capture = pytest.CaptureFixture[str]
ROLE = "arn:aws:iam::123456789012:role/reader"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def write(path: Path, kind: str, body: str) -> str:
    path.write_text(f"kind: {kind}\nversion: 1\n{body}", encoding="utf-8")
    return str(path)


def accepting(folder: Path, until: str, **more: str) -> str:
    """Write a baseline that accepts pool-b being DISABLED."""
    lines = "".join(f"    {key}: {value}\n" for key, value in more.items())
    entry = f"  - path: service_environments.pool-b.state\n    reason: maintenance\n    until: {until}\n"
    return write(folder / "baseline.yaml", "baseline", f"accept:\n{entry}{lines}")


def test_a_fleet_is_one_report_and_assumes_its_roles(
    tmp_path: Path, live: dict[str, Any], start_account: StartAccount, capfd: Capture
) -> None:
    """Each stack with its own role; the exit code is the worst."""
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    account, _ = start_account()
    fleet = write(
        tmp_path / "fleet.yaml", "fleet", f"stacks:\n  - {{stack: {STACK}, role_arn: '{ROLE}'}}\n  - stack: {STACK}\n"
    )
    assert run(["drift", fleet, "--format", "json"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert [stack["name"] for stack in document["stacks"]] == ["two-queues", "two-queues"]
    assert account.roles == [ROLE]
    assert set(account.keys) == {"test", "ASSUMED"}


def test_a_role_that_may_not_be_assumed_is_exit_2(start_account: StartAccount, capfd: Capture) -> None:
    """The operation that failed is named: it is not Batch that refuses."""
    body = b"<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>"
    start_account(faults={"assumerole": Fault(403, body)})
    assert run(["drift", STACK, "--role-arn", ROLE]) == 2
    assert "sts:AssumeRole" in capfd.readouterr().err


def test_a_fleet_with_errors_is_refused_with_its_findings(tmp_path: Path, capfd: Capture) -> None:
    """Before anything is looked at."""
    fleet = write(tmp_path / "fleet.yaml", "fleet", "stacks:\n  - {stak: x}\n")
    assert run(["drift", fleet]) == 2
    errors = capfd.readouterr().err
    assert "stak" in errors
    assert "fleet.yaml:4" in errors


def test_a_fleet_of_nobody_is_no_good_news(tmp_path: Path, capfd: Capture) -> None:
    """Nothing compared must not look like nothing wrong."""
    assert run(["drift", write(tmp_path / "fleet.yaml", "fleet", "stacks: []\n")]) == 2
    assert "nothing was compared" in capfd.readouterr().err


def test_an_accepted_difference_does_not_count_until_its_day(
    tmp_path: Path, live: dict[str, Any], start_account: StartAccount, capfd: Capture
) -> None:
    """Known drift must not hide new drift, nor be accepted for ever."""
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    start_account()
    assert run(["drift", STACK, "--baseline", accepting(tmp_path, "2999-12-31")]) == 0
    assert "tolerated: accepted until 2999-12-31: maintenance" in capfd.readouterr().out
    assert run(["drift", STACK, "--baseline", accepting(tmp_path, "2020-01-01")]) == 1
    assert "no longer accepted since 2020-01-01" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("more", "code"),
    [({"live": "DISABLED"}, 0), ({"live": "OTHER"}, 1), ({"stack": "two-queues"}, 0), ({"stack": "x"}, 1)],
)
def test_only_the_stated_live_value_and_stack_are_accepted(
    more: dict[str, str], code: int, tmp_path: Path, live: dict[str, Any], start_account: StartAccount, capfd: Capture
) -> None:
    """Another value at the same place is new drift."""
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    start_account()
    assert run(["drift", STACK, "--baseline", accepting(tmp_path, "2999-12-31", **more)]) == code
    assert ("no such difference" in capfd.readouterr().err) == (code == 1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("accept:\n  - {path: a..b, reason: x, until: 2027-01-31}\n", "which is no path"),
        ("accept:\n  - {path: a.b, reason: x, until: 31.1.2027}\n", "which is no date"),
        ("accept:\n  - {path: a.b, reason: x}\n", "has no until"),
        ("accept: 3\n", "accept"),
    ],
)
def test_a_faulty_baseline_is_refused_with_its_findings(
    body: str, message: str, tmp_path: Path, capfd: Capture
) -> None:
    """A typing error would accept nothing, or everything."""
    assert run(["drift", STACK, "--baseline", write(tmp_path / "b.yaml", "baseline", body)]) == 2
    assert message in capfd.readouterr().err


@pytest.mark.parametrize("path", [("a", "b"), ("job_queues", "q-1", "capacity_limits", "ml.g5.xlarge"), ("x",)])
def test_a_path_reads_back_as_reports_write_it(path: tuple[str, ...]) -> None:
    """It is copied from a report."""
    assert path_of(show_path(path)) == path


def test_the_shipped_examples_are_without_fault() -> None:
    """Users copy them."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    assert load_fleet(examples / "fleet.yaml").diagnostics == ()
    assert load_baseline(examples / "drift-baseline.yaml").diagnostics == ()
