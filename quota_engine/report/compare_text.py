"""A comparison for people: the answer, what was edited, then each scenario's verdicts, work, capacity and jobs."""

from __future__ import annotations

from collections.abc import Iterator

from .compare_view import (
    ComparedScenario,
    CompareReport,
    cause,
    change_text,
    changed_capacity,
    demand,
    differing,
    edit_text,
    facts,
    headline,
    is_worse,
    notes,
    seen,
    title_of,
    whys,
)
from .style import Style, plain
from .visible import counted, pad, visible, wrapped

_LABEL_WIDTH = 20


def render(report: CompareReport, *, width: int = 100, ascii_only: bool = False, style: Style = plain) -> str:
    """Return the whole comparison; sentences wrap at `width`. With `ascii_only` arrows and marks are ASCII too."""
    parts = [
        [style(headline(report), "error" if report.crossed else "good")],
        list(_edits(report, width, style)),
        *(list(_scenario(report, one, width, style)) for one in report.scenarios),
    ]
    text = "\n\n".join("\n".join(part) for part in parts if part) + "\n"
    return _ascii(text) if ascii_only else text


def _ascii(text: str) -> str:
    return text.translate({ord("→"): "->", ord("✓"): "ok", ord("✗"): "NO", ord("±"): "+-", ord("…"): "..."})


def _edits(report: CompareReport, width: int, style: Style) -> Iterator[str]:
    if not report.edits:
        yield "Queues, shares, environments and policies are declared alike."
        return
    yield style(f"Declaration: {counted(len(report.edits), 'edit')}", "bold")
    for change in report.edits:
        sign, resource, what, how = edit_text(change)
        yield from _hanging(f"{sign} {resource}: {f'{what} ' if what else ''}{how}", 2, width)


def _hanging(text: str, indent: int, width: int) -> Iterator[str]:
    """Yield wrapped lines, all after the first two columns further in."""
    first, *more = wrapped(text, "", width - indent - 2) or [""]
    yield f"{' ' * indent}{first}"
    yield from (f"{' ' * (indent + 2)}{line}" for line in more)


def _scenario(report: CompareReport, scenario: ComparedScenario, width: int, style: Style) -> Iterator[str]:
    comparison = scenario.comparison
    yield from (style(line, "bold") for line in wrapped(title_of(scenario), "", width))
    for note in notes(comparison):
        yield from (style(line, "warning") for line in _hanging(note, 2, width))
    yield from _verdicts(scenario, width, style)
    yield from _work(scenario, width, style)
    yield from _capacity(scenario, width)
    yield from _jobs(report, scenario, width, style)


def _verdicts(scenario: ComparedScenario, width: int, style: Style) -> Iterator[str]:
    for verdict in scenario.verdicts:
        mark = style("✗", "bad") if verdict.crossed else style("✓", "good")
        yield f"  {mark} {demand(verdict)}"
        yield from wrapped(f"seen: {seen(verdict)}", " " * 6, width)
        for why in whys(verdict):
            yield from _hanging(f"why: {why}", 6, width)


def _work(scenario: ComparedScenario, width: int, style: Style) -> Iterator[str]:
    """Yield what differs for each share's work; those for which nothing does are named after it."""
    works = scenario.comparison.work
    yield style("Work, by the share that it is for", "bold")
    for one in works:
        changed = differing(one.before, one.after)
        if not changed:
            continue
        yield f"  {style(visible(one.share), 'bold')}: {counted(one.before.jobs, 'job')}"
        for measure in changed:
            values = measure.value(one.before), measure.value(one.after)
            worse = is_worse(measure, one.before, one.after)
            text = change_text(*values, is_time=measure.is_time)
            yield f"    {pad(measure.label, _LABEL_WIDTH)}{text if worse is None else style(text, _KIND[worse])}"
    same = [one for one in works if one.jobs and one.before == one.after]
    if same:
        listed = ", ".join(f"{visible(one.share)} ({counted(one.before.jobs, 'job')})" for one in same)
        yield from _hanging(f"no difference: {listed}", 2, width)
    idle = [visible(one.share) for one in works if not one.jobs]
    if idle:
        yield from _hanging(f"no work in this scenario: {', '.join(idle)}", 2, width)


_KIND = {True: "bad", False: "good"}


def _capacity(scenario: ComparedScenario, width: int) -> Iterator[str]:
    lines = [
        f"{visible(share)}, {visible(unit)}: {changes}" if share else f"utilisation of {visible(unit)}: {changes}"
        for share, unit, changes in changed_capacity(scenario.comparison)
    ]
    if lines:
        yield "Capacity (used, borrowed and lent as instance time)"
        for line in lines:
            yield from _hanging(line, 2, width)


def _jobs(report: CompareReport, scenario: ComparedScenario, width: int, style: Style) -> Iterator[str]:
    comparison = scenario.comparison
    shown = comparison.jobs[: report.jobs_max]
    left_out = len(comparison.jobs) - len(shown)
    yield style(f"Jobs whose course differs: {len(comparison.jobs)}; the same: {comparison.same_jobs}", "bold")
    for job in shown:
        text = f"{visible(job.job)} ({visible(job.share)}): {'; '.join(facts(job))}"
        yield from _hanging(text, 2, width)
        yield from (style(line, "dim") for line in _hanging(cause(job), 6, width))
    if left_out:
        yield style(f"  … {counted(left_out, 'job')} with smaller changes left out; --jobs shows more", "dim")
