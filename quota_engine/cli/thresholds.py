"""Thresholds on the command line: 10%, 30m, research=10%, and the shares that may see no new preemptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ..model.durations import EXAMPLES, parse_duration

if TYPE_CHECKING:
    from ..simulate.thresholds import Increase, Limits

NONE = "none"
"""The name that means no share at all."""
WAIT, LOST_WORK, PREEMPTIONS = "--max-wait-increase", "--max-lost-work-increase", "--no-new-preemptions"
_PERCENT = re.compile(r"([0-9]{1,6})\s*%")


def read_limits(waits: Sequence[str], lost: Sequence[str], unpreempted: Sequence[str]) -> Limits:
    """Return the thresholds that the options state; raises BadParameter for one that can't be read."""
    from ..simulate.thresholds import Limits

    named = tuple(share.strip() for value in unpreempted for share in value.split(","))
    if NONE in named and len(named) > 1:
        raise click.BadParameter(f"'{NONE}' stands alone", param_hint=PREEMPTIONS)
    return Limits(
        _increases(waits, WAIT), _increases(lost, LOST_WORK), (() if NONE in named else named) if named else None
    )


def _increases(values: Iterable[str], option: str) -> dict[str, Increase]:
    """Return {share: increase}; the last of a share wins."""
    from ..simulate.thresholds import ALL

    found = {}
    for value in values:
        share, equals, amount = value.rpartition("=")
        found[share.strip() if equals else ALL] = _increase(amount.strip(), value, option)
    return found


def _increase(amount: str, value: str, option: str) -> Increase:
    from ..simulate.thresholds import Increase

    percent = _PERCENT.fullmatch(amount)
    if percent:
        return Increase(percent=int(percent[1]))
    by_ms = parse_duration(amount)
    if by_ms is None:
        raise click.BadParameter(
            f"{value!r} is no increase; write 10% (a whole number), a duration ({EXAMPLES}), or SHARE=10%",
            param_hint=option,
        )
    return Increase(by_ms=by_ms)


def refuse_unknown(
    limits: Limits, moves: Mapping[str, str], declared: Collection[str], worked: Collection[str]
) -> None:
    """Raise UsageError for a threshold that can't be crossed, and for a move from or to what there isn't.

    `declared` are the shares of both declarations, `worked` those that the scenarios have work for.
    """
    for share in limits.shares:
        _refuse_undeclared("a threshold", share, {*declared, *worked})
        _refuse_idle("a threshold", share, worked)
    for share, target in moves.items():
        _refuse_undeclared("--move-share", share, {*declared, *worked})
        _refuse_idle("--move-share", share, worked)
        _refuse_undeclared("--move-share", target, declared)


def refuse_idle_moves(moves: Mapping[str, str], moved: Collection[tuple[str, str]]) -> None:
    """Raise UsageError for a move that moves nothing; `moved` are the (share, target) of all scenarios and sides."""
    for share, target in moves.items():
        if (share, target) not in moved:
            raise click.UsageError(
                f"--move-share {share}={target} moves nothing: work is moved where a declaration lacks {share!r} and "
                f"has {target!r}, and here none does"
            )


def _refuse_undeclared(what: str, share: str, declared: Collection[str]) -> None:
    if share not in declared:
        near = get_close_matches(share, sorted(declared), n=1)
        known = f"did you mean {near[0]!r}?" if near else f"declared are {', '.join(sorted(declared))}"
        raise click.UsageError(f"{what} names the share {share!r}, which neither declaration has; {known}")


def _refuse_idle(what: str, share: str, worked: Collection[str]) -> None:
    if share not in worked:
        raise click.UsageError(f"{what} names the share {share!r}, for which no scenario has work; add one that has")
