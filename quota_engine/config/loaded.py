"""What became of a file: its value, with everything that was found on the way to it, and where that stands.

The rules are not run here (config may not know them): `Loaded.findings(rules.check_stack)` joins the two.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ..model.diagnostic import Diagnostic, Positions, Severity
from ..model.stack import Path, Stack
from ..model.work import Scenario
from .document import Document, Ignores
from .links import Family

T = TypeVar("T", covariant=True)
StackCheck = Callable[[Stack, Collection[Path]], Iterable[Diagnostic]]
"""A judgement of a stack, given the paths whose values are missing because they were faulty."""
WorkCheck = Callable[[Scenario], Iterable[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Loaded(Generic[T]):
    """What became of a file. `value` is None when `diagnostics` holds any error; `draft` is what could be built anyway.

    `sources` maps every file that was read to its text (LF line ends, no byte order mark). `stacks` holds what a
    scenario loads. Findings of `diagnostics` are located, ordered, and include those of `stacks`.
    """

    file: str
    kind: str
    value: T | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    positions: Positions = field(default_factory=Positions)
    sources: Mapping[str, str] = field(default_factory=dict)
    draft: Stack | None = None
    broken: frozenset[Path] = frozenset()
    ignores: Ignores = field(default_factory=dict)
    stacks: tuple[Loaded[Stack], ...] = ()
    entries: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """("jobs" or "workloads", name) → entry of that list, all included files' before the file's own. A job's name, or
    that of the first of its copies."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """A stack as plain data: merged, its own defaults laid in, without what was faulty."""
    is_foreign: bool = False
    """Whether it says nothing that only a file of ours would: it is for another program."""

    def findings(self, check: StackCheck, check_work: WorkCheck | None = None) -> list[Diagnostic]:
        """Return all findings but the silenced ones: config's own, those of `check` on every stack here, and those of
        `check_work` on a scenario that can be run. An error of config's own can't be silenced: it leaves no value.
        """
        return self.silence(self.judged(check, check_work))[0]

    def judged(self, check: StackCheck, check_work: WorkCheck | None = None) -> list[Diagnostic]:
        """Return what the checks find, located, silenced or not."""
        found: list[Diagnostic] = []
        for part in self.parts:
            if part.draft is not None:
                found += part.positions.locate(check(part.draft, part.broken))
        if check_work is not None and isinstance(self.value, Scenario):
            found += self.positions.locate(self._with_entry(one) for one in check_work(self.value))
        return found

    def _with_entry(self, found: Diagnostic) -> Diagnostic:
        """Put the entry of a job or workload in the place of its name."""
        match found.path:
            case (str(key), str(name), *below) if (key, name) in self.entries:
                return replace(found, path=(key, self.entries[key, name], *below))
            case _:
                return found

    def silence(self, judged: Iterable[Diagnostic]) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Divide config's own findings and located ones of others into those to report, and the silenced ones."""
        shown = [one for one in self.diagnostics if one.severity is Severity.ERROR]
        silenced: list[Diagnostic] = []
        own = (one for one in self.diagnostics if one.severity is not Severity.ERROR)
        for one in (*judged, *own):
            (silenced if any(_is_silenced(one, part.ignores) for part in self.parts) else shown).append(one)
        return unique(shown), silenced

    @property
    def parts(self) -> tuple[Loaded[Any], ...]:
        """What was read here: the file itself, and the stacks it names."""
        return (self, *self.stacks)

    @property
    def is_judged(self) -> bool:
        """Whether all checks had their say: nothing was missing or broken."""
        whole = all(part.draft is not None and not part.broken for part in self.stacks or (self,))
        return self.value is not None or (self.kind == "stack" and whole)


def _is_silenced(found: Diagnostic, ignores: Ignores) -> bool:
    span = found.span
    return span is not None and found.rule in ignores.get((span.file, span.line), ())


def unique(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Order findings by position; one that several resources inherit, or several files lead to, stands once."""
    kept: dict[object, Diagnostic] = {}
    for found in sorted(findings, key=lambda one: one.sort_key):
        cause = found.path[-1:] if found.path and found.span else found.message
        kept.setdefault((found.rule, found.span, cause), found)
    return list(kept.values())


def in_order(found: Iterable[Diagnostic], where: Positions) -> tuple[Diagnostic, ...]:
    """Locate findings and order them."""
    return tuple(unique(where.locate(found)))


def has_errors(found: Iterable[Diagnostic]) -> bool:
    return any(one.severity is Severity.ERROR for one in found)


def nothing(document: Document, kind: str, family: Family | None = None) -> Loaded[Any]:
    """Return what there is of a file whose text could not be read."""
    sources = family.sources if family else {document.file: document.text}
    found = family.diagnostics if family else document.diagnostics
    return Loaded(document.file, kind, None, tuple(unique(found)), sources=sources)
