"""From paths on the command line to checked values: reads, judges, and stops with every finding where needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from ..config import Loaded, Overlay, Supplement, load_baseline, load_fleet, load_scenario, load_stack
from ..model.diagnostic import Diagnostic, Positions, Severity
from ..model.stack import Stack
from ..model.supplements import Baseline, Fleet
from ..model.trouble import Trouble
from ..model.work import Scenario
from ..rules import check_scenario, check_stack
from .folders import refuse_folder
from .options import Given, Output

DOCS_URL = "QUOTA_ENGINE_DOCS_URL"
"""Environment variable: the address below which the rules' pages (docs/rules) can be read."""

T = TypeVar("T", bound=Stack | Scenario)
S = TypeVar("S", Fleet, Baseline)


class Invalid(Trouble):
    """A declaration with errors, given to a command that needs a good one; carries the errors.

    What else was found in it, or in a stack that it names, does not stop the command: the errors would drown in it.
    """

    def __init__(self, what: str, found: Findings) -> None:
        errors = tuple(one for one in found.diagnostics if one.severity is Severity.ERROR)
        others = len(found.diagnostics) - len(errors)
        more = f", with {others} warnings and notes" if others > 1 else ", with a warning or note" if others else ""
        super().__init__(what, fix=f"correct the errors above; quota-engine validate shows them again{more}")
        self.found = replace(found, diagnostics=errors)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in `files`, ordered by position, with the text it was found in.

    `skipped` says which files were passed over, and why.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    files: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def without_notes(self) -> Findings:
        return replace(self, diagnostics=tuple(one for one in self.diagnostics if one.severity is not Severity.NOTE))

    def render(self, output: Output) -> str:
        """Return the findings in the format that `output` asks for; only that format's renderer is loaded."""
        docs = os.environ.get(DOCS_URL, "")
        match output.format:
            case "json":
                from ..report import diagnostics_json

                return diagnostics_json.render(self.diagnostics, checked=len(self.files), docs=docs)
            case "sarif":
                from ..report import diagnostics_sarif
                from .rule_pages import all_rules

                pages = {rule: page.page for rule, page in all_rules().items()}
                return diagnostics_sarif.render(self.diagnostics, pages=pages, docs=docs)
            case "junit":
                from ..report import diagnostics_junit

                return diagnostics_junit.render(self.diagnostics, self.files)
            case "github":
                from ..report import diagnostics_github

                return diagnostics_github.render(self.diagnostics)
            case "markdown":
                from ..report import diagnostics_markdown

                return diagnostics_markdown.render(self.diagnostics, checked=len(self.files))
            case _:
                return self.as_text(output)

    def as_text(self, output: Output) -> str:
        from ..report import diagnostics_text

        return diagnostics_text.render(
            self.diagnostics, self.sources, checked=len(self.files) or None, width=output.width, style=output.style
        )


@dataclass(frozen=True, slots=True)
class Good(Generic[T]):
    """A file without errors: its value, where that stands, and the warnings and notes it has all the same.

    `account` tells what became of a history's lines, "" where none is replayed.
    """

    value: T
    positions: Positions
    found: Findings
    account: str = ""


def good_stack(path: Path) -> Good[Stack]:
    """Return the stack at `path`; raises Invalid with all its findings when any is an error."""
    refuse_folder(path, "stack")
    return _good(load_stack(path), path)


def declared_scenario(path: Path, given: Given = Given(), overlay: Overlay = ()) -> Good[Scenario]:  # noqa: B008 - frozen
    """Return the scenario at `path` as it is declared, with nothing generated yet, under what the command line gives.

    The jobs of its history are read. `overlay` is laid over its stack. Raises Invalid when it, or a file it names, has
    an error.
    """
    refuse_folder(path, "scenario")
    good = _good(load_scenario(path, overlay, given.parameters), path)
    if given.seed is not None:
        good = replace(good, value=replace(good.value, seed=given.seed))
    return good if good.value.replay is None else _with_history(good, path, given)


def _with_history(good: Good[Scenario], path: Path, given: Given) -> Good[Scenario]:
    """Read the jobs that the scenario replays; raises Invalid where too many lines can't be used."""
    from .replay import replayed

    read = replayed(good.value, good.positions, max_bad=given.max_bad, quiet=given.is_quiet)
    found = replace(good.found, diagnostics=(*good.found.diagnostics, *read.found))
    if read.scenario is None or read.is_bad:
        raise Invalid(f"{path} can't replay its history", found)
    return Good(read.scenario, good.positions, found, read.account)


def good_scenario(path: Path, given: Given = Given()) -> Good[Scenario]:  # noqa: B008 - frozen
    """Return the scenario at `path` with all its jobs, ready to be run; raises Invalid as `declared_scenario` does."""
    good = declared_scenario(path, given)
    return replace(good, value=ready(good.value, path))


def ready(scenario: Scenario, path: Path) -> Scenario:
    """Return a declared scenario with all its jobs. The one place where commands have them generated."""
    from ..workloads import TooManyJobs, prepare

    try:
        return prepare(scenario)
    except TooManyJobs as error:
        raise Trouble(f"{path} can't be run: {error}", fix="lower the rates, or shorten the time") from error


def good_fleet(path: Path) -> Fleet:
    """Return the fleet at `path`; raises Invalid with all its findings when any is an error."""
    return _good_supplement(load_fleet(path), path)


def good_baseline(path: Path) -> Baseline:
    """Return the accepted differences at `path`; raises Invalid with all its findings when any is an error."""
    return _good_supplement(load_baseline(path), path)


def _good_supplement(loaded: Supplement[S], path: Path) -> S:
    if loaded.value is None:
        raise Invalid(f"{path} has errors", Findings(loaded.diagnostics, loaded.sources))
    return loaded.value


def _good(loaded: Loaded[T], path: Path) -> Good[T]:
    found = Findings(tuple(loaded.findings(check_stack, check_scenario)), loaded.sources)
    if loaded.value is None or any(one.severity is Severity.ERROR for one in found.diagnostics):
        raise Invalid(f"{path} has errors", found)
    return Good(loaded.value, loaded.positions, found)
