"""Drift as Markdown, for an issue or a job summary: the answer as a heading, then one table per declaration."""

from __future__ import annotations

from collections.abc import Sequence

from ..drift import Action, Change
from .drift_view import Compared, headline, problem_text, repair_hint, resource_name, show_value
from .visible import markdown, markdown_code, show_path


def render(compared: Sequence[Compared]) -> str:
    """Return the comparisons in the order given."""
    hint = repair_hint([one.report for one in compared])
    return "\n".join([*(_report(one) for one in compared), *([f"{hint}\n"] if hint else [])])


def _report(compared: Compared) -> str:
    report = compared.report
    found = [f"### {markdown(headline(report))}", ""]
    if not report.share_tags_compared:
        found += ["Tags of quota shares were not compared.", ""]
    if report.changes:
        found += [
            "| action | resource | what | declared | live | consequence | repaired by refresh | rule |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(change) for change in report.changes),
            "",
        ]
    found += [f"- **{markdown(note.status)}**: {markdown(note.sentence)} ({note.about.rule})" for note in report.notes]
    found += [""] if report.notes else []
    if report.unreadable:
        found += ["Could not be read, so nothing is known about:", ""]
        found += [f"- {markdown(gap.what)}: {markdown(problem_text(gap))}" for gap in report.unreadable]
        found += [""]
    return "\n".join(found)


def _row(change: Change) -> str:
    what = show_path(change.attribute) if change.attribute else "whole resource"
    declared = show_value(change.attribute, change.declared)
    live = show_value(change.attribute, change.live)
    repaired = "yes" if change.repaired_by_refresh else "no"
    consequence = markdown(change.consequence)
    if change.tolerated:
        consequence += f"<br>_tolerated: {markdown(change.tolerated)}_"
    cells = [
        "none: live, not declared" if change.action is Action.DELETE else change.action.value,
        markdown(resource_name(change.kind, change.resource)),
        markdown_code(what) if change.attribute else what,
        markdown_code(declared),
        markdown_code(live),
        consequence,
        repaired,
        change.about.rule,
    ]
    return f"| {' | '.join(cells)} |"
