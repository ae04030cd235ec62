"""Drift for people: the answer first, then each resource with what differs, what that does, and what repairs it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..drift import Action, Change, Outcome, StatusNote
from .drift_view import Compared, headline, problem_text, repair_hint, repair_of, resource_name, show_value
from .style import Style, plain
from .visible import show_path, visible, wrapped

_SIGNS = {Action.CREATE: "+", Action.UPDATE: "~", Action.REPLACE: "±", Action.DELETE: "-"}
_HEADS = {**{action: action.value for action in Action}, Action.DELETE: "live, not declared:"}
"""Nothing deletes what nobody declared, so its head says what it is and not what would be done."""
_STYLES = {Outcome.IN_SYNC: "good", Outcome.DRIFT: "error", Outcome.UNKNOWN: "warning"}
_SENTENCES = {
    Action.CREATE: "is declared, but not in the account",
    Action.DELETE: "is in the account, but nobody declared it",
}


def render(compared: Sequence[Compared], *, width: int = 100, style: Style = plain) -> str:
    """Return the comparisons in the order given, then what a refresh repairs. Sentences wrap at `width`."""
    blocks = [_report(one, width, style) for one in compared]
    hint = repair_hint([one.report for one in compared])
    return "\n\n".join([*blocks, *([hint] if hint else [])]) + "\n"


def _report(compared: Compared, width: int, style: Style) -> str:
    report = compared.report
    found = [style(headline(report), _STYLES[report.outcome])]
    if not report.share_tags_compared:
        found.append("tags of quota shares were not compared")
    for _, changes in groupby(report.changes, key=lambda change: change.resource):
        found += ["", *_resource(compared, list(changes), width, style)]
    for note in report.notes:
        found += ["", *_note(note, width, style)]
    if report.unreadable:
        found += ["", style("could not be read, so nothing is known about:", "warning")]
        found += [f"  {visible(gap.what)}: {problem_text(gap)}" for gap in report.unreadable]
    return "\n".join(found)


def _resource(compared: Compared, changes: Sequence[Change], width: int, style: Style) -> Iterable[str]:
    first = changes[0]
    action = Action.REPLACE if any(change.action is Action.REPLACE for change in changes) else first.action
    span = compared.resource_span(first.resource)
    title = f"{_SIGNS[action]} {_HEADS[action]} {resource_name(first.kind, first.resource)}"
    place = f"  {style(f'{visible(span.file)}:{span.line}', 'dim')}" if span else ""
    yield style(title, "bold") + place
    for change in changes:
        yield from _change(compared, change, width, style)


def _change(compared: Compared, change: Change, width: int, style: Style) -> Iterable[str]:
    severity = change.severity.value
    tag = f"{style(severity, severity)} {change.about.rule} {change.about.name}"
    if change.attribute:
        declared = style(show_value(change.attribute, change.declared), "good")
        live = style(show_value(change.attribute, change.live), "bad")
        line = compared.line_of(change)
        where = f" (line {line})" if line else ""
        yield f"    {show_path(change.attribute)}: declared {declared}{where}, live {live}"
    elif change.action in _SENTENCES:
        yield f"    {_SENTENCES[change.action]}"
        shown = change.live if change.declared is None else change.declared
        yield from (style(line, "dim") for line in wrapped(show_value((), shown), "    ", width))
    else:
        yield f"    lives under the name {show_value((), change.live)}"
    yield from wrapped(visible(change.consequence), "      ", width)
    how = f"tolerated: {visible(change.tolerated)}" if change.tolerated else repair_of(change)
    yield f"      {tag}; {how}"


def _note(note: StatusNote, width: int, style: Style) -> Iterable[str]:
    severity = note.about.severity.value
    yield style(f"! {note.status} {resource_name(note.kind, note.path)}", "bold")
    yield from wrapped(visible(note.sentence), "      ", width)
    yield f"      {style(severity, severity)} {note.about.rule} {note.about.name}"
