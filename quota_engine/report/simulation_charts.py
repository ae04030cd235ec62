"""A simulation's pictures, each as one specification: what `charts.drawing.render` turns into SVG or PNG.

A picture can't be zoomed, so it holds the most telling jobs, and its subtitle says how many those are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..simulate import Measures, Run
from ..simulate.use import UseSeries, use_over_time
from .charts import axes, overview, rows, timeline, use, waits
from .charts.lives import Lives
from .simulation_text import queue_of, share_title
from .times import clock, rough
from .visible import counted, visible

STEPS_MAX: Final = 1_200
"""Events up to which use is drawn step by step; beyond, as means over bins."""


def titles_of(run: Run) -> dict[str, str]:
    """Return each share's heading, in declared order."""
    return {name: share_title(share) for name, share in queue_of(run).quota_shares.items()}


def use_series(run: Run) -> list[UseSeries]:
    """Return the use over time of the units and shares that were used, in steps or as means."""
    exact = len(run.trace) <= STEPS_MAX
    shares = len(queue_of(run).quota_shares) + 1
    units = len({unit for share in queue_of(run).quota_shares.values() for unit in share.capacity_limits})
    bin_ms = 0 if exact else overview.bin_width_ms(run.end_ms, shares * max(1, units))
    return use.telling(use_over_time(run.trace, run.scenario, run.end_ms, bin_ms))


def pictures(run: Run, measures: Measures, found: Lives) -> dict[str, dict[str, Any]]:
    """Return {name: specification} of the pictures that this run has something for: timeline, jobs, use, waits."""
    if not found.jobs or run.end_ms <= 0:
        return {}
    drawn = {"timeline": _timeline(run, found), "use": _use(run), "waits": _waits(run, measures)}
    if len(found.jobs) > rows.TELLING_MAX:
        drawn["jobs"] = _jobs(run, found)
    return {name: drawn[name] for name in sorted(drawn)}


def _title(run: Run, what: str) -> dict[str, Any]:
    scenario = run.scenario
    return {"text": visible(scenario.description or scenario.stack.name), "subtitle": what}


def _timeline(run: Run, found: Lives) -> dict[str, Any]:
    chosen = rows.most_telling(found)
    data = rows.laid_out(found, chosen, titles_of(run))
    total = counted(len(found.jobs), "job")
    part = "" if len(chosen) == len(found.jobs) else f"{len(chosen)} of {total}: preempted ones first, then borrowers. "
    text = f"{part}An arrow leads from a preemptor to its victim; time runs to {clock(run.end_ms)}."
    text += " At a dotted line the settings change." if found.changes else ""
    chart = timeline.timeline(rows.row_count(data), run.end_ms, _title(run, text), describe_timeline(found))
    return named(axes.as_spec(chart, data), data)


def named(spec: dict[str, Any], data: rows.Datasets) -> dict[str, Any]:
    """Give the rows of a timeline their names."""
    names = [""] * rows.row_count(data)
    for label in data["labels"]:
        names[label["row"]] = label["text"]
    for parameter in spec["params"]:
        if parameter["name"] == "names":
            parameter["value"] = names
    return spec


def _use(run: Run) -> dict[str, Any]:
    series = use_series(run)
    panels = [use.panel(one) for one in series]
    chart = use.use_chart(panels, run.end_ms, _title(run, describe_bins(series)), describe_use(series))
    return axes.as_spec(chart, {use.SOURCE: use.use_rows(series, run.end_ms)})


def _waits(run: Run, measures: Measures) -> dict[str, Any]:
    data = waits.wait_rows(measures)
    names = [row["share"] for row in data["spans"]]
    text = "From submission to the first start; what waits after a preemption is not in it."
    return axes.as_spec(waits.waits_chart(names, longest_ms(data), _title(run, text), describe_waits(measures)), data)


def longest_ms(data: Mapping[str, list[dict[str, Any]]]) -> int:
    """Return the longest wait of the chart's data."""
    return max((int(row["to_ms"]) for row in data["spans"]), default=0)


@dataclass(frozen=True, slots=True)
class CrowdData:
    """What the picture of many jobs shows: the crowds, their bins' width, and the rows of the chart."""

    crowds: list[overview.Crowd]
    width_ms: int
    rows: list[dict[str, Any]]


def crowd_data(run: Run, found: Lives) -> CrowdData:
    """Return the crowds of a run."""
    shares = list(titles_of(run))
    width_ms = overview.bin_width_ms(run.end_ms, len(shares))
    crowds = overview.crowds(found, shares, run.end_ms, width_ms)
    data = overview.crowd_rows(crowds, width_ms, run.end_ms)
    return CrowdData(crowds, width_ms, [*data["crowd"], *data["taken"]])


def _jobs(run: Run, found: Lives) -> dict[str, Any]:
    crowd = crowd_data(run, found)
    text = f"Means over {rough(crowd.width_ms)}."
    shares = [visible(one.share) for one in crowd.crowds]
    chart = overview.overview(shares, run.end_ms, _title(run, text), describe_crowds(crowd))
    return axes.as_spec(chart, {"overview": crowd.rows})


def describe_timeline(found: Lives) -> str:
    """Return the timeline in words."""
    cross = sum(one.kind == "cross-share" for one in found.preemptions)
    other = len(found.preemptions) - cross
    return (
        f"Timeline of {counted(len(found.jobs), 'job')}, a row each under its share's heading: when it waits, runs on "
        f"its own limit, on borrowed capacity or by in-share preemption. {counted(cross, 'cross-share preemption')}, "
        f"{other} in share."
    )


def describe_use(series: list[UseSeries]) -> str:
    """Return the chart of use in words: the most at once of each panel."""
    parts = []
    for one in series:
        most = use.most_of(one)
        part = f"at most {most.used:g} in use, {most.borrowed:g} borrowed, {most.lent:g} lent, limit {most.limit:g}"
        parts.append(f"{use.panel(one)}: {part}")
    return f"Instances in use over time. {'; '.join(parts)}."


def describe_bins(series: list[UseSeries]) -> str:
    """Say how exactly use is drawn."""
    bin_ms = series[0].bin_ms if series else 0
    exact = f"Means over {rough(bin_ms)}. " if bin_ms else ""
    return f"{exact}Instances at once; what is borrowed stands above the share's limit, what is lent below it."


def describe_waits(measures: Measures) -> str:
    """Return the chart of waits in words."""
    parts = []
    for share in measures.shares.values():
        p50, p95 = share.wait.percentile_ms(50), share.wait.percentile_ms(95)
        if p50 is not None and p95 is not None:
            parts.append(f"{visible(share.share)}: half wait at most {rough(p50)}, 95 % at most {rough(p95)}")
    return f"Waits by share. {'; '.join(parts)}."


def describe_crowds(crowd: CrowdData) -> str:
    """Return the picture of many jobs in words."""
    parts = [
        f"{visible(one.share)}: {counted(one.jobs, 'job')}, at most {max(one.means['waiting']):g} waiting, "
        f"{counted(sum(one.preempted), 'preemption')}"
        for one in crowd.crowds
    ]
    return f"Jobs that run and wait, by share, as means over {rough(crowd.width_ms)}. {'; '.join(parts)}."
