"""Instances in use over time, a panel for the whole queue and for each share of each instance type, against the limits.

From the bottom: used within the limit, lent, then, above the limit's line, borrowed. A share never lends and borrows
the same type at once, so the areas don't get into each other's way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...simulate.use import UseSeries
from ..visible import visible
from .axes import panels, time_axis
from .palette import BORROWED, LENT, LIMIT, OWN

if TYPE_CHECKING:
    import altair

SOURCE: Final = "use"
PANEL_HEIGHT: Final = 64
_AREAS: Final = (("used within the limit", OWN), ("lent to others", LENT), ("borrowed", BORROWED))
_LIMIT: Final = "limit"
_TOP: Final = "datum.own + datum.lent + datum.borrowed"
_WHOLE: Final = "datum.value % 1 == 0 ? format(datum.value, ',') : ''"


def telling(series: Sequence[UseSeries]) -> list[UseSeries]:
    """Return the series in which anything was used or lent; the others have nothing to show."""
    return [one for one in series if any(step.own or step.lent or step.borrowed for step in one.steps)]


def panel(one: UseSeries) -> str:
    """Return the title of a series' panel."""
    return f"{visible(one.unit)}, {visible(one.share) if one.share else 'all shares'}"


@dataclass(frozen=True, slots=True)
class Most:
    """The largest amounts of a series, each at its own time."""

    limit: float
    used: float
    borrowed: float
    lent: float


def most_of(one: UseSeries) -> Most:
    """Return the largest amounts of a series."""
    return Most(
        max(step.limit for step in one.steps),
        max(step.own + step.borrowed for step in one.steps),
        max(step.borrowed for step in one.steps),
        max(step.lent for step in one.steps),
    )


def use_rows(series: Sequence[UseSeries], end_ms: int) -> list[dict[str, Any]]:
    """Return the rows of the chart's source: {panel, at_ms, own, lent, borrowed, limit}, the last step once more."""
    return [
        {
            "panel": panel(one),
            "at_ms": at_ms,
            "own": step.own,
            "lent": step.lent,
            "borrowed": step.borrowed,
            "limit": step.limit,
        }
        for one in series
        for at_ms, step in [*((step.at_ms, step) for step in one.steps), *((end_ms, step) for step in one.steps[-1:])]
    ]


def use_chart(titles: Sequence[str], end_ms: int, title: Any = None, description: str = "") -> altair.FacetChart:
    """Return the chart with these panels; its data are named SOURCE."""
    import altair

    layered = altair.layer(*(_area(index) for index in range(len(_AREAS))), _limit_line(), _headroom())
    return panels(layered.properties(height=PANEL_HEIGHT), SOURCE, "panel", titles, end_ms, title, description)


def _area(index: int) -> Any:
    import altair

    low, high = (("0", "datum.own"), ("datum.own", "datum.own + datum.lent"), ("datum.own + datum.lent", _TOP))[index]
    names = [name for name, _ in _AREAS]
    colours = altair.Scale(domain=names, range=[colour.light for _, colour in _AREAS])
    return (
        altair.Chart()
        .transform_calculate(low=low, high=high, what=f"'{names[index]}'")
        .mark_area(interpolate="step-after", clip=True)
        .encode(
            x=time_axis("at_ms", title=None),
            y=altair.Y("low:Q", title="instances", axis=altair.Axis(tickMinStep=1, tickCount=3, labelExpr=_WHOLE)),
            y2=altair.Y2("high"),
            color=altair.Color("what:N", scale=colours, legend=altair.Legend(title=None, symbolType="square")),
        )
    )


def _limit_line() -> Any:
    import altair

    return (
        altair.Chart()
        .transform_calculate(what=f"'{_LIMIT}'")
        .mark_line(interpolate="step-after", strokeWidth=1.8, clip=True, strokeDash=[5, 3])
        .encode(
            x=time_axis("at_ms", title=None),
            y=altair.Y("limit:Q"),
            stroke=altair.Stroke(
                "what:N",
                scale=altair.Scale(domain=[_LIMIT], range=[LIMIT.light]),
                legend=altair.Legend(title=None, symbolType="stroke", symbolDash=[5, 3]),
            ),
        )
    )


def _headroom() -> Any:
    """Return a line that isn't seen, so that the limit's line doesn't lie on the panel's edge."""
    import altair

    return (
        altair.Chart()
        .transform_calculate(above=f"1.12 * max(datum.limit, {_TOP})")
        .mark_line(opacity=0, aria=False)
        .encode(x=time_axis("at_ms", title=None), y=altair.Y("above:Q"))
    )
