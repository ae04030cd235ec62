"""Many jobs at once: how many of each share run and wait, as means over bins of time, with preemptions as ticks.

Above the line stand the running jobs, own, borrowed and in-share; below it those that wait. It shows where to look; a
page shows the jobs of a share and a time one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...simulate import SegmentKind
from ...simulate.binned import Bins
from ..times import tick_step_ms
from ..visible import visible
from .axes import CROSS, panels, time_axis
from .lives import Lives
from .palette import BORROWED, IN_SHARE, OWN, PREEMPTED, WAITING

if TYPE_CHECKING:
    import altair

SOURCES: Final = ("crowd", "taken")
PANEL_HEIGHT: Final = 70
POINTS_MAX: Final = 12_000
"""Points of all panels together; more would make the file large and the page slow."""
BINS_MAX: Final = 480
_AREAS: Final = (
    ("own limit", OWN, "0", "datum.own"),
    ("borrowed", BORROWED, "datum.own", "datum.own + datum.borrowed"),
    ("by in-share preemption", IN_SHARE, "datum.own + datum.borrowed", "datum.own + datum.borrowed + datum.in_share"),
    ("waiting (below the line)", WAITING, "-datum.waiting", "0"),
)
"""What an area means, its colour, and from where to where it goes."""
_TAKEN: Final = "jobs preempted"
_WHOLE: Final = "datum.value % 1 ? '' : format(abs(datum.value), abs(datum.value) < 10000 ? ',' : '~s')"
_FIELDS: Final = {
    SegmentKind.OWN: "own",
    SegmentKind.BORROWED: "borrowed",
    SegmentKind.IN_SHARE: "in_share",
    SegmentKind.WAITING: "waiting",
    SegmentKind.PREEMPTED: "waiting",
}


def bin_width_ms(end_ms: int, panels: int) -> int:
    """Return a round width with which this many panels stay within POINTS_MAX."""
    return tick_step_ms(max(1, end_ms), max(24, min(BINS_MAX, POINTS_MAX // max(1, panels))))


@dataclass(frozen=True, slots=True)
class Crowd:
    """One share: {own|borrowed|in_share|waiting: mean number of jobs in each bin}, preemptions suffered in each bin."""

    share: str
    jobs: int
    means: Mapping[str, Sequence[float]]
    preempted: tuple[int, ...]


def crowds(found: Lives, shares: Sequence[str], end_ms: int, width_ms: int) -> list[Crowd]:
    """Return a crowd for each share that has jobs, in the order given, others last."""
    fields = dict.fromkeys(_FIELDS.values())
    names = dict.fromkeys([*shares, *(life.share for life in found.jobs)])
    bins = {(name, field): Bins(width_ms, end_ms) for name in names for field in fields}
    jobs = dict.fromkeys(names, 0)
    share_of = {}
    for life in found.jobs:
        jobs[life.share] += 1
        share_of[life.job] = life.share
        for one in life.stretches:
            bins[life.share, _FIELDS[one.kind]].add(one.from_ms, one.to_ms, 1)
    count = max(1, -(-end_ms // width_ms))
    preempted = {name: [0] * count for name in names}
    for one_preempted in found.preemptions:
        preempted[share_of[one_preempted.job]][min(count - 1, one_preempted.at_ms // width_ms)] += 1
    return [
        Crowd(name, jobs[name], {field: bins[name, field].means() for field in fields}, tuple(preempted[name]))
        for name in names
        if jobs[name]
    ]


def crowd_rows(found: Sequence[Crowd], width_ms: int, end_ms: int) -> dict[str, list[dict[str, Any]]]:
    """Return the chart's data in two parts.

    `crowd` has {share, at_ms, own, borrowed, in_share, waiting}, `taken` {share, at_ms, count}.
    """
    data: dict[str, list[dict[str, Any]]] = {"crowd": [], "taken": []}
    for one in found:
        count = len(one.preempted)
        for index in range(count + 1):
            means = {field: values[min(index, count - 1)] for field, values in one.means.items()}
            data["crowd"].append({"share": visible(one.share), "at_ms": min(index * width_ms, end_ms), **means})
        data["taken"] += [
            {"share": visible(one.share), "at_ms": min(end_ms, index * width_ms + width_ms // 2), "count": taken}
            for index, taken in enumerate(one.preempted)
            if taken
        ]
    return data


def overview(shares: Sequence[str], end_ms: int, title: Any = None, description: str = "") -> altair.FacetChart:
    """Return the chart with a panel for each share; its data are named SOURCES, joined into one named "overview"."""
    import altair

    layered = altair.layer(*(_area(index) for index in range(len(_AREAS))), _taken())
    return panels(layered.properties(height=PANEL_HEIGHT), "overview", "share", shares, end_ms, title, description)


def _area(index: int) -> Any:
    import altair

    names, colours = [text for text, *_ in _AREAS], [colour.light for _, colour, *_ in _AREAS]
    text, _, low, high = _AREAS[index]
    return (
        altair.Chart()
        .transform_filter("isValid(datum.own)")
        .transform_calculate(low=low, high=high, what=f"'{text}'")
        .mark_area(interpolate="step-after", clip=True)
        .encode(
            x=time_axis("at_ms", title=None),
            y=altair.Y("low:Q", title="jobs", axis=altair.Axis(tickCount=4, labelExpr=_WHOLE)),
            y2=altair.Y2("high"),
            color=altair.Color(
                "what:N",
                scale=altair.Scale(domain=names, range=colours),
                legend=altair.Legend(title=None, symbolType="square"),
            ),
        )
    )


def _taken() -> Any:
    import altair

    return (
        altair.Chart()
        .transform_filter("isValid(datum.count)")
        .transform_calculate(what=f"'{_TAKEN}'")
        .mark_point(shape=CROSS, size=36, strokeWidth=1.6, opacity=1, clip=True)
        .encode(
            x=time_axis("at_ms", title=None),
            y=altair.value(5),
            stroke=altair.Stroke(
                "what:N",
                scale=altair.Scale(domain=[_TAKEN], range=[PREEMPTED.light]),
                legend=altair.Legend(title=None, symbolType=CROSS),
            ),
        )
    )
