"""A simulation as Markdown, for a pull request: verdicts and story as tables, a Mermaid chart, the timeline as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..simulate import Measures, Run, Tried, Verdict, timelines
from .charts.lives import lives
from .gantt import draw
from .mermaid import gantt
from .share_table import Table, capacity_lines, capacity_table, whole_lines, work_table
from .simulation_sensitivity import markdown_section
from .simulation_text import MAX_LINES, queue_of, share_title, untold
from .story import story
from .times import clock
from .visible import counted, markdown, markdown_code

_MARKS = {"holds": "✅", "fails": "❌", "undecided": "❔"}
WIDTH = 100


def render(
    run: Run,
    verdicts: Sequence[Verdict],
    measures: Measures | None = None,
    *,
    max_lines: int | None = MAX_LINES,
    tried: Sequence[Tried] | None = None,
) -> str:
    """Return one scenario, with its sensitivity where it was asked for.

    `max_lines` bounds story and timeline; what is left out is counted.
    """
    title = run.scenario.description or run.scenario.stack.name
    found = [f"### {markdown(title)}: {_outcome(verdicts)}", ""]
    if verdicts:
        found += ["| | expected | seen |", "|---|---|---|", *(_row(verdict) for verdict in verdicts), ""]
    found += [f"- {markdown(line)}" for line in capacity_lines(run.scenario.capacity, run.end_ms)]
    found += _measures(measures) if measures else []
    found += _unfinished(run, max_lines)
    if run.is_traced:
        found += ["<details><summary>What happens</summary>", "", *_story(run, max_lines), "", "</details>", ""]
    found += markdown_section(tried) if tried is not None else []
    drawn = [*gantt(run, lives(run)), *_timeline(run, max_lines)] if run.is_traced else [untold(run)]
    return "\n".join([*found, *drawn]) + "\n"


def _outcome(verdicts: Sequence[Verdict]) -> str:
    """Return how many expectations hold; that there is none is no success."""
    if not verdicts:
        return "the scenario expects nothing"
    return f"{sum(verdict.holds for verdict in verdicts)} of {len(verdicts)} expectations hold"


def _row(verdict: Verdict) -> str:
    return f"| {_MARKS[verdict.judgement.value]} | {markdown(verdict.expected)} | {markdown(verdict.seen)} |"


def _measures(measures: Measures) -> list[str]:
    """Return the same tables and sentences as the text's."""
    return [
        "",
        *_table(work_table(measures)),
        "Capacity in instance-hours:",
        "",
        *_table(capacity_table(measures)),
        *(f"- {markdown(line)}" for line in whole_lines(measures)),
        "",
    ]


def _table(table: Table) -> list[str]:
    header, *rows = [f"| {' | '.join(map(markdown, row))} |" for row in table.rows]
    return [header, f"|{'---|' * table.names}{'---:|' * (len(table.rows[0]) - table.names)}", *rows, ""]


def _unfinished(run: Run, max_lines: int | None) -> list[str]:
    found = [f"The run was cut off: {markdown(run.stopped_because)}", ""] if run.stopped_because else []
    if run.unfinished:
        found += [f"Not finished: {counted(len(run.unfinished), 'job')}", ""]
        found += [
            f"- {markdown_code(left.job)} ({markdown(left.share)}, {left.status}): {markdown(left.reason)}"
            for left in run.unfinished[:max_lines]
        ]
        left_out = len(run.unfinished) - len(run.unfinished[:max_lines])
        found += [f"- {counted(left_out, 'job')} more"] if left_out else []
        found.append("")
    return found


def _story(run: Run, max_lines: int | None) -> list[str]:
    lines = list(story(run.trace))
    shown = lines if max_lines is None else lines[:max_lines]
    rows = [f"| {clock(line.at_ms)} | {markdown_code(line.job)} | {markdown(line.text)} |" for line in shown]
    left_out = len(lines) - len(shown)
    more = ["", f"{counted(left_out, 'line')} left out."] if left_out else []
    return ["| time | job | what happens |", "|---|---|---|", *rows, *more]


def _timeline(run: Run, max_rows: int | None) -> list[str]:
    rows = timelines(run.trace, run.end_ms)
    shown = rows if max_rows is None else rows[:max_rows]
    shares = queue_of(run).quota_shares
    titles = {name: share_title(share) for name, share in shares.items()}
    titles |= {row.share: row.share for row in shown if row.share not in titles}
    picture = draw(shown, run.end_ms, width=WIDTH, titles=titles)
    return ["```text", *(line.replace("```", "'''") for line in picture), "```"] if picture else []
