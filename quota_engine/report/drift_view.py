"""What the drift renderers share: a report with the places of its declaration, and values in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..drift import Change, DriftReport, Outcome, ResourceKind, StatusNote, Unreadable, Value
from ..model.diagnostic import Diagnostic, Positions, Span
from ..model.durations import format_duration
from ..model.stack import UNLIMITED, Path
from .visible import counted, show_path, visible

REFRESH = "pulumi up --refresh"


@dataclass(frozen=True, slots=True)
class Compared:
    """One report, and where its declaration's values stand (empty where that is not known)."""

    report: DriftReport
    positions: Positions = field(default_factory=Positions)

    def span(self, path: Path) -> Span | None:
        """Return where the value at `path` is declared, or the nearest enclosing declared thing."""
        return self.positions.span(path)

    def resource_span(self, resource: Path) -> Span | None:
        """Return where a declared resource's name stands."""
        return self.positions.keys.get(resource)

    def line_of(self, change: Change) -> int | None:
        """Return the line an attribute's value is declared on; None where it is not stated, or not in the same file."""
        declared, resource = self.positions.values.get(change.path), self.resource_span(change.resource)
        return declared.line if declared and resource and declared.file == resource.file else None


def resource_name(kind: ResourceKind, path: Path) -> str:
    """Return e.g. "quota share QS1 of job queue training"."""
    name = f"{kind.value} {visible(str(path[-1]))}"
    return f"{name} of job queue {visible(str(path[1]))}" if kind is ResourceKind.QUOTA_SHARE else name


def show_value(attribute: Path, value: Value) -> str:
    """Return a declared or live value as a person reads it: -1 as unlimited, a percentage with its sign."""
    if value is None:
        return "none"
    if attribute[-1:] == ("borrow_limit",):
        return "unlimited (-1)" if value == UNLIMITED else f"{value} %"
    if attribute[:1] == ("job_state_time_limit_actions",) and isinstance(value, Mapping):
        return f"{value['action']} after {format_duration(int(str(value['max_time_seconds'])) * 1000)}"
    if isinstance(value, Mapping):
        return ", ".join(_leaves((), value))
    if isinstance(value, tuple):
        return ", ".join(visible(part) for part in value)
    return f'"{visible(str(value))}"' if attribute[:1] == ("tags",) else visible(str(value))


def _leaves(path: Path, value: Mapping[str, object]) -> list[str]:
    found: list[str] = []
    for key, inner in value.items():
        here = (*path, key)
        if isinstance(inner, Mapping) and path[:1] != ("job_state_time_limit_actions",) and "action" not in inner:
            found += _leaves(here, inner)
        else:
            found.append(f"{show_path(here)} {show_value(here, inner)}")  # type: ignore[arg-type]
    return found


def headline(report: DriftReport) -> str:
    """Return the answer in one line."""
    compared = counted(sum((report.compared or {}).values()), "resource")
    where = f"account {visible(report.account)}, {visible(report.region)}"
    name = visible(report.name)
    if report.outcome is Outcome.IN_SYNC:
        tolerated = len(report.changes)
        besides = f" ({counted(tolerated, 'tolerated difference')})" if tolerated else ""
        return f"{name}: in sync with {where}: {compared} compared{besides}"
    drifted = counted(len(report.drifted_resources), "resource")
    differ = f"{drifted} {'differs' if len(report.drifted_resources) == 1 else 'differ'}"
    if report.outcome is Outcome.UNKNOWN:
        return f"{name}: could not tell for {where}: {counted(len(report.unreadable), 'thing')} unreadable, {differ}"
    return f"{name}: drift in {where}: {differ}, {compared} compared"


def repair_hint(reports: Sequence[DriftReport]) -> str:
    """Say how many counting changes a refresh repairs; "" without changes."""
    changes = [change for report in reports for change in report.counting]
    if not changes:
        return ""
    repaired = sum(change.repaired_by_refresh for change in changes)
    if not repaired:
        return f"`{REFRESH}` does not repair this; see each change."
    what = "it" if len(changes) == 1 else "all of it"
    what = what if repaired == len(changes) else f"{repaired} of {len(changes)} changes"
    return f"`{REFRESH}` repairs {what}; plain `pulumi up` repairs nothing that was changed outside."


def repair_of(change: Change) -> str:
    """Say what repairs one change."""
    if change.repaired_by_refresh:
        return f"{REFRESH} repairs it"
    if change.action.value == "delete":
        return "declare it, or delete it by hand: Pulumi does not know it"
    return f"{REFRESH} can't repair it"


def problem_text(gap: Unreadable) -> str:
    problem = gap.problem
    return visible(f"{problem.operation}: {problem.code}: {problem.message}")


def findings(compared: Compared) -> list[Diagnostic]:
    """Return a report as diagnostics, for the formats that know nothing of drift (SARIF, JUnit, GitHub)."""
    report = compared.report
    return [
        *(_change_finding(compared, change) for change in report.changes),
        *(_note_finding(compared, note) for note in report.notes),
        *(_gap_finding(compared, gap) for gap in report.unreadable),
    ]


def _change_finding(compared: Compared, change: Change) -> Diagnostic:
    name = resource_name(change.kind, change.resource)
    match change.attribute, change.declared, change.live:
        case (), None, _:
            message = f"{name} lives in the account, but nobody declared it"
        case (), _, None:
            message = f"{name} is declared, but not in the account"
        case (), declared, live:
            message = f"{name} is declared, but lives as {show_value((), live)}, not {show_value((), declared)}"
        case attribute, declared, live:
            message = (
                f"{name}: {show_path(attribute)} is {show_value(attribute, live)} in the account, "
                f"declared is {show_value(attribute, declared)}"
            )
    return Diagnostic(
        rule=change.about.rule,
        name=change.about.name,
        severity=change.severity,
        message=message,
        path=change.path,
        span=compared.span(change.path),
        why=change.consequence,
        fix=repair_of(change),
    )


def _note_finding(compared: Compared, note: StatusNote) -> Diagnostic:
    return Diagnostic(
        rule=note.about.rule,
        name=note.about.name,
        severity=note.about.severity,
        message=note.sentence,
        path=note.path,
        span=compared.span(note.path),
    )


def _gap_finding(compared: Compared, gap: Unreadable) -> Diagnostic:
    return Diagnostic(
        rule=gap.about.rule,
        name=gap.about.name,
        severity=gap.about.severity,
        message=f"could not read {gap.what}",
        path=gap.path,
        span=compared.span(gap.path),
        why=problem_text(gap),
        fix="allow the call or try again; nothing is known about it, not even that it is missing",
    )
