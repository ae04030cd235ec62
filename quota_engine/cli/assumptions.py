"""`quota-engine assumptions`: what the scheduling model takes for granted, with status and source."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ..scheduler.assumptions import LEGAL
from ..scheduler.points import POINTS, Point
from .options import Output, output_options


@click.command("assumptions", epilog="Example: quota-engine assumptions --format json")
@output_options("text", "json", "markdown")
def command(output: Output) -> int:
    """List every choice the model makes where AWS's documentation is silent, and how to change it."""
    match output.format:
        case "json":
            output.emit(json.dumps([_as_json(point) for point in POINTS], indent=2, ensure_ascii=False))
        case "markdown":
            output.emit(_as_markdown())
        case _:
            output.emit("\n\n".join(_as_text(point, output) for point in POINTS))
    return 0


def _as_json(point: Point) -> dict[str, str | None]:
    return {**asdict(point), "legal": LEGAL.get(point.switch or "")}


def _as_text(point: Point, output: Output) -> str:
    lines = [
        f"{output.style(point.number, 'bold')} {point.title} ({point.status.value})",
        f"  the model: {point.statement}",
        f"  instead:   {point.alternatives}",
        f"  source:    {point.source}",
    ]
    if point.switch:
        legal = LEGAL.get(point.switch)
        lines.append(f"  switch:    {point.switch}{f' ({legal})' if legal else ''}")
    return "\n".join(lines)


def _as_markdown() -> str:
    rows = ["| no | point | the model | status | switch | source |", "|---|---|---|---|---|---|"]
    for point in POINTS:
        switch = f"`{point.switch}`" if point.switch else ""
        cells = (point.number, point.title, point.statement, point.status.value, switch, point.source)
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)
