"""All rules in one list, whichever part they belong to: text and shape (config), resources (rules), drift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ..model.policy import Policy


@dataclass(frozen=True, slots=True)
class RulePage:
    """What `quota-engine rule` shows of one rule."""

    id: str
    name: str
    severity: str
    page: str

    def line(self) -> str:
        return f"{self.id}  {self.severity:<8}{self.name}"

    def text(self) -> str:
        return f"{self.id} {self.name} ({self.severity})\n\n{self.page}"

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def of_policy(policy: Policy) -> RulePage:
    """Return the page of an organisation's own policy."""
    page = (
        f"What it checks\n  {policy.message}\n\nWhy it is wrong\n  {policy.why or 'it is a policy here'}\n\n"
        f"Use instead\n  {policy.fix or 'what the policy allows'}\n\nSource\n  {policy.file}\n"
    )
    return RulePage(policy.id, policy.name, policy.severity.value, page)


def all_rules() -> Mapping[str, RulePage]:
    """Return every rule by id."""
    from ..config.findings import FINDINGS
    from ..drift import KINDS
    from ..rules import RULES, page

    pages = [RulePage(kind.id, kind.name, kind.severity.value, kind.page) for kind in FINDINGS.values()]
    pages += [RulePage(rule.id, rule.name, rule.severity.value, page(rule.id)) for rule in RULES.values()]
    pages += [RulePage(kind.rule, kind.name, kind.severity.value, kind.page) for kind in KINDS.values()]
    return {rule.id: rule for rule in sorted(pages, key=lambda one: one.id)}
