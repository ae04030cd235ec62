"""A simulation's story, timeline and verdicts, from a run to text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quota_engine.config import load_scenario
from quota_engine.model.work import Scenario
from quota_engine.report import simulation_json, simulation_markdown, simulation_text
from quota_engine.report.gantt import ASCII, draw
from quota_engine.report.story import story
from quota_engine.report.visible import width_of
from quota_engine.simulate import Run, SegmentKind, judge, measure, run, sensitivity, timelines

CASES = Path(__file__).parent.parent / "cases" / "report"


def load(name: str) -> Scenario:
    loaded = load_scenario(str(CASES / name))
    assert loaded.value is not None, loaded.diagnostics
    return loaded.value


@pytest.fixture(scope="module")
def announcement() -> Run:
    return run(load("announcement.yaml"))


@pytest.fixture(scope="module")
def trouble() -> Run:
    """A run in which stopping takes time, jobs fail, are retried and terminated, and one can never run."""
    return run(load("trouble.yaml"))


@pytest.mark.parametrize("name", ["announcement", "trouble"])
def test_the_whole_text_is_as_expected(name: str) -> None:
    """The story is what people decide by; every word of it is looked at before it changes."""
    outcome = run(load(f"{name}.yaml"))
    text = simulation_text.render(outcome, judge(outcome), measure(outcome))
    assert text == (CASES / f"{name}.txt").read_text(encoding="utf-8")


def test_each_of_several_victims_has_a_line_of_its_own() -> None:
    """Five victims in one sentence can't be read; who was preempted for whom, and what each lost, can."""
    lines = [
        (line.job, line.text)
        for line in story(run(load("victims.yaml")).trace)
        if line.at_ms in (3_600_000, 7_200_000) and not line.job.startswith("small-05")
    ]
    fate = "is preempted for {} (cross-share): ran on borrowed capacity, loses {} of work and waits again"
    starts = "submitted ({} ml.g5.xlarge, priority 0); starts on B's own limit; preempts {} (cross-share)"
    assert lines == [
        ("pair", starts.format(2, "small-06 and small-05")),
        ("small-06", fate.format("pair", "1h")),
        ("whole", starts.format(5, "small-06, small-05, small-04 and 2 more")),
        ("small-06", fate.format("whole", "30m")),
        ("small-04", fate.format("whole", "2h")),
        ("small-03", fate.format("whole", "2h")),
        ("small-02", fate.format("whole", "2h")),
    ]


def test_ascii_output_holds_ascii_only(trouble: Run) -> None:
    """A terminal or a log without UTF-8 still shows the whole picture."""
    text = simulation_text.render(trouble, judge(trouble), measure(trouble), ascii_only=True)
    assert text.isascii()
    assert "# own limit   + borrowed" in text


@pytest.mark.parametrize("width", [80, 100, 132])
def test_no_line_is_wider_than_asked(width: int, announcement: Run, trouble: Run) -> None:
    """A wrapped timeline is no timeline."""
    for outcome in (announcement, trouble):
        text = simulation_text.render(outcome, judge(outcome), width=width)
        picture = text[text.index("Timeline") : text.index("own limit   ")]
        rows = [line for line in picture.splitlines()[:-1] if line.startswith("  ")]
        assert max(width_of(line) for line in rows) <= width
        story_lines = text[: text.index("Timeline")].splitlines()
        assert max(width_of(line) for line in story_lines) <= width


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", [80, 120])
def test_measures_and_shares_fit_the_terminal(width: int, ascii_only: bool) -> None:
    """A table that is broken by the terminal can't be read; of many jobs the shares are drawn over time."""
    scenario = load("announcement.yaml")
    many = [replace(job, name=f"{job.name}-{copy}") for job in scenario.jobs for copy in range(9)]
    outcome = run(replace(scenario, jobs=tuple(many), events=(), expectations=()))
    text = simulation_text.render(outcome, [], measure(outcome), width=width, ascii_only=ascii_only)
    told = text[text.index("Shares over time") :].partition("Timeline")
    measured = told[2][told[2].index("Measures (") :]
    assert max(width_of(line) for line in (told[0] + measured).splitlines()) <= width
    assert text.isascii() or not ascii_only
    header = next(line for line in measured.splitlines() if line.strip().startswith("share "))
    assert ("lost work" in header) == (width == 120)


def test_styled_text_is_the_plain_text_with_marks(trouble: Run) -> None:
    """Without colour nothing is lost; with it nothing is added."""
    verdicts = judge(trouble)
    styled = simulation_text.render(trouble, verdicts, style=lambda text, kind: f"\x00{kind}\x01{text}\x02")
    plain = "".join(part.split("\x01")[-1] for part in styled.replace("\x02", "").split("\x00"))
    assert plain == simulation_text.render(trouble, verdicts)


def test_a_long_story_is_cut_and_says_how_much(announcement: Run) -> None:
    """A day of load has thousands of lines; what is left out is counted, never dropped in silence."""
    lines = list(story(announcement.trace))
    text = simulation_text.render(announcement, [], max_lines=4)
    told = text[text.index("What happens") : text.index("Timeline")]
    assert f"… {len(lines) - 4} lines left out; -v tells all" in told
    assert len(told.strip().splitlines()) == 1 + 4 + 1


def test_preempted_jobs_are_drawn_before_others(announcement: Run) -> None:
    """If only some rows fit, they are those that somebody will ask about."""
    text = simulation_text.render(announcement, [], max_lines=2)
    picture = text[text.index("Timeline") :]
    assert "qs1_job_high" in picture
    assert "qs1_job_med" in picture
    assert "qs1_job_low" not in picture
    assert "2 jobs not drawn; -v draws all" in picture


def test_every_preemption_is_marked_however_short_its_column(announcement: Run) -> None:
    """A preemption is the news; it must not vanish between two columns."""
    rows = timelines(announcement.trace, announcement.end_ms)
    marks = sum(segment.kind is SegmentKind.PREEMPTED for row in rows for segment in row.segments)
    for width in (45, 60, 200):
        picture = draw(rows, announcement.end_ms, width=width, glyphs=ASCII)
        bodies = [line[16:] for line in picture[:-3] if line.startswith("  ")]
        assert sum(body.count("x") for body in bodies) == marks


def test_an_empty_run_is_said_to_be_empty(announcement: Run) -> None:
    """No jobs at all: no picture, no division by zero."""
    outcome = run(replace(announcement.scenario, jobs=(), events=(), expectations=()))
    text = simulation_text.render(outcome, [], measure(outcome))
    assert "nothing: no job was submitted" in text
    assert "No expectations: nothing to judge." in text
    simulation_markdown.render(outcome, [])


def test_json_holds_trace_verdicts_and_measures(announcement: Run) -> None:
    """Programs get the trace itself, in integer milliseconds."""
    document = json.loads(simulation_json.render(announcement, judge(announcement), measure(announcement)))
    assert document["version"] == 1
    assert document["holds"] is True
    assert document["end_ms"] == announcement.end_ms
    assert len(document["events"]) == len(announcement.trace)
    preempted = [event for event in document["events"] if event["type"] == "preemption_started"]
    assert preempted[0]["job"] == "qs1_job_med"
    assert preempted[0]["kind"] == "cross-share"
    assert document["measures"]["shares"]["QS1"]["capacity"]["ml.g5.xlarge"]["borrowed_most"] == 1
    assert [job["job"] for job in document["jobs"]] == ["qs1_job_high", "qs1_job_med", "qs1_job_low", "qs2_job"]


def test_markdown_shows_verdicts_story_and_timeline(trouble: Run) -> None:
    """What a reviewer sees in a pull request."""
    text = simulation_markdown.render(trouble, judge(trouble))
    assert text.startswith("### ")
    assert "| ❌ | never preempted share A |" in text
    assert "can never run" not in text.splitlines()[0]
    assert text.count("```mermaid") == 1
    assert text.count("```") == 4


def test_output_does_not_depend_on_the_run_before(announcement: Run) -> None:
    """Same input, same bytes."""
    again = run(announcement.scenario)
    assert simulation_text.render(again, judge(again), measure(again)) == simulation_text.render(
        announcement, judge(announcement), measure(announcement)
    )


def test_the_sensitivity_is_told_in_every_format(announcement: Run) -> None:
    """What would change comes with its first difference, the rest in one line."""
    tried = sensitivity(announcement)
    text = simulation_text.render(announcement, [], tried=tried)
    told = text[text.index("Sensitivity: ") :]
    assert "would change this run" in told.splitlines()[0]
    assert "A-15 timing.stopping = 20s: " in told
    assert "here: 00:10:00 " in told
    assert "then: 00:10:20 " in told
    assert "Would change nothing: A-03 borrow_unlisted_units" in told
    assert "| A-15 `timing.stopping` | `20s` | here: 00:10:00 " in simulation_markdown.render(
        announcement, [], tried=tried
    )
    data = simulation_json.as_json(announcement, [], None, tried)["sensitivity"]
    [changed] = [one for one in data if (one["switch"], one["value"]) == ("timing.stopping", "20s")]
    assert changed["changes"]
    assert changed["first"]["at_ms"] == 600_000
    assert {one["switch"] for one in data if not one["changes"]} >= {"backfill", "capacity_backoff"}


def test_the_sensitivity_is_left_out_unless_asked_for(announcement: Run) -> None:
    """Thirty more runs are nobody's default."""
    assert "Sensitivity" not in simulation_text.render(announcement, [])
    assert simulation_json.as_json(announcement, [])["sensitivity"] is None


def test_markdown_of_a_scenario_that_expects_nothing_claims_no_success(announcement: Run) -> None:
    """That 0 of 0 hold reads as if something had been judged."""
    title = simulation_markdown.render(announcement, []).splitlines()[0]
    assert title.endswith(": the scenario expects nothing")
