"""A comparison as text, Markdown and annotations: nothing that users named breaks the form it is shown in."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from quota_engine.config import load_scenario, load_stack
from quota_engine.model.work import Scenario
from quota_engine.report import compare_json, compare_markdown, compare_text
from quota_engine.report.compare_view import ComparedScenario, CompareReport, findings
from quota_engine.simulate.compare import compare, play
from quota_engine.simulate.sides import sides
from quota_engine.simulate.thresholds import Limits, judge_thresholds

CASES = Path(__file__).parent.parent / "cases" / "compare"
HOSTILE = "<img src=x> | `a` **b** \x1b[31m @team [c](http://x)\nnext"


def scenario(name: str) -> Scenario:
    found = load_scenario(CASES / name / "scenario.yaml").value
    assert found is not None
    return found


def report(work: Scenario, name: str, *, file: str = "s.yaml", jobs_max: int | None = 10) -> CompareReport:
    old, new = (load_stack(CASES / name / file).value for file in ("old.yaml", "new.yaml"))
    assert old is not None
    assert new is not None
    before, after, shares = sides(work, old, new)
    found = compare(play(before), play(after), shares)
    compared = ComparedScenario(file, found, judge_thresholds(found, Limits()))
    return CompareReport("old.yaml", "new.yaml", (), [compared], jobs_max=jobs_max)


@pytest.fixture
def hostile() -> CompareReport:
    """A report in which the description, the file and the jobs are named by somebody who means no good."""
    work = scenario("lowered-limit")
    jobs = tuple(replace(job, name=f"{job.name}{HOSTILE}") for job in work.jobs)
    return report(replace(work, description=HOSTILE, jobs=jobs), "lowered-limit", file=HOSTILE)


def test_markdown_shows_what_users_wrote_as_it_is(hostile: CompareReport) -> None:
    """A comment that anybody's branch can write into must hold no markup but ours, and no table may break."""
    text = compare_markdown.render(hostile)
    assert "\x1b" not in text
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<img" not in html
    assert "<a " not in html
    assert "<strong>b</strong>" not in html
    for table in re.findall(r"<table>.*?</table>", html, flags=re.DOTALL):
        assert len({len(re.findall("<t[dh][ >]", row)) for row in table.split("</tr>")[:-1]}) == 1
    assert html.count("<details>") == html.count("</details>") == 1


def test_text_and_annotations_stay_in_their_lines(hostile: CompareReport) -> None:
    """No escape sequence reaches a terminal, no line of a name passes for one of ours."""
    text = compare_text.render(hostile)
    assert "\x1b" not in text
    assert "\nnext" not in text
    (finding, *_) = findings(hostile)
    assert "\x1b" not in finding.why


@pytest.mark.parametrize("name", sorted(case.name for case in CASES.iterdir()))
def test_ascii_output_holds_ascii_only(name: str) -> None:
    """A terminal or a log without UTF-8 still shows the whole comparison."""
    text = compare_text.render(report(scenario(name), name), ascii_only=True)
    assert text.isascii()
    assert len(text.splitlines()) >= len(compare_text.render(report(scenario(name), name)).splitlines())


def test_the_jobs_are_bounded_and_the_rest_is_counted() -> None:
    """Ten thousand jobs must not bury the verdicts; none goes without a word."""
    work = scenario("lowered-limit")
    short = report(work, "lowered-limit", jobs_max=1)
    assert "1 job with smaller changes left out" in compare_text.render(short)
    assert "1 job with smaller changes left out" in compare_markdown.render(short)
    shown = compare_json.as_json(short)["scenarios"][0]["jobs"]
    assert (shown["differing"], shown["left_out"], len(shown["shown"])) == (2, 1, 1)


def test_lines_are_no_wider_than_asked_for() -> None:
    """A narrow terminal breaks sentences where we do, not in the middle of a figure."""
    text = compare_text.render(report(scenario("removed-share"), "removed-share"), width=72)
    assert max(map(len, text.splitlines())) <= 72
