"""The gates' judgements that need no engine: what ends, what is renamed, which settings are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pulumi
import pytest

from quota_engine.model.arns import parse_arn
from quota_engine.model.stack import JobQueue, QuotaShare, Stack, Strategy
from quota_engine.program.ending import EndingShare, State, ending_shares, forgotten_rename
from quota_engine.program.gates import GateClosed, check_forecast, check_history, check_scenarios, open_gates

STACK = Stack(
    "dev",
    "us-west-2",
    job_queues={
        "learning": JobQueue(
            "learning",
            ("gpu",),
            "fifo",
            renamed_from="training",
            quota_shares={
                "a": QuotaShare("a", {"ml.g5.xlarge": 1}, Strategy.LEND, renamed_from="old"),
                "b": QuotaShare("b", {"ml.g5.xlarge": 1}, Strategy.LEND),
            },
        )
    },
)


def fates(*shares: str, region: str = "us-west-2") -> dict[str, str | None]:
    """Return what becomes of deployed shares, given as queue/share, that end."""
    pairs = [share.split("/") for share in shares]
    arns = [parse_arn(f"arn:aws:batch:{region}:123456789012:job-queue/{q}/quota-share/{s}") for q, s in pairs]
    ending = ending_shares([arn for arn in arns if arn], STACK)
    return {f"{one.arn.queue}/{one.arn.name}": one.becomes for one in ending}


def test_a_share_ends_when_it_is_not_declared_under_its_name_in_its_queue() -> None:
    """Renamed shares, shares of renamed queues and removed shares lose their jobs; all others keep them."""
    assert fates("learning/a", "learning/b") == {}
    assert fates("learning/old", "learning/gone") == {"learning/old": "learning.a", "learning/gone": None}
    assert fates("training/b", "training/old") == {"training/b": "learning.b", "training/old": "learning.a"}


def test_every_share_ends_when_the_region_changes() -> None:
    """The provider is replaced, and everything with it."""
    assert fates("learning/a", region="us-east-1") == {"learning/a": "learning.a"}


def test_jobs_that_could_not_be_looked_up_are_not_taken_for_none() -> None:
    """A missing permission must not read as an empty share."""
    arn = parse_arn("arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/a")
    assert arn is not None
    unknown = EndingShare(arn, None, None, "AccessDenied")
    assert unknown.may_end_jobs
    assert "could not be looked up: AccessDenied" in unknown.text
    many = EndingShare(arn, None, tuple(f"job-{index:02} (RUNNING)" for index in range(25)))
    assert "ends 25 of its jobs" in many.text
    assert many.text.endswith("and 5 more")
    assert not EndingShare(arn, None, ()).may_end_jobs


def test_a_new_queue_on_a_deployed_queues_environment_looks_like_a_rename() -> None:
    """The engine would make it first, and the service would refuse it half-way through the deployment."""
    new = Stack("dev", "us-west-2", job_queues={"new": JobQueue("new", ("gpu",), "fifo")})
    assert forgotten_rename({"training": "gpu"}, new) == ("training", "new")
    assert forgotten_rename({"training": "gpu"}, STACK) is None, "it says where it comes from"
    assert forgotten_rename({"training": "cpu"}, new) is None, "another environment is free to be used"
    assert forgotten_rename({"new": "gpu"}, new) is None


@pytest.fixture
def _no_settings() -> Iterator[None]:
    yield
    pulumi.runtime.set_all_config({})


@pytest.mark.parametrize("value", ["blok", "true", ["block"], 1])
def test_a_forecast_setting_of_no_known_value_stops_the_program(value: object) -> None:
    """A gate that took it for none would be open without anybody knowing."""
    with pytest.raises(GateClosed, match="it can be none, warn or block"):
        check_forecast(STACK, Path("dev.yaml"), State(), value)


@pytest.mark.parametrize("value", [None, "none"])
def test_without_a_forecast_setting_no_account_is_read(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview without credentials for Batch stays possible."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    check_forecast(STACK, Path("dev.yaml"), State(), value)


@pytest.mark.usefixtures("_no_settings")
@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"forecastHistory": "jobs.jsonl"}, "nothing is forecast"),
        ({"forecastHistory": "jobs.jsonl", "forecast": "none"}, "nothing is forecast"),
        ({"forecastHistory": "", "forecast": "warn"}, "one file of recorded jobs"),
    ],
)
def test_a_history_that_no_forecast_reads_stops_the_program(settings: dict[str, str], says: str) -> None:
    """Whoever names a history counts on what comes later being judged too."""
    pulumi.runtime.set_all_config({f"quota-engine:{name}": value for name, value in settings.items()})
    with pytest.raises(GateClosed, match=says):
        check_history(STACK, Path("dev.yaml"), State(), settings["forecastHistory"])


@pytest.mark.usefixtures("_no_settings")
@pytest.mark.parametrize(("text", "says"), [(None, "No such file"), ("{}\n[]\n", "line 1: its version is None")])
def test_a_history_that_can_not_be_read_blocks_as_what_is_unknown_does(
    text: str | None, says: str, tmp_path: Path
) -> None:
    """The gate must not judge the instant alone where more was asked for."""
    if text is not None:
        (tmp_path / "jobs.jsonl").write_text(text, encoding="utf-8")
    pulumi.runtime.set_all_config({"quota-engine:forecastHistory": "jobs.jsonl"})
    with pytest.raises(GateClosed, match=says):
        check_forecast(STACK, tmp_path / "dev.yaml", State(), "block")


@pytest.mark.usefixtures("_no_settings")
@pytest.mark.parametrize(
    ("setting", "fix"),
    [
        ("simulat", "did you mean quota-engine:simulate?"),
        ("guard", "there are endingJobs, forecast, forecastHistory, simulate"),
    ],
)
def test_a_setting_that_no_gate_reads_stops_the_program(setting: str, fix: str) -> None:
    """Whoever sets a guard relies on it; one that is misspelled or not there yet guards nothing."""
    pulumi.runtime.set_all_config({f"quota-engine:{setting}": "block"})
    with pytest.raises(GateClosed) as caught:
        open_gates(STACK, Path("dev.yaml"))
    assert isinstance(caught.value, pulumi.RunError), "Pulumi shows a RunError without a traceback"
    assert fix in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "can't be read"),
        ("kind: scenario\nversion: 1\nstack: missing.yaml\n", "missing.yaml"),
        ("kind: stack\nversion: 1\nname: x\nregion: us-west-2\n", "work.yaml"),
    ],
)
def test_a_scenario_that_can_not_be_run_does_not_count_as_one_that_holds(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    """A gate that opens because its scenario was moved is no gate."""
    if text is not None:
        (tmp_path / "work.yaml").write_text(text)
    with pytest.raises(GateClosed, match=problem):
        check_scenarios(STACK, tmp_path / "dev.yaml", State(), ["work.yaml"])


@pytest.mark.parametrize("value", ["work.yaml", [1], {"a": "b"}])
def test_the_list_of_scenarios_has_to_be_one(tmp_path: Path, value: object) -> None:
    """`pulumi config set` without --path makes a text of what was meant as a list."""
    with pytest.raises(GateClosed, match="list of scenario files"):
        check_scenarios(STACK, tmp_path / "dev.yaml", State(), value)


def test_a_scenario_about_another_stack_is_refused() -> None:
    """It would judge what is not being deployed."""
    root = Path(__file__).resolve().parents[2]
    with pytest.raises(GateClosed, match="it is about the stack"):
        check_scenarios(STACK, root / "stacks" / "dev.yaml", State(), ["../scenarios/reclaim-in-prod.yaml"])


def test_generated_work_is_part_of_what_the_gate_judges() -> None:
    """A scenario of workloads alone would else be one without jobs, and every promise kept."""
    folder = Path(__file__).resolve().parents[2] / "examples" / "on-call-burst"
    check_scenarios(STACK, folder / "stack.yaml", State(), ["incident.yaml"])


def test_a_gate_closes_on_generated_work_that_waits_too_long(tmp_path: Path) -> None:
    """The verdict is about the workload's jobs, by name."""
    folder = Path(__file__).resolve().parents[2] / "examples" / "on-call-burst"
    for path in folder.glob("*.yaml"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8").replace("at_most: 1m20s", "at_most: 1s"))
    with pytest.raises(GateClosed, match="workload retrain"):
        check_scenarios(STACK, tmp_path / "stack.yaml", State(), ["incident.yaml"])
