"""What a rule is, and the one list of all rules. A rule is a function that judges a value and yields faults.

Adding one takes a function with the decorator and two case files; the pages, the command line and every output follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeVar

from ..model.diagnostic import Diagnostic, Severity
from ..model.stack import Path

Fault = tuple[Path, str, str, str]
"""(path below the judged value, what, why, fix). A path that ends in `KEY` means a key, not its value."""

Judge = TypeVar("Judge", bound=Callable[..., Iterator[Fault]])

SCOPES: Final = ("share", "environment", "policy", "queue", "stack", "scenario", "account")
"""What a rule judges: one resource, a stack as a whole, a scenario, or the stacks of one account."""

HEADINGS: Final = ("What it checks", "Why it is wrong", "Example", "Use instead")
"""What a rule's docstring holds, in this order; the page adds the source."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule. `reads` names the sections of a stack without which it can't judge.

    What an `is_local` rule says of a resource rests on that one and on the service environments, so that a fault in
    another resource does not silence it.
    """

    id: str
    name: str
    severity: Severity
    source: str
    scopes: tuple[str, ...]
    judge: Callable[..., Iterator[Fault]]
    reads: tuple[str, ...] = ()
    is_local: bool = False

    @property
    def page(self) -> str:
        """The rule's explanation: its docstring's sections, and its source."""
        return f"{inspect.getdoc(self.judge)}\n\nSource\n  {self.source}\n"

    def run(self, value: Any, path: Path) -> Iterator[Diagnostic]:
        """Judge `value`, which stands at `path`; nobody reads more than `FAULTS_MAX` findings of one rule about it."""
        faults = self.judge(value)
        for below, what, why, fix in islice(faults, FAULTS_MAX):
            yield Diagnostic(self.id, self.name, self.severity, what, (*path, *below), None, why, fix)
        for below, what, why, fix in islice(faults, 1):
            more = f"{what}; more findings of this rule are not shown"
            yield Diagnostic(self.id, self.name, self.severity, more, (*path, *below), None, why, fix)


FAULTS_MAX: Final = 250
"""Findings of one rule about one value. Only a file with many times what the service allows has more."""

_RULES: Final[dict[str, Rule]] = {}
RULES: Final[Mapping[str, Rule]] = MappingProxyType(_RULES)
"""Every rule by id, in order of id once all modules are imported."""


def register(rule: Rule) -> None:
    """Add a rule; a second one of the same id or name is our bug and raises."""
    taken = {known.name for known in _RULES.values()}
    if rule.id in _RULES or rule.name in taken:
        raise ValueError(f"rule {rule.id} {rule.name} is registered twice")
    if not set(rule.scopes) <= set(SCOPES):
        raise ValueError(f"rule {rule.id} has an unknown scope: {rule.scopes}")
    _RULES[rule.id] = rule


def rule(
    rule_id: str,
    name: str,
    severity: Severity,
    *,
    scopes: tuple[str, ...],
    source: str,
    reads: Iterable[str] = (),
    is_local: bool = False,
) -> Callable[[Judge], Judge]:
    """Register the decorated function, which takes a value of one of the scopes and yields faults."""

    def decorate(judge: Judge) -> Judge:
        register(Rule(rule_id, name, severity, source, scopes, judge, tuple(reads), is_local))
        return judge

    return decorate


def of_scope(scope: str) -> list[Rule]:
    """Return the rules that judge a value of this scope, by id."""
    return [RULES[key] for key in sorted(RULES) if scope in RULES[key].scopes]


def page(rule_id: str) -> str:
    """Return a rule's page. Raises KeyError for an id that is not registered."""
    return RULES[rule_id].page
