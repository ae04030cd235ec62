"""The Gantt timeline: a row a job, a heading a share, bars for what runs, lines for what waits, arrows to victims.

Own capacity is a plain bar, borrowed and in-share ones are hatched, waiting is a thin line, after a preemption a dashed
one that begins with a cross: readable without colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...simulate import SegmentKind
from .axes import CROSS, WIDTH, label_of, time_axis, window
from .palette import BORROWED, GRID, IN_SHARE, INK, LIMIT, OWN, PREEMPTED, WAITING

if TYPE_CHECKING:
    import altair

Layer = Any
"""A chart of one mark; Altair's own methods are not typed further."""
ROW_HEIGHT: Final = 20
SOURCES: Final = ("heads", "stretches", "arrows", "changes")
"""Names of the data sources, as `rows.laid_out` gives them."""
RUNNING: Final = {
    SegmentKind.OWN.value: ("own limit", OWN),
    SegmentKind.BORROWED.value: ("borrowed", BORROWED),
    SegmentKind.IN_SHARE.value: ("by in-share preemption", IN_SHARE),
}
_WAITS: Final = {
    SegmentKind.WAITING.value: ("waiting", WAITING),
    SegmentKind.PREEMPTED.value: ("preempted, waiting again", PREEMPTED),
}


def timeline(rows: int, end_ms: int, title: Any = None, description: str = "") -> altair.LayerChart:
    """Return the chart of `rows` rows over the time to `end_ms`; its data are named SOURCES."""
    import altair

    layers = [_heads(), _changes(), _waits(), _bars(), _crosses(), _arrows(), _points(), _head_texts()]
    chart: altair.LayerChart = (
        altair.layer(*layers)
        .add_params(altair.param("rows", value=rows), altair.param("names", value=[]), *window(end_ms))
        .properties(width=WIDTH, height=ROW_HEIGHT * rows, description=description)
        .resolve_scale(color="independent", strokeDash="independent")
    )
    return chart.properties(title=title) if title is not None else chart


def _row(expression: str) -> altair.Y:
    import altair

    names = "names[floor(datum.value)]"
    return altair.Y(
        f"{expression}:Q",
        title=None,
        scale=altair.Scale(domain=[altair.ExprRef("rows"), 0], nice=False, zero=False),
        axis=altair.Axis(
            values=altair.ExprRef("sequence(0.5, rows)"),
            labelExpr=f"isValid({names}) ? {names} : ''",
            labelLimit=220,
            labelFontSize=12,
            labelColor=INK.light,
            labelOverlap=False,
            ticks=False,
            domain=False,
            grid=False,
        ),
    )


def _source(name: str, shown: str = "", **computed: str) -> Layer:
    """Return a chart of one source, only of what `shown` holds for, with places computed from its rows."""
    import altair

    chart = altair.Chart(altair.NamedData(name))
    if shown:
        chart = chart.transform_filter(shown)
    for field, expression in computed.items():
        chart = chart.transform_calculate(**{field: expression})
    return chart


def _heads() -> Layer:
    import altair

    return (
        _source("heads", bottom="datum.row + 1")
        .mark_rect(fill=GRID.light, opacity=0.55, aria=False)
        .encode(y=_row("row"), y2=altair.Y2("bottom"))
    )


def _head_texts() -> Layer:
    import altair

    return (
        _source("heads", middle="datum.row + 0.5")
        .mark_text(align="left", baseline="middle", dx=6, fontWeight="bold", fontSize=12, color=INK.light, clip=True)
        .encode(y=_row("middle"), x=altair.value(0), text=altair.Text("text:N"))
    )


def _changes() -> Layer:
    """Return a line through all rows for each change of the settings."""
    import altair

    return (
        _source("changes")
        .mark_rule(strokeWidth=2, strokeDash=[2, 3], stroke=LIMIT.light, clip=True)
        .encode(x=time_axis("at_ms"), tooltip=altair.Tooltip("what:N"), description=altair.Description("what:N"))
    )


def _waits() -> Layer:
    import altair

    names = list(_WAITS)
    label = label_of({kind: text for kind, (text, _) in _WAITS.items()})
    colours = altair.Scale(domain=names, range=[colour.light for _, colour in _WAITS.values()])
    dashes = altair.Scale(domain=names, range=[[1, 0], [4, 3]])
    legend = altair.Legend(labelExpr=label, symbolType="stroke", title=None)
    return (
        _source("stretches", f"indexof({names}, datum.kind) >= 0", middle="datum.row + 0.5")
        .mark_rule(strokeWidth=2, clip=True)
        .encode(
            x=time_axis("from_ms"),
            x2=altair.X2("to_ms"),
            y=_row("middle"),
            color=altair.Color("kind:N", scale=colours, legend=legend),
            strokeDash=altair.StrokeDash("kind:N", scale=dashes, legend=legend),
            tooltip=altair.Tooltip("what:N"),
            description=altair.Description("what:N"),
        )
    )


def _bars() -> Layer:
    import altair

    names = list(RUNNING)
    label = label_of({kind: text for kind, (text, _) in RUNNING.items()})
    colours = altair.Scale(domain=names, range=[colour.light for _, colour in RUNNING.values()])
    return (
        _source("stretches", f"indexof({names}, datum.kind) >= 0", top="datum.row + 0.14", bottom="datum.row + 0.86")
        .mark_rect(clip=True)
        .encode(
            x=time_axis("from_ms"),
            x2=altair.X2("to_ms"),
            y=_row("top"),
            y2=altair.Y2("bottom"),
            color=altair.Color("kind:N", scale=colours, legend=altair.Legend(labelExpr=label, title=None)),
            tooltip=altair.Tooltip("what:N"),
            description=altair.Description("what:N"),
        )
    )


def _crosses() -> Layer:
    import altair

    kind = SegmentKind.PREEMPTED.value
    return (
        _source("stretches", f"datum.kind == '{kind}'", middle="datum.row + 0.5")
        .mark_point(shape=CROSS, size=70, strokeWidth=2.5, stroke=PREEMPTED.light, opacity=1, clip=True)
        .encode(x=time_axis("from_ms"), y=_row("middle"), tooltip=altair.Tooltip("what:N"))
    )


def _arrows() -> Layer:
    import altair

    return (
        _source("arrows", start="datum.by_row + 0.5", end="datum.row + (datum.by_row < datum.row ? 0.18 : 0.82)")
        .mark_rule(stroke=PREEMPTED.light, strokeWidth=1.5, clip=True)
        .encode(x=time_axis("at_ms"), y=_row("start"), y2=altair.Y2("end"))
    )


def _points() -> Layer:
    """Return the arrows' heads: at the victim's edge, towards it."""
    import altair

    down = "M0,0L-.6,-1.1L.6,-1.1Z"
    up = "M0,0L-.6,1.1L.6,1.1Z"
    return (
        _source("arrows", edge="datum.row + (datum.by_row < datum.row ? 0.2 : 0.8)", down="datum.by_row < datum.row")
        .mark_point(filled=True, size=60, fill=PREEMPTED.light, opacity=1, clip=True)
        .encode(
            x=time_axis("at_ms"),
            y=_row("edge"),
            shape=altair.Shape("down:N", scale=altair.Scale(domain=[True, False], range=[down, up]), legend=None),
        )
    )
