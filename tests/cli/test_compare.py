"""`quota-engine compare` as a user runs it: what it tells, its exit codes, its formats, and bad input."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases" / "compare"
WALKTHROUGH = ROOT / "scenarios" / "lend-and-borrow.yaml"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def arguments(case: Path) -> list[str]:
    stated = case / "arguments.txt"
    more = stated.read_text(encoding="utf-8").split() if stated.exists() else []
    return ["compare", "old.yaml", "new.yaml", "--scenario", "scenario.yaml", *more]


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: str(case.name))
def test_a_comparison_tells_what_the_case_expects(quota_engine: Run, case: Path) -> None:
    """What a reviewer decides by; each was worked out by hand from the rules of the scheduling model."""
    run = quota_engine(*arguments(case), cwd=case)
    code, _, text = (case / "expected.txt").read_text(encoding="utf-8").partition("\n")
    assert run.stdout == text, run.stderr
    assert run.returncode == int(code.removeprefix("exit "))


def test_a_declaration_compared_with_itself_is_within_every_threshold(quota_engine: Run) -> None:
    """The strictest thresholds on a file against itself; no edit, no job, exit 0."""
    strict = ["--max-wait-increase", "0%", "--max-lost-work-increase", "0s", "--no-new-preemptions", "all"]
    run = quota_engine("compare", "dev", "stacks/dev.yaml", "--scenario", str(WALKTHROUGH), *strict)
    assert run.returncode == 0, run.stdout
    assert "Queues, shares, environments and policies are declared alike." in run.stdout
    assert "Jobs whose course differs: 0" in run.stdout


@pytest.mark.parametrize("form", ["text", "json", "markdown", "github"])
def test_a_comparison_gives_the_same_bytes_every_time(quota_engine: Run, form: str) -> None:
    """No clock, no random id, no set order, no locale in the output."""
    outputs = {
        quota_engine(*arguments(CASES / "removed-share"), "--format", form, cwd=CASES / "removed-share", env=env).stdout
        for env in ({"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "9", "LC_ALL": "C", "PYTHONUTF8": "0"})
    }
    assert len(outputs) == 1
    assert outputs != {""}


def test_the_json_holds_every_figure_with_its_unit(quota_engine: Run) -> None:
    """Programs read figures, not sentences: names end in their unit, what is missing is null."""
    case = CASES / "lowered-limit"
    found = json.loads(quota_engine(*arguments(case), "--format", "json", cwd=case).stdout)
    assert (found["version"], found["old"], found["new"], found["crossed"]) == (1, "old.yaml", "new.yaml", True)
    assert [(one["attribute"], one["before"], one["after"]) for one in found["edits"]] == [
        (["capacity_limits", "ml.g5.xlarge"], 2, 1)
    ]
    (scenario,) = found["scenarios"]
    waits = next(one for one in scenario["thresholds"] if (one["threshold"], one["share"]) == ("wait-increase", "QS2"))
    assert waits["crossed"] is True
    assert waits["limit_percent"] == 10
    assert waits["readings"]["p95_wait_ms"] == {"before": 0, "after": 7_200_000, "crossed": True}
    work = {one["share"]: one for one in scenario["work"]}
    assert work["QS1"]["lost_instance_ms"] == {"before": 3_600_000, "after": 0}
    job = next(one for one in scenario["jobs"]["shown"] if one["job"] == "borrower-2")
    assert job["before"]["first_preemption"] == {
        "at_ms": 3_600_000, "kind": "cross-share", "by": "owner-2", "by_share": "QS2",
    }  # fmt: skip
    assert job["after"]["first_preemption"] is None
    assert [one["judgement"] for one in scenario["expectations"]] == [
        {"before": "holds", "after": "fails"},
        {"before": "fails", "after": "holds"},
    ]


def test_the_markdown_has_the_verdicts_first_and_the_jobs_folded(quota_engine: Run) -> None:
    """A reviewer sees the answer without scrolling, and the rest on a click."""
    case = CASES / "lowered-limit"
    text = quota_engine(*arguments(case), "--format", "markdown", cwd=case).stdout
    assert text.startswith("### ❌ old.yaml → new.yaml: 2 of 7 thresholds crossed")
    head = ["| ❌ | waits of QS2", "| share | jobs |", "<details>", "`borrower-2`"]
    order = [*head, "Before:", "```mermaid", "After:", "</details>"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_github_shows_a_crossed_threshold_at_its_share(quota_engine: Run) -> None:
    """The annotation stands where the reviewer looks: at the share of the new declaration."""
    case = CASES / "lowered-limit"
    lines = quota_engine(*arguments(case), "--format", "github", cwd=case).stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=new.yaml,line=15,")
    assert "title=compare wait-increase::waits of QS2" in lines[0]


def test_several_scenarios_may_follow_one_option_and_a_crossed_one_decides(quota_engine: Run, tmp_path: Path) -> None:
    """`--scenario scenarios/*.yaml` is what people type; a shell puts the files one behind another."""
    case = CASES / "in-share-switched-on"
    harmless = tmp_path / "harmless.yaml"
    text = (case / "scenario.yaml").read_text(encoding="utf-8").replace("priority: 5", "priority: 1")
    harmless.write_text(text.replace("old.yaml", str(case / "old.yaml")), encoding="utf-8")
    run = quota_engine("compare", "old.yaml", "new.yaml", "--scenario", str(harmless), "scenario.yaml", cwd=case)
    assert run.returncode == 1, run.stderr
    assert run.stdout.index("harmless.yaml") < run.stdout.index("\nscenario.yaml")
    assert quota_engine("compare", "old.yaml", "new.yaml", "--scenario", str(harmless), cwd=case).returncode == 0


def test_preemptions_may_be_allowed_to_all(quota_engine: Run) -> None:
    """`none` lifts the default threshold, and nothing else does."""
    case = CASES / "in-share-switched-on"
    assert quota_engine(*arguments(case), "--no-new-preemptions", "none", cwd=case).returncode == 0
    assert quota_engine(*arguments(case), "--no-new-preemptions", "QS2", cwd=case).returncode == 1


def test_an_assumption_holds_on_both_sides(quota_engine: Run) -> None:
    """Else the difference would be the assumption's, not the declaration's."""
    case = CASES / "renamed-share"
    run = quota_engine(*arguments(case), "--assume", "victim_order=priority,oldest", cwd=case)
    assert run.returncode == 0
    assert "Jobs whose course differs: 0" in run.stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["old.yaml", "new.yaml"], "--scenario"),
        (["old.yaml", "--scenario", "scenario.yaml"], "two declarations"),
        (["old.yaml", "missing.yaml", "--scenario", "scenario.yaml"], "missing.yaml"),
        (["old.yaml", "nowhere", "--scenario", "scenario.yaml"], "there is no stack 'nowhere'"),
        (["old.yaml", "new.yaml", "--scenario", "missing.yaml"], "missing.yaml"),
        (["old.yaml", "scenario.yaml", "--scenario", "scenario.yaml"], "scenario.yaml has errors"),
    ],
)
def test_what_cannot_be_compared_is_trouble(quota_engine: Run, given: list[str], said: str) -> None:
    """Exit 2 with what is missing: a pull request must not pass because nothing was compared."""
    run = quota_engine("compare", *given, cwd=CASES / "lowered-limit")
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stdout == ""


def test_both_sides_get_the_same_generated_work(quota_engine: Run) -> None:
    """From one seed and one set of parameters: else luck would be taken for the edit's doing."""
    example = ROOT / "examples" / "lower-limit"
    line = ["compare", "today.yaml", "today.yaml", "--scenario", "week.yaml", "--format", "json"]
    jobs = []
    for options in ([], ["--seed", "8"], ["--set", "rate=2"]):
        run = quota_engine(*line, *options, cwd=example)
        assert run.returncode == 0, run.stderr
        (scenario,) = json.loads(run.stdout)["scenarios"]
        assert scenario["jobs"]["differing"] == 0
        jobs.append(scenario["jobs"]["same"])
    assert len(set(jobs)) == 3
    assert quota_engine(*line, "--set", "rat=2", cwd=example).returncode == 2


def test_an_output_that_cannot_be_written_is_said_before_the_work(quota_engine: Run, tmp_path: Path) -> None:
    """Not after minutes of simulation: before even the scenario is looked for."""
    nowhere = tmp_path / "missing" / "report.md"
    run = quota_engine("compare", "dev", "prod", "--scenario", "missing.yaml", "--output", str(nowhere))
    assert run.returncode == 2
    assert f"can't write {nowhere}" in run.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-wait-increase", "much"], "'much' is no increase; write 10% (a whole number), a duration"),
        (["--max-wait-increase", "QS2=10"], "'QS2=10' is no increase"),
        (["--max-wait-increase", "-5%"], "is no increase"),
        (["--max-wait-increase", "QS9=10%"], "'QS9', which neither declaration has; did you mean 'QS"),
        (["--max-lost-work-increase", "QS9=10%"], "'QS9', which neither declaration has"),
        (["--no-new-preemptions", "QS4,QS2"], "'QS4', which neither declaration has"),
        (["--no-new-preemptions", "none,QS2"], "'none' stands alone"),
        (["--move-share", "QS2"], "is not SHARE=SHARE"),
        (["--move-share", "QS9=QS1"], "'QS9', which neither declaration has"),
        (["--move-share", "QS2=TEAM"], "'TEAM', which neither declaration has"),
        (["--move-share", "QS1=QS2"], "--move-share QS1=QS2 moves nothing"),
        (["--move-share", "QS3=QS2", "--move-share", "QS3=QS1"], "'QS3' is moved to 'QS2' and to 'QS1'"),
        (["--assume", "victim_order=fastest"], "victim_order"),
        (["--jobs", "-1"], "--jobs"),
    ],
)
def test_a_threshold_about_nothing_is_wrong_usage(quota_engine: Run, options: list[str], said: str) -> None:
    """A misspelled threshold guards nothing, so it must not look like one that holds."""
    run = quota_engine(*arguments(CASES / "removed-share"), *options, cwd=CASES / "removed-share")
    assert run.returncode == 2, run.stdout
    assert said in run.stderr


def test_a_threshold_for_a_share_without_work_is_wrong_usage(quota_engine: Run) -> None:
    """It could never be crossed: nothing of that share is ever submitted."""
    case = CASES / "in-share-switched-on"
    run = quota_engine(*arguments(case), "--no-new-preemptions", "QS3", cwd=case)
    assert run.returncode == 2
    assert "for which no scenario has work" in run.stderr


def test_a_queue_that_one_side_lacks_takes_nothing(quota_engine: Run, tmp_path: Path) -> None:
    """A pull request that adds a queue has work for it that could not be submitted before."""
    case = CASES / "in-share-switched-on"
    new = (case / "old.yaml").read_text(encoding="utf-8").replace("  training:", "  other:")
    (tmp_path / "new.yaml").write_text(new, encoding="utf-8")
    scenario = ["--scenario", str(case / "scenario.yaml"), "--no-new-preemptions", "none"]
    run = quota_engine("compare", str(case / "old.yaml"), str(tmp_path / "new.yaml"), *scenario)
    assert run.returncode == 1
    assert "after: there is no such queue, so nothing can be submitted" in run.stdout
    added = quota_engine("compare", str(tmp_path / "new.yaml"), str(case / "old.yaml"), *scenario)
    assert added.returncode == 0
    assert "can't be submitted  2 → 0" in added.stdout
    neither = quota_engine("compare", str(tmp_path / "new.yaml"), str(tmp_path / "new.yaml"), *scenario)
    assert neither.returncode == 2
    assert "neither" in neither.stderr


def test_the_reorganisation_of_teams_is_as_its_file_says(quota_engine: Run) -> None:
    """The example that docs/compare.md tells: who pays for a reorganisation from which all others gain."""
    example = ROOT / "examples" / "reorganisation"
    assert quota_engine("validate", ".", "--fail-on", "note", cwd=example).returncode == 0
    moves = ["--move-share", "vision=perception", "--move-share", "language=perception"]
    limits = ["--max-wait-increase", "30m", "--max-lost-work-increase", "2h"]
    work = ["--scenario", "working-day.yaml"]
    run = quota_engine("compare", "before.yaml", "after.yaml", *work, *moves, *limits, cwd=example)
    assert run.stdout == (example / "comparison.txt").read_text(encoding="utf-8")
    assert run.returncode == 1
