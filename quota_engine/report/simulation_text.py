"""A simulation for people: what happens and why, a timeline, the verdicts, and what was left over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.stack import JobQueue, QuotaShare
from ..simulate import JobTimeline, Measures, Run, SegmentKind, Tried, Verdict, timelines
from ..simulate.loads import Loads, loads_of
from . import share_timeline
from .gantt import ASCII, UNICODE, draw
from .share_table import bands, capacity_lines, capacity_table, whole_lines, work_table
from .simulation_sensitivity import text as sensitivity_text
from .story import Line, amount, story
from .style import Style, plain
from .times import clock
from .visible import aligned, counted, visible, wrapped

MAX_LINES = 60
"""Lines of the story, and rows of the timeline, unless all are asked for."""
JOBS_FEW = 12
"""Jobs up to which their own timeline shows all that the shares' would."""
_MARKS = {"holds": ("✓", "good"), "fails": ("✗", "bad"), "undecided": ("?", "warning")}
_ASCII_MARKS = {"holds": "ok", "fails": "NO", "undecided": "??"}


def render(
    run: Run,
    verdicts: Sequence[Verdict],
    measures: Measures | None = None,
    *,
    width: int = 100,
    ascii_only: bool = False,
    max_lines: int | None = MAX_LINES,
    style: Style = plain,
    tried: Sequence[Tried] | None = None,
    loads: Loads | None = None,
) -> str:
    """Return the whole story, with its sensitivity where it was asked for.

    `max_lines` bounds story and timeline, None for all; what is left out is counted. `loads` are needed where the
    run's trace was not kept.
    """
    parts = [
        _head(run, width, style),
        _story(run, max_lines, width, ascii_only, style) if run.is_traced else wrapped(untold(run), "", width),
        _shares(run, loads, width, ascii_only, style),
        _timeline(run, max_lines, width, ascii_only, style) if run.is_traced else [],
        *([_measures(measures, width, style)] if measures else []),
        _unfinished(run, max_lines, width, style),
        _verdicts(verdicts, width, ascii_only, style),
        _basis(run, style),
        *([sensitivity_text(tried, width, style)] if tried is not None else []),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def untold(run: Run) -> str:
    """Say why there is neither story nor timeline."""
    return f"Of {counted(len(run.records), 'job')} no story is told and no timeline drawn; -v does both all the same."


def queue_of(run: Run) -> JobQueue:
    """Return the queue that the scenario runs on, as first declared."""
    return run.scenario.stack.job_queues[run.scenario.queue]


def _head(run: Run, width: int, style: Style) -> list[str]:
    scenario, queue = run.scenario, queue_of(run)
    environment = scenario.stack.service_environments.get(queue.service_environment or "")
    room = f" on {amount(environment.capacity_limits)}" if environment else ""
    jobs = counted(len(run.records) + len(run.refused), "job")
    shares = counted(len(queue.quota_shares), "share")
    title = wrapped(visible(scenario.description), "", width) if scenario.description else []
    return [
        *(style(line, "bold") for line in title),
        *wrapped(f"{visible(scenario.stack.name)}, queue {visible(queue.name)}: {jobs} in {shares}{room}", "", width),
        *(part for line in capacity_lines(scenario.capacity, run.end_ms) for part in wrapped(line, "", width)),
    ]


def _story(run: Run, max_lines: int | None, width: int, ascii_only: bool, style: Style) -> list[str]:
    lines = list(story(run.trace))
    if not lines:
        return [style("What happens", "bold"), "  nothing: no job was submitted"]
    found = [style("What happens", "bold")]
    if max_lines is None or len(lines) <= max_lines:
        return [*found, *_lines(lines, width, style)]
    first, last = max_lines - max_lines // 4, max_lines // 4
    left_out = counted(len(lines) - first - last, "line")
    return [
        *found,
        *_lines(lines[:first], width, style),
        style(f"  {'...' if ascii_only else '…'} {left_out} left out; -v tells all", "dim"),
        *_lines(lines[len(lines) - last :], width, style),
    ]


def _lines(lines: Iterable[Line], width: int, style: Style) -> Iterable[str]:
    for line in lines:
        time = clock(line.at_ms)
        who = f"{visible(line.job)}: " if line.job else ""
        first, *more = wrapped(f"{who}{line.text}", "", width - len(time) - 6) or [""]
        yield f"  {style(time, 'dim')}  {_marked(first, who, line.kind, style)}"
        yield from (f"  {' ' * len(time)}    {_marked(part, '', line.kind, style)}" for part in more)


def _marked(text: str, who: str, kind: str, style: Style) -> str:
    rest = text[len(who) :]
    return (style(who, "bold") if who else "") + (style(rest, kind) if kind else rest)


def _timeline(run: Run, max_rows: int | None, width: int, ascii_only: bool, style: Style) -> list[str]:
    rows = timelines(run.trace, run.end_ms)
    chosen = _most_telling(rows, max_rows)
    titles = _titles(run) | {row.share: visible(row.share) for row in chosen if row.share not in _titles(run)}
    picture = draw(chosen, run.end_ms, width=width, glyphs=ASCII if ascii_only else UNICODE, titles=titles, style=style)
    if not picture:
        return []
    left_out = len(rows) - len(chosen)
    note = [style(f"  {counted(left_out, 'job')} not drawn; -v draws all", "dim")] if left_out else []
    return [style(f"Timeline, to {clock(run.end_ms)}", "bold"), *picture, *note]


def _titles(run: Run) -> dict[str, str]:
    return {name: share_title(share) for name, share in queue_of(run).quota_shares.items()}


def _shares(run: Run, loads: Loads | None, width: int, ascii_only: bool, style: Style) -> list[str]:
    """Draw each share over time, where there are more jobs than their own timeline can tell of."""
    if len(run.records) <= JOBS_FEW or (loads is None and not run.is_traced):
        return []
    found = loads_of(run) if loads is None else loads
    picture = share_timeline.draw(
        found, run.end_ms, width=width, ascii_only=ascii_only, titles=_titles(run), style=style
    )
    return [style(f"Shares over time, instances to {clock(run.end_ms)}", "bold"), *picture] if picture else []


def share_title(share: QuotaShare) -> str:
    """Return a share's settings in a line."""
    title = f"{visible(share.name)}: {amount(share.capacity_limits)}, {share.strategy.value}"
    limit = share.effective_borrow_limit_percent
    if share.strategy.can_borrow and limit is not None:
        title += f" {'without limit' if limit < 0 else f'up to {limit} %'}"
    return title + (", in-share preemption" if share.in_share_preemption.value == "ENABLED" else "")


def _most_telling(rows: Sequence[JobTimeline], most: int | None) -> list[JobTimeline]:
    """Choose the rows to draw: preempted jobs, then borrowers, then the rest by arrival; shown in order of arrival."""
    if most is None or len(rows) <= most:
        return list(rows)

    def rank(item: tuple[int, JobTimeline]) -> tuple[int, int]:
        kinds = {segment.kind for segment in item[1].segments}
        return (0 if SegmentKind.PREEMPTED in kinds else 1 if SegmentKind.BORROWED in kinds else 2, item[0])

    return [row for _, row in sorted(sorted(enumerate(rows), key=rank)[:most], key=lambda item: item[0])]


def _measures(measures: Measures, width: int, style: Style) -> list[str]:
    """Return the measures of each share in tables, then those of the whole queue in sentences."""
    found = [style("Measures (lost work, use and loans in instance-hours)", "bold")]
    for table in (work_table(measures), capacity_table(measures)):
        for band in bands(table, width):
            head, *rows = aligned([[visible(cell) for cell in row] for row in band])
            found += [style(head, "dim"), *rows]
    for line in whole_lines(measures):
        first, *more = wrapped(line, "  ", width)
        found += [first, *(f"  {part}" for part in more)]
    return found


def _unfinished(run: Run, max_lines: int | None, width: int, style: Style) -> list[str]:
    found = []
    if run.stopped_because:
        found += wrapped(f"The run was cut off: {visible(run.stopped_because)}", "", width)
    if run.unfinished:
        found.append(style(f"Not finished: {counted(len(run.unfinished), 'job')}", "bold"))
        for left in run.unfinished[:max_lines]:
            never = "" if left.can_run else " can never run"
            text = f"{visible(left.job)} ({visible(left.share)}, {visible(left.status)}){never}: {visible(left.reason)}"
            first, *more = wrapped(text, "", width - 4)
            found += [f"  {first}", *(f"    {line}" for line in more)]
        left_out = len(run.unfinished) - len(run.unfinished[:max_lines])
        found += [style(f"  {counted(left_out, 'job')} more; -v names all", "dim")] if left_out else []
    return found


def _verdicts(verdicts: Sequence[Verdict], width: int, ascii_only: bool, style: Style) -> list[str]:
    if not verdicts:
        return ["No expectations: nothing to judge."]
    holding = sum(verdict.holds for verdict in verdicts)
    found = [style(f"Expectations: {holding} of {len(verdicts)} hold", "bold")]
    for verdict in verdicts:
        mark, kind = _MARKS[verdict.judgement.value]
        shown = _ASCII_MARKS[verdict.judgement.value] if ascii_only else mark
        first, *more = wrapped(visible(verdict.expected), "", width - len(shown) - 3)
        found += [f"  {style(shown, kind)} {first}", *(f"  {' ' * len(shown)} {line}" for line in more)]
        found += wrapped(f"seen: {visible(verdict.seen)}", " " * (len(shown) + 5), width)
    return found


def _basis(run: Run, style: Style) -> list[str]:
    """Name the assumptions that decided something here, and those the scenario sets otherwise than the model."""
    changed = run.assumptions.changed()
    used = ", ".join(run.rests_on)
    found = [f"Rests on {used}: what AWS does not document (quota-engine assumptions)."] if used else []
    if changed:
        found.append(f"Assumed otherwise here: {', '.join(f'{name} = {value}' for name, value in changed.items())}.")
    return [style(line, "dim") for line in found]
