"""`quota-engine drift` and `snapshot` as a user runs them: exit codes, several stacks, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quota_engine.cli.main import run
from tests.live.conftest import CASE, StartAccount
from tests.live.recorded_account import denied

STACK = str(CASE / "stack.yaml")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def train_alone(folder: Path) -> Path:
    """Write the declaration without its second queue and environment."""
    text = Path(STACK).read_text(encoding="utf-8")
    start, end = text.index("  pool-b:"), text.index("scheduling_policies:")
    path = folder / "train-alone.yaml"
    path.write_text(text[:start] + text[end : text.index("  eval:")], encoding="utf-8")
    return path


def test_the_exit_code_tells_in_sync_drift_and_could_not_tell_apart(
    live: dict[str, Any], start_account: StartAccount, capfd: Capture
) -> None:
    """What a nightly job decides by."""
    account, _ = start_account()
    assert run(["drift", STACK]) == 0
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    assert run(["drift", STACK]) == 1
    account.faults["describejobqueues"] = denied()
    assert run(["drift", STACK]) == 2
    output, errors = capfd.readouterr()
    assert "batch:DescribeJobQueues: AccessDeniedException" in output
    assert errors == ""


@pytest.mark.parametrize("format_name", ["text", "json", "markdown", "sarif", "junit", "github"])
def test_every_format_can_be_had(format_name: str, start_account: StartAccount, capfd: Capture) -> None:
    """Also in sync, when there is hardly anything to say."""
    start_account()
    assert run(["drift", STACK, "--format", format_name]) == 0
    output, _ = capfd.readouterr()
    assert "Traceback" not in output
    if format_name == "junit":
        assert "no findings" in output


def test_one_stack_in_the_wrong_account_does_not_hide_the_others(
    tmp_path: Path, start_account: StartAccount, capfd: Capture
) -> None:
    """Of ten declarations in a run, nine reports are worth having; the exit code still says that one is missing."""
    wrong = tmp_path / "wrong.yaml"
    text = Path(STACK).read_text(encoding="utf-8")
    wrong.write_text(text.replace("name: two-queues", 'name: wrong\naccount: "999999999999"'), encoding="utf-8")
    start_account()
    assert run(["drift", str(wrong), STACK]) == 2
    output, errors = capfd.readouterr()
    assert "two-queues: in sync" in output
    assert "wrong is declared for account 999999999999" in errors


def test_a_snapshot_is_compared_without_any_call(
    tmp_path: Path, live: dict[str, Any], start_account: StartAccount, capfd: Capture
) -> None:
    """Offline the answer is the one that the account gave."""
    live["serviceEnvironments"][0]["state"] = "DISABLED"
    account, _ = start_account()
    seen = tmp_path / "seen.json"
    assert run(["snapshot", STACK, "--output", str(seen)]) == 0
    assert run(["drift", STACK]) == 1
    online, _ = capfd.readouterr()
    account.calls.clear()
    assert run(["drift", STACK, "--snapshot", str(seen)]) == 1
    offline, _ = capfd.readouterr()
    assert offline == online
    assert account.calls == []


def test_a_snapshot_shows_undeclared_queues_on_request_only(
    tmp_path: Path, start_account: StartAccount, capfd: Capture
) -> None:
    """It holds the whole account; the report says as much of it as it would say online."""
    start_account()
    seen, only_train = tmp_path / "seen.json", train_alone(tmp_path)
    assert run(["snapshot", STACK, "--output", str(seen)]) == 0
    arguments = ["drift", str(only_train), "--snapshot", str(seen)]
    assert run(arguments) == 0
    assert run([*arguments, "--all"]) == 1
    assert run([*arguments, "--no-tags"]) == 0
    assert "tags of quota shares were not compared" in capfd.readouterr().out


@pytest.mark.parametrize("spoil", [{"region": "eu-west-1"}, {"whole_account": False}, {"kind": "other"}])
def test_a_snapshot_of_something_else_is_refused(
    spoil: dict[str, Any], tmp_path: Path, start_account: StartAccount, capfd: Capture
) -> None:
    """A file of another region, or one that did not look everywhere, would show everything as missing."""
    start_account()
    seen = tmp_path / "seen.json"
    assert run(["snapshot", STACK, "--output", str(seen)]) == 0
    seen.write_text(json.dumps({**json.loads(seen.read_text(encoding="utf-8")), **spoil}), encoding="utf-8")
    assert run(["drift", STACK, "--snapshot", str(seen)]) == 2
    _, errors = capfd.readouterr()
    assert "seen.json" in errors


def test_undeclared_queues_are_found_on_request(tmp_path: Path, start_account: StartAccount, capfd: Capture) -> None:
    """--all looks beyond the declared names."""
    start_account()
    assert run(["drift", str(train_alone(tmp_path)), "--all", "--format", "json"]) == 1
    report = json.loads(capfd.readouterr().out)
    undeclared = [change["path"] for change in report["stacks"][0]["changes"] if change["rule"] == "QE616"]
    assert undeclared == [["job_queues", "eval"], ["service_environments", "pool-b"]]


def test_waiting_is_over_at_once_where_nothing_moves(start_account: StartAccount) -> None:
    """--wait costs nothing when there is nothing to wait for."""
    account, _ = start_account()
    assert run(["drift", STACK, "--wait", "10m"]) == 0
    assert [name for name, _ in account.calls].count("describejobqueues") == 1


def test_the_printed_policy_needs_no_account(capfd: Capture) -> None:
    """It is printed before anything is allowed."""
    assert run(["drift", STACK, "--print-iam-policy"]) == 0
    policy = json.loads(capfd.readouterr().out)
    assert policy["Version"] == "2012-10-17"
