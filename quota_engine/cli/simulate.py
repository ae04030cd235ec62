"""`quota-engine simulate`: what a workload would borrow and preempt, and whether the expectations hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..model.trouble import Trouble
from .options import Output, output_options, worst


@click.command(
    "simulate",
    epilog="Example: quota-engine simulate scenarios/lend-and-borrow.yaml --assume victim_order=priority,oldest",
)
@click.argument("scenarios", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SCENARIO...")
@click.option(
    "--assume",
    "assumed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change an assumption of the model (see quota-engine assumptions); wins over the scenario's.",
)
@output_options("text", "json")
def command(scenarios: Sequence[Path], assumed: Sequence[str], output: Output) -> int:
    """Run each SCENARIO to its end and tell what happened: a story, a timeline, and a verdict per expectation.

    Exit 0: all expectations hold. Exit 1: some don't. Exit 2: a file has errors.
    """
    from ..scheduler.assumptions import AssumptionError, Assumptions
    from ..simulate import ScenarioError, judge, run
    from .files import good_scenario

    switches = dict(_switch(text) for text in assumed)
    loaded = [good_scenario(path) for path in scenarios]
    told: list[str] = []
    codes: list[int] = []
    for path, good in zip(scenarios, loaded, strict=True):
        scenario = replace(good.value, assumptions={**good.value.assumptions, **switches})
        try:
            Assumptions.of(scenario.assumptions)
            outcome = run(scenario)
        except (AssumptionError, ScenarioError) as error:
            raise Trouble(f"{path}: {error}", fix="see quota-engine assumptions") from error
        verdicts = judge(outcome)
        codes.append(int(not all(verdict.holds for verdict in verdicts)))
        told.append(_render(path, outcome, verdicts, output))
    output.emit("\n".join(told))
    return worst(codes)


def _switch(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--assume")
    return name.strip(), value.strip()
