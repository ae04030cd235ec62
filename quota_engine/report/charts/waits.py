"""Waits by share: from the shortest to the longest, with median, p95 and maximum marked by shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...simulate import Measures
from ..times import rough
from ..visible import counted, visible
from .axes import WIDTH, duration_axis, label_of
from .palette import BORROWED, IN_SHARE, INK, MUTED, OWN, WAITING, Colour

if TYPE_CHECKING:
    import altair

SOURCES: Final = ("spans", "marks")
ROW_HEIGHT: Final = 30


@dataclass(frozen=True, slots=True)
class Mark:
    """How one of a share's waits is drawn."""

    kind: str
    text: str
    percent: int
    shape: str
    colour: Colour
    size: int


_MARKS: Final = (
    Mark("max", "longest", 100, "diamond", BORROWED, 400),
    Mark("p95", "95 % wait no longer", 95, "square", IN_SHARE, 140),
    Mark("p50", "median", 50, "circle", OWN, 45),
)
"""The smaller stand before the larger, so that equal waits are all seen."""
_TITLE: Final = "wait from submission to the first start"
SHORTEST_AXIS_MS: Final = 60_000


def wait_rows(measures: Measures) -> dict[str, list[dict[str, Any]]]:
    """Return the chart's data: `spans` {share, from_ms, to_ms, note}, `marks` {share, kind, wait_ms, what}."""
    data: dict[str, list[dict[str, Any]]] = {"spans": [], "marks": []}
    for share in measures.shares.values():
        values, name = share.wait.values_ms, visible(share.share)
        if not share.submitted:
            continue
        left = f"{counted(share.wait.unstarted, 'job')} never started" if share.wait.unstarted else ""
        longest = values[-1] if values else 0
        note = ", ".join([*([f"at most {rough(longest)}"] if values else []), *([left] if left else [])])
        data["spans"].append({"share": name, "from_ms": values[0] if values else 0, "to_ms": longest, "note": note})
        for mark in _MARKS:
            wait_ms = share.wait.percentile_ms(mark.percent)
            if wait_ms is not None:
                what = f"{name}, {mark.text}: {rough(wait_ms)}"
                data["marks"].append({"share": name, "kind": mark.kind, "wait_ms": wait_ms, "what": what})
    return data


def waits_chart(shares: Iterable[str], longest_ms: int, title: Any = None, description: str = "") -> Any:
    """Return the chart of these shares in this order, for waits up to `longest_ms`; its data are named SOURCES."""
    import altair

    names = list(shares)
    end_ms = max(longest_ms, SHORTEST_AXIS_MS)
    chart: Any = altair.layer(_spans(names, end_ms), _marks(names, end_ms), _notes(names, end_ms)).properties(
        width=WIDTH, height=max(1, len(names)) * ROW_HEIGHT, description=description
    )
    return chart.properties(title=title) if title is not None else chart


def _share(names: list[str]) -> altair.Y:
    import altair

    axis = altair.Axis(
        labelFontSize=12, labelColor=INK.light, ticks=False, domain=False, labelLimit=200, labelPadding=14
    )
    return altair.Y("share:N", title=None, sort=names, scale=altair.Scale(domain=names), axis=axis)


def _spans(names: list[str], end_ms: int) -> Any:
    import altair

    return (
        altair.Chart(altair.NamedData("spans"))
        .mark_rule(strokeWidth=3, stroke=WAITING.light)
        .encode(x=duration_axis("from_ms", end_ms, _TITLE), x2=altair.X2("to_ms"), y=_share(names))
    )


def _marks(names: list[str], end_ms: int) -> Any:
    import altair

    kinds = [mark.kind for mark in _MARKS]
    legend = altair.Legend(title=None, labelExpr=label_of({mark.kind: mark.text for mark in _MARKS}))
    colours = altair.Scale(domain=kinds, range=[mark.colour.light for mark in _MARKS])
    shapes = altair.Scale(domain=kinds, range=[mark.shape for mark in _MARKS])
    sizes = altair.Scale(domain=kinds, range=[mark.size for mark in _MARKS])
    return (
        altair.Chart(altair.NamedData("marks"))
        .mark_point(filled=True, opacity=1, stroke=INK.light, strokeWidth=1)
        .encode(
            x=duration_axis("wait_ms", end_ms, _TITLE),
            y=_share(names),
            color=altair.Color("kind:N", scale=colours, legend=legend),
            shape=altair.Shape("kind:N", scale=shapes, legend=legend),
            size=altair.Size("kind:O", scale=sizes, legend=None),
            tooltip=altair.Tooltip("what:N"),
        )
    )


def _notes(names: list[str], end_ms: int) -> Any:
    import altair

    return (
        altair.Chart(altair.NamedData("spans"))
        .mark_text(align="left", baseline="middle", dx=12, fontSize=11, color=MUTED.light)
        .encode(x=duration_axis("to_ms", end_ms, _TITLE), y=_share(names), text=altair.Text("note:N"))
    )
