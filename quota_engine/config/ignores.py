"""Comments that silence nothing: `# quota-engine: ignore[QE304]` that names no rule, or no finding of its line.

Whether a comment is of use is known only when all files of a run are judged: a fragment's is used by a stack that
extends it, and nothing can be said where a fault kept the rules from being asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..model.diagnostic import Diagnostic, Severity, Span
from .document import Ignores
from .findings import FINDINGS, finding
from .loaded import Loaded

Place = tuple[str, int]


def unused_ignores(
    judged: Iterable[tuple[Loaded[object], Iterable[Diagnostic]]], known: Iterable[str]
) -> list[Diagnostic]:
    """Return a warning for each rule that a comment names in vain.

    `judged` holds every file of the run with its silenced findings, `known` the ids of all rules.
    """
    stated: dict[Place, Mapping[str, Span]] = {}
    decided: set[Place] = set()
    used: set[tuple[Place, str]] = set()
    for loaded, silenced in judged:
        for part in loaded.parts:
            stated.update(part.ignores)
            if loaded.is_judged:
                decided.update(part.ignores)
        used.update(((one.span.file, one.span.line), one.rule) for one in silenced if one.span)
    return [one for place in sorted(stated) for one in _unused(place, stated, decided, used, set(known))]


def _unused(
    place: Place, stated: Ignores, decided: set[Place], used: set[tuple[Place, str]], known: set[str]
) -> Iterable[Diagnostic]:
    for rule, span in stated[place].items():
        kind = FINDINGS.get(rule)
        if rule not in known:
            message = f"this comment ignores {rule}, and there is no such rule"
            yield finding("QE118", message, span=span, fix="quota-engine rule lists them all")
        elif kind is not None and kind.severity is Severity.ERROR:
            message = f"this comment ignores {rule}, which can't be silenced"
            why = "an error of the text or the shape leaves nothing to go on with"
            yield finding("QE118", message, span=span, why=why, fix="remove the comment, and correct the error")
        elif place in decided and (place, rule) not in used:
            message = f"this comment ignores {rule}, and nothing of it is found in this line"
            yield finding("QE118", message, span=span, fix="remove the comment")
