"""What the charts over time have in common: the axis of time, and the part of it that is shown.

Times are milliseconds from the scenario's start; ticks fall on whole seconds, minutes, hours and days. Every such chart
has the parameters `from_ms` and `to_ms`; a page that zooms sets them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..times import STEPS_MS, tick_step_ms

if TYPE_CHECKING:
    import altair

FROM: Final = "from_ms"
TO: Final = "to_ms"
STEP: Final = "step_ms"
TICKS_MAX: Final = 8
WIDTH: Final = 760
"""Pixels of a picture's plot; in a page it takes the room there is."""
CROSS: Final = "M-.7-.7L.7.7M.7-.7L-.7.7"
"""The shape that marks a preemption, as an SVG path."""
_DAYS = "datum.value >= 86400000 ? floor(datum.value / 86400000) + 'd ' : ''"
_CLOCK = (
    "utcFormat(datum.value, datum.value % 60000 == 0 ? '%H:%M' : datum.value % 1000 == 0 ? '%H:%M:%S' : '%H:%M:%S.%L')"
)
TIME_LABEL: Final = f"({_DAYS}) + {_CLOCK}"


def window(end_ms: int) -> list[altair.Parameter]:
    """Return the parameters of the time that is shown, all of it at first, and of the distance between its ticks."""
    import altair

    return [
        altair.param(FROM, value=0),
        altair.param(TO, value=max(end_ms, 1)),
        altair.param(STEP, expr=_step(f"({TO} - {FROM})")),
    ]


def _step(span: str) -> str:
    """Return the expression of the smallest round distance with which at most TICKS_MAX ticks fit into a span."""
    steps = "".join(f"{span} < {step * TICKS_MAX} ? {step} : " for step in STEPS_MS)
    return f"{steps}{STEPS_MS[-1]} * ceil({span} / {STEPS_MS[-1] * TICKS_MAX})"


def time_axis(field: str, title: str | None = "time from the scenario's start") -> altair.X:
    """Return the channel of a field that holds a time, for charts that have the parameters of `window`."""
    import altair

    ticks = f"sequence(ceil({FROM} / {STEP}) * {STEP}, {TO} + 1, {STEP})"
    return altair.X(
        f"{field}:Q",
        title=title,
        scale=altair.Scale(domain=[altair.ExprRef(FROM), altair.ExprRef(TO)], nice=False, zero=False),
        axis=altair.Axis(values=altair.ExprRef(ticks), labelExpr=TIME_LABEL, labelOverlap=True, labelFlush=True),
    )


def duration_axis(field: str, end_ms: int, title: str) -> altair.X:
    """Return the channel of a field that holds a duration of at most `end_ms`."""
    import altair

    ticks = list(range(0, end_ms + 1, tick_step_ms(end_ms, TICKS_MAX)))
    return altair.X(
        f"{field}:Q",
        title=title,
        scale=altair.Scale(domain=[0, end_ms], nice=False),
        axis=altair.Axis(values=ticks, labelExpr=TIME_LABEL, labelOverlap=True, labelFlush=True),
    )


def label_of(texts: Mapping[str, str]) -> str:
    """Return the expression that turns a value into its words; neither holds quotes."""
    return "".join(f"datum.value == '{value}' ? '{text}' : " for value, text in texts.items()) + "datum.value"


def as_spec(chart: Any, datasets: dict[str, list[dict[str, Any]]] | None = None) -> dict[str, Any]:
    """Return a chart as its specification, with the data of its named sources; none where a page fills them."""
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)
    spec["datasets"] = datasets or {}
    return spec


def panels(
    layered: Any,
    source: str,
    field: str,
    names: Sequence[str],
    end_ms: int,
    title: Any = None,
    description: str = "",
) -> altair.FacetChart:
    """Return layers over time once for each of `names`, the values of `field`, one below the other."""
    import altair

    chart: altair.FacetChart = (
        layered.properties(width=WIDTH)
        .facet(
            data=altair.NamedData(source),
            facet=altair.Facet(
                f"{field}:N",
                title=None,
                sort=list(names),
                header=altair.Header(labelAnchor="start", labelFontWeight="bold", labelPadding=4),
            ),
            columns=1,
        )
        .resolve_scale(y="independent")
        .add_params(*window(end_ms))
        .properties(spacing=14, description=description)
    )
    return chart.properties(title=title) if title is not None else chart
