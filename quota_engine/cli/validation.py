"""`validate` without its options: read every file, judge each and all together, and keep what was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..config import Discovery, Loaded, Policies, discover, load_document, unused_ignores
from ..config.findings import FINDINGS
from ..model.diagnostic import KEY, Diagnostic, Severity, Span
from ..model.policy import Policy
from ..model.stack import Path as Place
from ..model.stack import Stack
from ..model.trouble import Trouble
from ..model.work import Scenario
from ..rules import check_accounts, check_scenario, check_stack
from .files import Findings
from .rule_pages import all_rules
from .selection import Selection

ALWAYS = frozenset(kind.id for kind in FINDINGS.values() if kind.severity is Severity.ERROR)
"""Errors of text, shape and reference: without a value there is nothing to judge, and no option silences that."""


def check_all(paths: Iterable[Path], selection: Selection | None = None, policies: Policies | None = None) -> Findings:
    """Check every file named or found in the folders named; raises Trouble when there is none."""
    named = list(paths)
    discovery = discover(named)
    if not discovery.files:
        raise Trouble(
            f"nothing to check in {', '.join(map(str, named))}", why="there is no .yaml, .yml or .json file in it"
        )
    own = policies or Policies()
    judged: list[tuple[Loaded[Any], list[Diagnostic], list[Diagnostic]]] = []
    files, foreign = _read(discovery)
    if not files:
        raise Trouble(
            f"nothing to check in {', '.join(map(str, named))}", why="no file in it has a kind, or a key of ours"
        )
    clashes = list(_clashes([one for one in files.values() if one.draft is not None and not one.broken]))
    for loaded in files.values():
        found = [*_judged(loaded, own), *(one for of, one in clashes if of is loaded)]
        shown, silenced = loaded.silence(found)
        judged.append((loaded, shown, silenced))
    diagnostics = [one for _, shown, _ in judged for one in shown]
    diagnostics += _unused(judged, own.policies)
    diagnostics += [one for one in own.diagnostics if one.span and one.span.file not in discovery.files]
    kept = selection or Selection()
    sources = {**own.sources, **{file: text for loaded, _, _ in judged for file, text in loaded.sources.items()}}
    return Findings(
        tuple(one for one in _once(diagnostics) if kept.keeps(one, ALWAYS)),
        sources,
        tuple(file for file in discovery.files if file not in foreign),
        (
            *(f"{file}: Pulumi's own settings" for file in discovery.skipped),
            *(f"{file}: it has no kind, and no key of ours" for file in foreign),
        ),
    )


def _read(discovery: Discovery) -> tuple[dict[str, Loaded[Any]], list[str]]:
    """Return {real path: what was read}, and the files that were found in a folder and are for another program."""
    read = {file: load_document(file) for file in discovery.files}
    foreign = [file for file, one in read.items() if one.is_foreign and file not in discovery.named]
    return {os.path.realpath(file): one for file, one in read.items() if file not in foreign}, foreign


def _judged(loaded: Loaded[Any], policies: Policies) -> list[Diagnostic]:
    """Return what rules and policies find, and what is wrong with the first lines of a history.

    A scenario's stacks are judged by policies where they are checked.
    """
    found = loaded.judged(check_stack, check_scenario)
    if isinstance(loaded.value, Scenario) and loaded.value.replay is not None:
        from .replay import LINES_CHECKED, replayed

        found += replayed(loaded.value, loaded.positions, lines_max=LINES_CHECKED).found
    return [*found, *policies.judge(loaded)]


def _clashes(loaded: Sequence[Loaded[Any]]) -> Iterator[tuple[Loaded[Any], Diagnostic]]:
    """Yield what the stacks of an account would do to each other, each with the file it is about."""
    stacks = [one for one in loaded if one.kind == "stack" and isinstance(one.draft, Stack)]
    for clash in check_accounts([one.draft for one in stacks if one.draft is not None]):
        about = stacks[clash.index]
        [located] = about.positions.locate([clash.diagnostic])
        if clash.other is not None:
            there = _place(stacks[clash.other], clash.other_path)
            located = replace(located, related=((there, "the other one"),) if there else ())
        yield about, located


def _place(loaded: Loaded[Any], path: Place) -> Span | None:
    is_key = path[-1:] == (KEY,)
    return loaded.positions.span(path[:-1] if is_key else path, key=is_key)


def _unused(
    judged: Iterable[tuple[Loaded[Any], list[Diagnostic], list[Diagnostic]]], policies: Iterable[Policy]
) -> list[Diagnostic]:
    """Return a warning for each comment that silences nothing."""
    parts = [(loaded, silenced) for loaded, _, silenced in judged]
    if not any(part.ignores for loaded, _ in parts for part in loaded.parts):
        return []
    return unused_ignores(parts, {*all_rules(), *(one.id for one in policies)})


def _once(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Order findings by position; a stack that several scenarios load is reported once."""
    seen = {(one.sort_key, one.path): one for one in diagnostics}
    return tuple(sorted(seen.values(), key=lambda one: one.sort_key))
