"""The front door: a path → `Loaded`, a value with everything that was found on the way to it.

Reading, merging, shape, building, in this order; each goes as far as it can, so that one run reports all there is. The
rules are not run here (config may not know them): `Loaded.findings(rules.check_stack)` joins the two.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from ..model.diagnostic import Diagnostic, Positions, Severity
from ..model.stack import Path, Stack
from ..model.work import ApplyStack, Event, Scenario
from .build_scenario import build_event, build_expectation, build_jobs, build_timing, copy_names, milliseconds
from .build_stack import build_stack
from .defaults import apply_defaults, values_added
from .document import Document, Ignores, read_document
from .extends import Family, read_family, strip_nulls
from .findings import FINDINGS_MAX, did_you_mean, finding, nearest, respelt, too_many
from .overlay import FILE, Overlay, lay_over, text_of
from .policies import policy
from .references import check_references, choose_queue
from .schema import KINDS
from .shape import Shape, check_shape
from .source import Unreadable
from .supplements import Supplement, baseline, fleet
from .tree import Node, plain, positions
from .wording import seen
from .yaml_text import EXPANSION_MAX

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
    entries: Mapping[str, int] = field(default_factory=dict)
    """Name of a scenario's job, or of the first of its copies → its entry in the file."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """A stack as plain data: merged, its own defaults laid in, without what was faulty."""

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
        """Put a job's entry in the place of its name."""
        match found.path:
            case ("jobs", str(name), *below) if name in self.entries:
                return replace(found, path=("jobs", self.entries[name], *below))
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


def load_stack(path: str | os.PathLike[str], overlay: Overlay = ()) -> Loaded[Stack]:
    """Read a stack with all it extends, the values of `overlay` laid over it. Raises `Unreadable`."""
    return _stack(read_document(os.fspath(path)), overlay)


def load_scenario(path: str | os.PathLike[str], overlay: Overlay = ()) -> Loaded[Scenario]:
    """Read a scenario and the stacks it names. Raises `Unreadable` for the scenario's own file only.

    `overlay` is laid over the stack that it runs on, and not over others that its events apply.
    """
    return _scenario(read_document(os.fspath(path)), overlay)


def load_document(path: str | os.PathLike[str]) -> Loaded[Stack | Scenario | None]:
    """Read what the file says it is: a stack or a scenario; other kinds have no value here. Raises `Unreadable`."""
    document = read_document(os.fspath(path))
    kind = document.tree.at("kind") if document.tree else None
    match kind.content if kind else None:
        case "scenario":
            return _scenario(document)
        case "stack":
            return _stack(document)
        case "fragment":
            return _fragment(document)
        case "fleet":
            return _supplement(document, "fleet", fleet(document))
        case "baseline":
            return _supplement(document, "baseline", baseline(document))
        case "policy":
            return _supplement(document, "policy", policy(document))
        case _:
            return _unknown(document, kind)


def _sorted(found: Iterable[Diagnostic], where: Positions) -> tuple[Diagnostic, ...]:
    return tuple(unique(where.locate(found)))


def _has_errors(found: Iterable[Diagnostic]) -> bool:
    return any(one.severity is Severity.ERROR for one in found)


def _stack(document: Document, overlay: Overlay = ()) -> Loaded[Stack]:
    tree, family = read_family(document)
    if tree is None:
        return _nothing(document, "stack", family)
    if overlay:
        tree = lay_over(tree, overlay)
        family.sources[FILE] = text_of(overlay)
    complete = _with_defaults(tree, family)
    shape = check_shape("stack", complete)
    where = positions(complete)
    diagnostics = _sorted([*family.diagnostics, *shape.diagnostics], where)
    data = _data(shape)
    draft = build_stack(data) if shape.is_complete else None
    failed = _has_errors(diagnostics)
    return Loaded(
        file=document.file,
        kind="stack",
        value=None if failed else draft,
        diagnostics=diagnostics,
        positions=where,
        sources=family.sources,
        draft=draft if family.is_complete else None,
        broken=shape.broken,
        ignores=family.ignores,
        data=data,
    )


def _with_defaults(tree: Node, family: Family) -> Node:
    """Lay the stack's own defaults under its resources, unless they would swell to millions of values."""
    if values_added(tree) <= EXPANSION_MAX:
        return apply_defaults(tree)
    message = f"tags and quota_share_defaults of this stack add more than {EXPANSION_MAX:,} values to its resources"
    family.diagnostics.append(finding("QE111", message, span=tree.span, fix="divide the stack"))
    family.is_complete = False
    return tree


def _data(shape: Shape) -> Mapping[str, Any]:
    data = plain(shape.tree)
    return data if isinstance(data, dict) else {}


def _nothing(document: Document, kind: str, family: Family | None = None) -> Loaded[Any]:
    """Return what there is of a file whose text could not be read."""
    sources = family.sources if family else {document.file: document.text}
    found = family.diagnostics if family else document.diagnostics
    return Loaded(document.file, kind, None, tuple(unique(found)), sources=sources)


_OF_EXTENDS: Final = ("QE211", "QE213")
"""What is wrong with a fragment's own `extends`, whoever extends it. Its folder a stack above it may widen."""


def _fragment(document: Document) -> Loaded[None]:
    """Judge a fragment's own text and keys; what it declares is judged in the stacks that extend it."""
    if document.tree is None:
        return _nothing(document, "fragment")
    tree = strip_nulls(document.tree)
    shape = check_shape("fragment", tree)
    where = positions(tree)
    _, family = read_family(document)
    of_extends = [one for one in family.diagnostics if one.rule in _OF_EXTENDS]
    diagnostics = _sorted([*document.diagnostics, *shape.diagnostics, *of_extends], where)
    sources = family.sources if of_extends else {document.file: document.text}
    return Loaded(document.file, "fragment", None, diagnostics, where, sources, ignores=document.ignores)


def _supplement(document: Document, kind: str, read: Supplement[Any]) -> Loaded[None]:
    """Take over what was found in a file that stands beside declarations; what it names is judged where it is used."""
    return Loaded(document.file, kind, None, read.diagnostics, read.positions, read.sources, ignores=document.ignores)


_TELLING: Final = {
    "jobs": "scenario",
    "job_queues": "stack",
    "service_environments": "stack",
    "scheduling_policies": "stack",
    "region": "stack",
    "stacks": "fleet",
    "accept": "baseline",
    "schema": "policy",
}
"""Key that only one kind has → that kind."""


def _unknown(document: Document, kind: Node | None) -> Loaded[None]:
    """Say that a file does not tell what it is."""
    if document.tree is None:
        return _nothing(document, "")
    choices = ", ".join(KINDS)
    if kind is None:
        start = replace(document.tree.span, end_line=document.tree.span.line, end_column=document.tree.span.column + 1)
        message = "the document does not say what it is"
        likely = next((kind for key, kind in _TELLING.items() if key in document.tree.members), None)
        fix = f"add kind: {likely or choices.replace(', ', ' | ')}"
        found = finding("QE209", message, span=start, path=("kind",), fix=fix)
    else:
        match = nearest(kind.written, KINDS)
        fix = did_you_mean(kind.written, KINDS) if match else f"write one of {choices}"
        found = finding(
            "QE209",
            f"kind is {seen(kind)}; it can be {choices}",
            span=kind.span,
            path=("kind",),
            fix=fix,
            replacement=respelt(kind.written, KINDS),
        )
    return Loaded(
        document.file,
        "",
        None,
        tuple(unique([*document.diagnostics, found])),
        positions(document.tree),
        {document.file: document.text},
    )


def _scenario(document: Document, overlay: Overlay = ()) -> Loaded[Scenario]:
    if document.tree is None:
        return _nothing(document, "scenario")
    where = positions(document.tree)
    shape = check_shape("scenario", document.tree)
    data = _data(shape)
    found = [*document.diagnostics, *shape.diagnostics]
    if not shape.is_complete:
        diagnostics = _sorted(found, where)
        return Loaded(document.file, "scenario", None, diagnostics, where, {document.file: document.text})
    stacks: dict[str, Loaded[Stack] | None] = {}
    own = _named_stack(document, data.get("stack"), ("stack",), stacks, found, overlay)
    queue_name = ""
    if own is not None and own.draft is not None:
        queue, problems = choose_queue(own.draft, data.get("queue"))
        found += problems
        if queue is not None:
            queue_name = queue.name
            found += _first(_not_taken_out(shape.broken, check_references(data, own.draft, queue)))
    events = _events(document, data, queue_name, stacks, found)
    parts = tuple(stack for stack in stacks.values() if stack is not None)
    diagnostics = _sorted([*found, *(one for part in parts for one in part.diagnostics)], where)
    value = None
    if own is not None and own.value is not None and not _has_errors(diagnostics):
        value = _build(data, own.value, queue_name, events)
    sources = {document.file: document.text}
    for part in parts:
        sources.update(part.sources)
    return Loaded(
        document.file,
        "scenario",
        value,
        diagnostics,
        where,
        sources,
        ignores=document.ignores,
        stacks=parts,
        entries={copy_names(job)[0]: index for index, job in enumerate(data.get("jobs", ()))} if value else {},
    )


_OF_PARTS: Final = ("QE510",)
"""What is said of a value for what it lacks; not said where that was there, but faulty."""


def _not_taken_out(broken: Collection[Path], found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what is said of a value only because a part of it was faulty and was taken out."""
    above = {path[:length] for path in broken for length in range(len(path) + 1)}
    return (one for one in found if one.rule not in _OF_PARTS or one.path not in above)


def _first(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return no more findings than anybody reads, the last of them saying so."""
    shown = list(islice(found, FINDINGS_MAX + 1))
    if len(shown) > FINDINGS_MAX:
        shown[FINDINGS_MAX] = too_many(path=shown[FINDINGS_MAX].path)
    return shown


def _build(data: Mapping[str, Any], stack: Stack, queue: str, events: list[Event]) -> Scenario:
    return Scenario(
        description=data.get("description", ""),
        stack=stack,
        queue=queue,
        jobs=build_jobs(data.get("jobs", [])),
        events=tuple(events),
        expectations=tuple(build_expectation(i, entry) for i, entry in enumerate(data.get("expect", ()))),
        timing=build_timing(data.get("timing", {})),
        assumptions=data.get("assumptions", {}),
        until_ms=milliseconds(data.get("until")),
    )


def _named_stack(
    document: Document,
    name: str | None,
    path: Path,
    stacks: dict[str, Loaded[Stack] | None],
    found: list[Diagnostic],
    overlay: Overlay = (),
) -> Loaded[Stack] | None:
    """Load a stack that the scenario names at `path`, once; a finding where that can't be."""
    if name is None:
        return None
    file = posixpath.normpath(posixpath.join(posixpath.dirname(document.file), name.replace(os.sep, "/")))
    if file not in stacks:
        try:
            stacks[file] = load_stack(file, overlay)
        except Unreadable as error:
            stacks[file] = None
            message = f"the stack {name} can't be read: {error.reason}"
            found.append(finding("QE501", message, path=path, fix="name a stack's file, relative to the scenario"))
    loaded = stacks[file]
    if loaded is not None and loaded.value is None:
        message = f"the stack {name} has errors of its own"
        found.append(finding("QE502", message, path=path, fix=f"run quota-engine validate {file}"))
    return loaded


def _events(
    document: Document,
    data: Mapping[str, Any],
    queue: str,
    stacks: dict[str, Loaded[Stack] | None],
    found: list[Diagnostic],
) -> list[Event]:
    """Build the events, loading the stacks that `apply` names."""
    events: list[Event] = []
    for index, entry in enumerate(data.get("events", ())):
        if not isinstance(entry, dict) or "at" not in entry:
            continue
        path: Path = ("events", index, "apply")
        applied = _named_stack(document, entry.get("apply"), path, stacks, found)
        if applied is not None and applied.value is not None:
            if queue and queue not in applied.value.job_queues:
                message = f"the stack {entry['apply']} has no job queue '{queue}'"
                fix = did_you_mean(queue, applied.value.job_queues)
                found.append(finding("QE503", message, path=path, fix=fix))
            events.append(ApplyStack(milliseconds(entry["at"]) or 0, applied.value, applied.file))
            continue
        event = None if "apply" in entry else _event(entry)
        if event is not None:
            events.append(event)
    return events


def _event(entry: Mapping[str, Any]) -> Event | None:
    """Build an event from data whose faulty values were taken out; None where too little is left."""
    try:
        return build_event(entry)
    except (KeyError, TypeError):
        return None
