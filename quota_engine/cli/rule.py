"""`quota-engine rule`: the page of one rule, or the list of all."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path

import click

from ..model.trouble import Trouble
from .options import Output, output_options


@click.command("rule", epilog="Example: quota-engine rule QE304")
@click.argument("rule_id", required=False, metavar="[ID|NAME]")
@output_options("text", "json")
def command(rule_id: str | None, output: Output) -> int:
    """Print the page of rule ID: what it checks, why, an example, the fix, the source; without ID, list all."""
    from ..config import policies_in, read_policies
    from .rule_pages import all_rules, of_policy

    rules = {**all_rules(), **{one.id: of_policy(one) for one in read_policies(policies_in(Path())).policies}}
    if rule_id is None:
        shown = sorted(rules)
    else:
        by_name = {rule.name: rule.id for rule in rules.values()}
        wanted = by_name.get(rule_id.lower(), rule_id.upper())
        if wanted not in rules:
            near = get_close_matches(wanted, rules, n=3, cutoff=0.5) or get_close_matches(rule_id, by_name, n=3)
            raise Trouble(
                f"there is no rule {rule_id!r}", fix=f"see {', '.join(near)}" if near else "see quota-engine rule"
            )
        shown = [wanted]
    if output.format == "json":
        output.emit(json.dumps([rules[key].as_json() for key in shown], indent=2, ensure_ascii=False))
    elif rule_id is None:
        output.emit("\n".join(rules[key].line() for key in shown))
    else:
        output.emit(rules[shown[0]].text())
    return 0
