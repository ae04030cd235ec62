"""Durations on the command line, spelled as in files: 250ms, 30s, 1h30m, 2d."""

from __future__ import annotations

import click

from ..model.durations import EXAMPLES, parse_duration

FOREVER = "forever"


class Duration(click.ParamType[int | None]):
    """An option's value in milliseconds; with `forever_allowed`, the word "forever" gives None."""

    name = "duration"

    def __init__(self, *, forever_allowed: bool = False) -> None:
        self.forever_allowed = forever_allowed

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value == FOREVER and self.forever_allowed:
            return None
        milliseconds = parse_duration(str(value))
        if milliseconds is None:
            self.fail(f"{value!r} is not a duration; write {EXAMPLES}", param, ctx)
        return milliseconds
