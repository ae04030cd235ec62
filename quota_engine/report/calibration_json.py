"""A calibration for programs. Version 1; documented in docs/calibrate.md. It names no account."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from quota_engine import __version__

from ..calibrate import Alternative, Calibration, Score

VERSION = 1


def render(found: Calibration) -> str:
    record = found.record
    document = {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "stack": found.stack,
        "queue": record.queue,
        "jobs": len(record.courses),
        "bad_lines": [asdict(one) for one in record.bad],
        "other_lines": record.other_lines,
        "tolerance_ms": found.tolerance_ms,
        "timing": asdict(found.timing),
        "assumptions_changed": dict(found.assumptions),
        "score": _score(found.score),
        "shares": [asdict(error) for error in found.shares],
        "decisions": [{**asdict(one), "error_ms": one.error_ms} for one in found.found],
        "better": _alternatives(found.better),
        "same": _alternatives(found.same),
        "worse": _alternatives(found.worse),
        "adopted": _alternatives(found.adopted),
        "best": _score(found.best),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=list) + "\n"


def _score(score: Score) -> dict[str, Any]:
    return {**asdict(score), "ratio": round(score.ratio, 6)}


def _alternatives(alternatives: Sequence[Alternative]) -> list[dict[str, Any]]:
    return [
        {"assumption": one.number, "switch": one.switch, "value": one.value, "score": _score(one.score)}
        for one in alternatives
    ]
