"""The chart of a sweep: a row of small multiples for each metric, one for the queue and one for each share.

Along x stands the first thing that varies, in colour and shape the others; a bar is the mean's confidence interval.
Altair is loaded when a chart is drawn. The figures are those of the summary; none is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from ...sweep.grid import Axis, Combination, Scalar, typed
from ...sweep.summary import METRICS, Group, Summary
from ..sweep_view import heading, method
from . import drawing, sweep_page
from .palette import INK, OWN

if TYPE_CHECKING:
    import altair

ENDINGS: Final = (".svg", ".png", ".html")
DEFAULT_METRICS: Final = ("wait_p95_ms", "preemptions", "utilisation_ratio")

_COLOURS: Final = (OWN.light, "#d55e00", "#009e73", "#b8548c", "#8a6d00", "#5b5fc7", INK.light)
"""Colours that colour-blind people tell apart, after Okabe and Ito; shapes tell the series apart, too."""
_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
_ALL: Final = "All shares"
_WIDTH: Final = 190
_HEIGHT: Final = 150
_COLUMNS: Final = 5
_TICK: Final = 7
_SUBTITLE: Final = 110
"""Characters of a line of the subtitle, which doesn't wrap by itself."""
_TICKS_MAX: Final = 10
"""Values of x of which each has its tick."""
_AS_WRITTEN: Final = ",.12~g"
"""How the values of x are labelled. Vega's own choice gives 2 and 3 a decimal, and takes that of 0.5 and 2 away."""
_STEPS_MS: Final = ((3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))


@dataclass(frozen=True, slots=True)
class Scale:
    """How a metric's values are drawn: divided by `divisor`, under `title`."""

    title: str
    divisor: float


def render(summary: Summary, ending: str, metrics: Sequence[str] = DEFAULT_METRICS) -> bytes:
    """Return the chart as the bytes of a file with this ending, one of ENDINGS. HTML is self-contained."""
    spec = chart(summary, metrics).to_dict()
    if ending != ".html":
        return drawing.render(spec, ending.removeprefix("."))
    return sweep_page.page(summary, drawing.configured(spec), described(summary, metrics)).encode("utf-8")


def chart(summary: Summary, metrics: Sequence[str] = DEFAULT_METRICS) -> altair.VConcatChart:
    """Return the Altair chart of the metrics, names of METRICS."""
    import altair

    rows = [_row(summary, metric) for metric in metrics]
    scenario = summary.swept.plan.scenarios[0]
    title = altair.TitleParams(
        text=scenario.description or scenario.stack.name,
        subtitle=[heading(summary), *wrap(f"{method(summary).partition(', without')[0]}.", _SUBTITLE)],
        anchor="start",
        offset=14,
    )
    joined: altair.VConcatChart = (
        altair.vconcat(*rows, spacing=24)
        .properties(title=title, description=described(summary, metrics))
        .configure_legend(orient="right", columns=1)
    )
    return joined


def described(summary: Summary, metrics: Sequence[str]) -> str:
    """Return the chart in words, for those who can't see it."""
    x, series = _axes(summary)
    over = f" over {x.name}" if x else ""
    lines = f", a line for each value of {' and '.join(axis.name for axis in series)}" if series else ""
    what = "; ".join(METRICS[metric] for metric in metrics)
    return f"{heading(summary)}. Means with 95 % confidence intervals{over}{lines}, of: {what}."


def _axes(summary: Summary) -> tuple[Axis | None, tuple[Axis, ...]]:
    """Return what goes along x, the first thing with several values, and the other such things."""
    several = [axis for axis in summary.swept.plan.axes if len(axis.values) > 1]
    return (several[0], tuple(several[1:])) if several else (None, ())


def _row(summary: Summary, metric: str) -> altair.FacetChart:
    """Return one metric's small multiples, with one scale in common."""
    import altair

    x, series = _axes(summary)
    scale = _scale(metric, summary.groups)
    names = list(dict.fromkeys(group.share or _ALL for group in summary.groups))
    values = [row for group in summary.groups for row in _values(group, metric, scale, x, series)]
    base = altair.Chart(altair.InlineData(values=values)).encode(x=_x_channel(x), **_series_channels(x, series, values))
    marks = [
        base.mark_errorbar(thickness=1.5, ticks=altair.MarkConfig(size=_TICK, opacity=1)).encode(
            y=altair.Y("low:Q", title=scale.title), y2="high:Q"
        ),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            y=altair.Y("mean:Q", title=scale.title), tooltip=[*_tooltip(x, series), "mean:Q", "low:Q", "high:Q"]
        ),
    ]
    if x is not None and _is_numeric(x):
        marks.insert(0, base.mark_line(strokeWidth=1).encode(y=altair.Y("mean:Q", title=scale.title)))
    layer = altair.layer(*marks).properties(width=_WIDTH, height=_HEIGHT)
    facet = altair.Facet("share:N", sort=names, title=None, header=altair.Header(labelFontWeight="bold"))
    return layer.facet(facet=facet, columns=_COLUMNS)


def _values(group: Group, metric: str, scale: Scale, x: Axis | None, series: Sequence[Axis]) -> list[dict[str, Scalar]]:
    """Return the group's point, none where no run has such a value."""
    found = group.estimates[metric]
    if found is None:
        return []
    low, high = found.interval or (found.mean, found.mean)
    chosen = {choice.axis.name: choice.value for choice in group.combination}
    return [
        {
            "share": group.share or _ALL,
            "x": "as declared" if x is None else dict(zip(x.values, typed(x), strict=True))[chosen[x.name]],
            "series": _series_name(group.combination, series),
            "mean": found.mean / scale.divisor,
            "low": low / scale.divisor,
            "high": high / scale.divisor,
        }
    ]


def _series_name(combination: Combination, series: Sequence[Axis]) -> str:
    if len(series) == 1:
        return next(choice.value for choice in combination if choice.axis == series[0])
    return ", ".join(str(choice) for choice in combination if choice.axis in series)


def _scale(metric: str, groups: Sequence[Group]) -> Scale:
    """Return a metric's unit: the largest of which the largest mean has one."""
    means = [found.mean for group in groups if (found := group.estimates[metric]) is not None]
    name, _, unit = metric.rpartition("_")
    if unit == "ms":
        divisor, short = next(((ms, short) for ms, short in _STEPS_MS if max(means, default=0) >= ms), _STEPS_MS[-1])
        return Scale(f"{name.replace('_', ' ')}, {short}", divisor)
    if unit == "ratio":
        return Scale(f"{name.replace('_', ' ')}, %", 0.01)
    return Scale(metric.replace("_", " "), 1)


def _is_numeric(axis: Axis) -> bool:
    return not isinstance(typed(axis)[0], str)


def _x_channel(x: Axis | None) -> altair.X:
    import altair

    if x is None:
        return altair.X("x:N", title=None, axis=altair.Axis(labelAngle=0))
    if _is_numeric(x):
        ticks: Any = typed(x) if len(x.values) <= _TICKS_MAX else altair.Undefined
        least: Any = 1 if isinstance(typed(x)[0], int) else altair.Undefined
        axis = altair.Axis(values=ticks, format=_AS_WRITTEN, tickMinStep=least, grid=False)
        return altair.X("x:Q", title=x.name, axis=axis, scale=altair.Scale(zero=False, padding=12))
    return altair.X("x:N", title=x.name, sort=list(x.values), axis=altair.Axis(labelAngle=-30, labelLimit=160))


def _series_channels(x: Axis | None, series: Sequence[Axis], values: Sequence[dict[str, Scalar]]) -> dict[str, Any]:
    """Return colour and shape of the series, and places side by side where x has no scale; one series has none."""
    import altair

    if not series:
        return {"color": altair.value(_COLOURS[0])}
    names = list(dict.fromkeys(str(row["series"]) for row in values))
    title = series[0].name if len(series) == 1 else "combination"
    colours, shapes = (altair.Scale(domain=names, range=_repeated(of, len(names))) for of in (_COLOURS, _SHAPES))
    colour = altair.Color("series:N", title=title, sort=names, scale=colours)
    shape = altair.Shape("series:N", title=title, sort=names, scale=shapes)
    beside = {} if x is None or _is_numeric(x) else {"xOffset": altair.XOffset("series:N", sort=names)}
    return {"color": colour, "shape": shape, **beside}


def _repeated(values: Sequence[str], count: int) -> list[str]:
    """Return `count` values, from the start again where there are fewer."""
    return [values[index % len(values)] for index in range(count)]


def _tooltip(x: Axis | None, series: Sequence[Axis]) -> list[Any]:
    import altair

    shown = [altair.Tooltip("share:N")]
    shown += [altair.Tooltip("x:Q" if _is_numeric(x) else "x:N", title=x.name)] if x else []
    return shown + ([altair.Tooltip("series:N")] if series else [])
