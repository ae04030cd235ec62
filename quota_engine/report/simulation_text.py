"""A simulation for people: what happens and why, a timeline, the verdicts, and what was left over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.stack import JobQueue, QuotaShare
from ..scheduler.trace import Dispatched, PreemptionStarted
from ..simulate import JobTimeline, Measures, Run, SegmentKind, Tried, Verdict, timelines
from .gantt import ASCII, UNICODE, draw
from .simulation_sensitivity import text as sensitivity_text
from .story import Line, amount, story
from .style import Style, plain
from .times import clock, rough
from .visible import counted, pad, visible, width_of, wrapped

MAX_LINES = 60
"""Lines of the story, and rows of the timeline, unless all are asked for."""
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
) -> str:
    """Return the whole story, with its sensitivity where it was asked for.

    `max_lines` bounds story and timeline, None for all; what is left out is counted.
    """
    parts = [
        _head(run, width, style),
        _story(run, max_lines, width, ascii_only, style),
        _timeline(run, max_lines, width, ascii_only, style),
        *([_measures(measures, style)] if measures else []),
        _unfinished(run, width, style),
        _verdicts(verdicts, width, ascii_only, style),
        _basis(run, style),
        *([sensitivity_text(tried, width, style)] if tried is not None else []),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


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
    queue = queue_of(run)
    titles = {
        name: share_title(queue.quota_shares[name]) if name in queue.quota_shares else visible(name)
        for name in [*queue.quota_shares, *dict.fromkeys(row.share for row in chosen)]
    }
    picture = draw(chosen, run.end_ms, width=width, glyphs=ASCII if ascii_only else UNICODE, titles=titles, style=style)
    if not picture:
        return []
    left_out = len(rows) - len(chosen)
    note = [style(f"  {counted(left_out, 'job')} not drawn; -v draws all", "dim")] if left_out else []
    return [style(f"Timeline, to {clock(run.end_ms)}", "bold"), *picture, *note]


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


def _measures(measures: Measures, style: Style) -> list[str]:
    """Return one row a share: jobs, waits, preemptions, lost work, borrowed at most."""
    header = ("share", "jobs", "wait p50", "wait p95", "preempted", "lost work", "borrowed at most")
    table = [header]
    for share in measures.shares.values():
        most = {unit: amounts.most for unit, amounts in share.borrowed.items() if amounts.most}
        p50, p95 = share.wait.percentile_ms(50), share.wait.percentile_ms(95)
        table.append(
            (
                visible(share.share),
                str(share.submitted),
                "-" if p50 is None else rough(p50),
                "-" if p95 is None else rough(p95),
                str(share.cross_share_preemptions + share.in_share_preemptions),
                rough(share.lost_instance_ms) if share.lost_instance_ms else "-",
                amount(most) if most else "-",
            )
        )
    widths = [max(width_of(row[column]) for row in table) for column in range(len(header))]
    rows = ["  " + "  ".join(pad(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in table]
    used = ", ".join(
        f"{visible(unit)} {use.ratio * 100:.0f} %"
        for unit, use in measures.utilisation.items()
        if use.ratio is not None
    )
    return [
        style("Measures (lost work in instance time)", "bold"),
        style(rows[0], "dim"),
        *rows[1:],
        *([f"  utilisation: {used}"] if used else []),
    ]


def _unfinished(run: Run, width: int, style: Style) -> list[str]:
    found = []
    if run.stopped_because:
        found += wrapped(f"The run was cut off: {visible(run.stopped_because)}", "", width)
    if run.unfinished:
        found.append(style(f"Not finished: {counted(len(run.unfinished), 'job')}", "bold"))
        for left in run.unfinished:
            never = "" if left.can_run else " can never run"
            text = f"{visible(left.job)} ({visible(left.share)}, {visible(left.status)}){never}: {visible(left.reason)}"
            first, *more = wrapped(text, "", width - 4)
            found += [f"  {first}", *(f"    {line}" for line in more)]
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
    used = sorted(
        {
            number
            for event in run.trace
            if isinstance(event, Dispatched | PreemptionStarted)
            for number in event.assumptions
        }
    )
    changed = run.assumptions.changed()
    found = [f"Rests on {', '.join(used)}: what AWS does not document (quota-engine assumptions)."] if used else []
    if changed:
        found.append(f"Assumed otherwise here: {', '.join(f'{name} = {value}' for name, value in changed.items())}.")
    return [style(line, "dim") for line in found]
