"""Drift for programs. Version 1; documented in docs/drift.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quota_engine import __version__

from ..drift import Change, StatusNote, Unreadable, overall
from .diagnostics_json import span_as_json
from .drift_view import Compared

VERSION = 1


def render(compared: Sequence[Compared]) -> str:
    """Return one JSON document for all comparisons, in the order given."""
    document = {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "outcome": overall(one.report for one in compared).value,
        "stacks": [_stack(one) for one in compared],
    }
    return json.dumps(document, indent=2) + "\n"


def _stack(compared: Compared) -> dict[str, Any]:
    report = compared.report
    return {
        "name": report.name,
        "account": report.account,
        "region": report.region,
        "outcome": report.outcome.value,
        "exit_code": report.exit_code,
        "compared": {kind.value: count for kind, count in (report.compared or {}).items()},
        "share_tags_compared": report.share_tags_compared,
        "changes": [_change(compared, change) for change in report.changes],
        "status_notes": [_note(compared, note) for note in report.notes],
        "unreadable": [_gap(gap) for gap in report.unreadable],
    }


def _change(compared: Compared, change: Change) -> dict[str, Any]:
    return {
        "rule": change.about.rule,
        "name": change.about.name,
        "severity": change.severity.value,
        "action": change.action.value,
        "kind": change.kind.value,
        "path": list(change.path),
        "resource": list(change.resource),
        "attribute": list(change.attribute),
        "declared": change.declared,
        "live": change.live,
        "consequence": change.consequence,
        "repaired_by_refresh": change.repaired_by_refresh,
        "tolerated": change.tolerated or None,
        **span_as_json(compared.span(change.path)),
    }


def _note(compared: Compared, note: StatusNote) -> dict[str, Any]:
    return {
        "rule": note.about.rule,
        "name": note.about.name,
        "severity": note.about.severity.value,
        "kind": note.kind.value,
        "path": list(note.path),
        "status": note.status,
        "status_reason": note.reason,
        "message": note.sentence,
        "counts": note.counts,
        **span_as_json(compared.span(note.path)),
    }


def _gap(gap: Unreadable) -> dict[str, Any]:
    return {
        "rule": gap.about.rule,
        "name": gap.about.name,
        "path": list(gap.path),
        "what": gap.what,
        "operation": gap.problem.operation,
        "code": gap.problem.code,
        "message": gap.problem.message,
    }
