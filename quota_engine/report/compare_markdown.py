"""A comparison as Markdown, for a pull request's comment: verdicts first, then a table, then the jobs, folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..simulate.compare import Comparison, JobComparison, Work
from .charts.lives import lives
from .compare_view import (
    MEASURES,
    ComparedScenario,
    CompareReport,
    Measure,
    cause,
    change_text,
    changed_capacity,
    demand,
    differing,
    edit_text,
    facts,
    headline,
    notes,
    seen,
    title_of,
    whys,
)
from .mermaid import gantt
from .visible import counted, markdown, markdown_code

_DRAWN_MAX: Final = 8
"""Jobs that are drawn before and after."""
_MARKS = {True: "❌", False: "✅"}


def render(report: CompareReport) -> str:
    """Return the whole comparison."""
    mark = _MARKS[report.crossed]
    found = [f"### {mark} {markdown(headline(report))}", "", *_edits(report)]
    for scenario in report.scenarios:
        found += [f"#### {markdown(title_of(scenario))}", "", *_notes(scenario), *_verdicts(scenario)]
        found += [*_work(scenario), *_capacity(scenario), *_jobs(report, scenario)]
    return "\n".join(found) + "\n"


def _edits(report: CompareReport) -> Iterator[str]:
    if not report.edits:
        yield from ("Queues, shares, environments and policies are declared alike.", "")
        return
    yield from ("| | resource | what | edit |", "|---|---|---|---|")
    for sign, resource, what, how in map(edit_text, report.edits):
        yield f"| {markdown_code(sign)} | {markdown(resource)} | {markdown_code(what)} | {markdown(how)} |"
    yield ""


def _notes(scenario: ComparedScenario) -> Iterator[str]:
    found = list(notes(scenario.comparison))
    yield from (f"> {markdown(note)}" for note in found)
    yield from [""] if found else []


def _verdicts(scenario: ComparedScenario) -> Iterator[str]:
    yield from ("| | threshold | seen | why |", "|---|---|---|---|")
    for verdict in scenario.verdicts:
        why = "<br>".join(map(markdown, whys(verdict)))
        yield f"| {_MARKS[verdict.crossed]} | {markdown(demand(verdict))} | {markdown(seen(verdict))} | {why} |"
    yield ""


def _work(scenario: ComparedScenario) -> Iterator[str]:
    """Yield a table of the shares whose work differs, with the measures in which any does."""
    rows = [one for one in scenario.comparison.work if differing(one.before, one.after)]
    if not rows:
        yield from ("No share's work differs.", "")
        return
    used = {measure.name for one in rows for measure in differing(one.before, one.after)}
    columns = [measure for measure in MEASURES if measure.name in used]
    yield f"| share | jobs | {' | '.join(measure.label for measure in columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    for one in rows:
        cells = " | ".join(_cell(measure, one.before, one.after) for measure in columns)
        yield f"| {markdown(one.share)} | {one.before.jobs} | {cells} |"
    same = [markdown(one.share) for one in scenario.comparison.work if one not in rows and one.before.jobs]
    yield from ("", *([f"No difference: {', '.join(same)}.", ""] if same else []))


def _cell(measure: Measure, before: Work, after: Work) -> str:
    values = measure.value(before), measure.value(after)
    text = markdown(change_text(*values, is_time=measure.is_time))
    return f"**{text}**" if values[0] != values[1] else text


def _capacity(scenario: ComparedScenario) -> Iterator[str]:
    rows = [
        f"| {markdown(share) or 'all'} | {markdown_code(unit)} | {'' if share else 'utilisation '}{markdown(changes)} |"
        for share, unit, changes in changed_capacity(scenario.comparison)
    ]
    if rows:
        yield from ("| share | type | capacity, as instance time |", "|---|---|---|", *rows, "")


def _jobs(report: CompareReport, scenario: ComparedScenario) -> Iterator[str]:
    comparison = scenario.comparison
    if not comparison.jobs:
        return
    shown = comparison.jobs[: report.jobs_max]
    left_out = len(comparison.jobs) - len(shown)
    counts = f"Jobs whose course differs: {len(comparison.jobs)}; the same: {comparison.same_jobs}"
    yield from (f"<details><summary>{counts}</summary>", "")
    yield from ("| job | share | what differs | why |", "|---|---|---|---|")
    for job in shown:
        yield (
            f"| {markdown_code(job.job)} | {markdown(job.share)} | {markdown('; '.join(facts(job)))} "
            f"| {markdown(cause(job))} |"
        )
    yield from ("", *([f"{counted(left_out, 'job')} with smaller changes left out.", ""] if left_out else []))
    yield from (*_charts(comparison, shown[:_DRAWN_MAX]), "</details>", "")


def _charts(comparison: Comparison, jobs: Sequence[JobComparison]) -> Iterator[str]:
    """Yield a Mermaid chart for either side, of the same jobs."""
    names = {job.job for job in jobs}
    for title, played in (("Before", comparison.before), ("After", comparison.after)):
        found = lives(played.run)
        chosen = replace(found, jobs=tuple(life for life in found.jobs if life.job in names))
        chart = gantt(played.run, chosen)
        yield from (f"{title}:", "", *chart) if chart else ()
