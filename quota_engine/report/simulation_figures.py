"""The pictures of a simulation's page: each with its legend, its words for those who don't see it, and its table.

The script of the page draws them; here stands what surrounds them, and what a reader steers them with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..simulate import Measures, Run, Tried, Verdict
from ..simulate.use import UseSeries
from . import simulation_charts
from .charts import overview, palette, use
from .charts.lives import Lives
from .charts.packed import JOBS_MAX
from .markup import Html, details, table, text
from .times import rough
from .visible import counted


@dataclass(frozen=True, slots=True)
class Page:
    """What the parts of the page are made from."""

    run: Run
    verdicts: Sequence[Verdict]
    measures: Measures
    tried: Sequence[Tried] | None
    lives: Lives
    series: list[UseSeries]
    crowd: simulation_charts.CrowdData | None

    @property
    def is_drawn(self) -> bool:
        return bool(self.lives.jobs) and self.run.end_ms > 0


def _figure(name: str, label: str, caption: str, legend: str, table_: str) -> str:
    """Return a picture with its legend, its caption and its table. Its words are its label."""
    focus = ' tabindex="0"' if name == "timeline" else ""
    role = "group" if name == "timeline" else "img"
    return (
        f'<figure>{legend}<div id="{name}-chart" class="chart"{focus} role="{role}" aria-label="{text(label)}"></div>'
        f"<figcaption>{caption}</figcaption></figure>{table_}"
    )


def _legend(*entries: tuple[str, str]) -> str:
    """Return a legend of (a swatch's SVG, its words)."""
    items = "".join(
        f'<li><svg class="marks" viewBox="0 0 26 16" aria-hidden="true">{swatch}</svg>{text(words)}</li>'
        for swatch, words in entries
    )
    return f'<ul class="legend" aria-label="Legend">{items}</ul>'


def _area(colour: palette.Colour) -> str:
    return f'<rect width="26" height="16" fill="{colour.light}"/>'


def _line(colour: palette.Colour, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M0,8H26" fill="none" stroke="{colour.light}" stroke-width="2.4"{dashed}/>'


def _cross(line: str = "") -> str:
    return f'{line}<path d="M3,3L13,13M13,3L3,13" fill="none" stroke="{palette.PREEMPTED.light}" stroke-width="2.4"/>'


_ARROW: Final = (
    f'<path d="M13,0V10" fill="none" stroke="{palette.PREEMPTED.light}" stroke-width="2"/>'
    f'<path d="M13,16L8.5,8H17.5Z" fill="{palette.PREEMPTED.light}"/>'
)


_CHANGE: Final = (
    f'<path d="M13,0V16" fill="none" stroke="{palette.LIMIT.light}" stroke-width="2" stroke-dasharray="2 3"/>'
)


def jobs(page: Page) -> str:
    """Return the picture of many jobs together; nothing where there are few."""
    crowd = page.crowd
    if crowd is None:
        return ""
    legend = _legend(
        (_area(palette.OWN), "runs on its share's own limit"),
        (_area(palette.BORROWED), "borrowed"),
        (_area(palette.IN_SHARE), "by in-share preemption"),
        (_area(palette.WAITING), "waiting, below the line"),
        (_cross(), "jobs preempted in that time"),
    )
    header = ("share", "jobs", "most running", "most waiting", "preempted", "in detail")
    means = f"means over {rough(crowd.width_ms)}"
    caption = (
        f"{counted(len(page.lives.jobs), 'job')} are drawn together: {means}. "
        "Click on a place to see the jobs of that share and time one by one, or choose them below."
    )
    beside = table(f"Jobs by share; the most of all {means}", header, _crowd_rows(page, crowd), numbers=range(1, 5))
    return _figure("jobs", simulation_charts.describe_crowds(crowd), text(caption), legend, beside)


def _shares_of(page: Page) -> list[str]:
    """Return the shares by the numbers that the page's script gives them."""
    return list(dict.fromkeys([*simulation_charts.titles_of(page.run), *(life.share for life in page.lives.jobs)]))


def _crowd_rows(page: Page, crowd: simulation_charts.CrowdData) -> list[tuple[str | Html, ...]]:
    names = _shares_of(page)
    return [
        (
            one.share,
            str(one.jobs),
            f"{max(own + more + inside for own, more, inside in _running(one)):g}",
            f"{max(one.means['waiting']):g}",
            str(sum(one.preempted)),
            Html(
                f'<button type="button" data-share="{names.index(one.share)}">Show jobs of {text(one.share)}</button>'
            ),
        )
        for one in crowd.crowds
    ]


def _show_button(number: int, share: str) -> Html:
    return Html(f'<button type="button" data-share="{number}">Show jobs of {text(share)}</button>')


def _running(one: overview.Crowd) -> Iterable[tuple[float, float, float]]:
    return zip(one.means["own"], one.means["borrowed"], one.means["in_share"], strict=True)


def timeline_figure(page: Page) -> str:
    """Return the timeline, with what steers it."""
    legend = _legend(
        (_area(palette.OWN), "runs on its share's own limit"),
        (_area(palette.BORROWED), "borrowed"),
        (_area(palette.IN_SHARE), "by in-share preemption"),
        (_line(palette.WAITING), "waiting"),
        (_cross(_line(palette.PREEMPTED, "4 3")), "preempted, waiting again"),
        (_ARROW, "from the preemptor to its victim"),
        *([(_CHANGE, "the settings change")] if page.lives.changes else []),
    )
    header = ("job", "share", "instances", "what", "from", "lasts", "cause")
    empty = table("What is drawn, in words", header, (), name="timeline-table")
    more = '<p class="note" id="timeline-more" hidden>More is drawn than is listed: zoom in to list the rest.</p>'
    beside = details("Table of what is drawn", empty + more)
    label = simulation_charts.describe_timeline(page.lives)
    return (
        '<p id="trouble" hidden>The pictures could not be drawn; the tables hold what they show.</p>'
        "<noscript><p>The pictures need JavaScript; the other tables and the text don't.</p></noscript>"
        f"{_controls(page)}{_figure('timeline', label, text(_how_to(page)), legend, beside)}"
    )


def _how_to(page: Page) -> str:
    """Say how the timeline is steered, and what of a very large run it does not hold."""
    left_out = len(page.lives.jobs) > JOBS_MAX
    part = (
        f" This page holds {JOBS_MAX} of {counted(len(page.lives.jobs), 'job')} one by one, preempted ones and "
        "borrowers first; the other pictures and the tables count them all."
    )
    return (
        "Point at a bar for its cause. Drag over a time to zoom into it, or hold Ctrl and turn the wheel; with the "
        "picture focused, + and - zoom, the arrow keys move, 0 shows all, Page Up and Page Down turn pages."
        f"{part if left_out else ''}"
    )


_FILTERS: Final = {
    "all": "all jobs",
    "preemption": "preempted or preempting",
    "borrowed": "borrowing",
    "unfinished": "not finished",
}
_MOVES: Final = {"in": "Zoom in", "out": "Zoom out", "left": "Earlier", "right": "Later", "all": "All"}


def _controls(page: Page) -> str:
    options = _options({"-1": "all shares", **{str(index): name for index, name in enumerate(_shares_of(page))}})
    buttons = "".join(f'<button type="button" id="{name}">{label}</button>' for name, label in _MOVES.items())
    return (
        '<div class="controls" role="group" aria-label="What is drawn">'
        f"<fieldset><legend>Time</legend>{buttons}</fieldset>"
        '<label>From <input id="from" class="time" autocomplete="off"></label>'
        '<label>to <input id="to" class="time" autocomplete="off"></label>'
        f'<label>Share <select id="share">{options}</select></label>'
        f'<label>Jobs <select id="filter">{_options(_FILTERS)}</select></label>'
        '<label>Name has <input id="find" type="search" autocomplete="off"></label></div>'
        '<div class="controls"><p id="status" role="status"></p><fieldset id="pages" hidden><legend>Page</legend>'
        '<button type="button" id="previous">Previous jobs</button>'
        '<button type="button" id="next">Next jobs</button></fieldset></div>'
    )


def _options(labels: Mapping[str, str]) -> str:
    return "".join(f'<option value="{value}">{text(label)}</option>' for value, label in labels.items())


def use_figure(page: Page) -> str:
    legend = _legend(
        (_area(palette.OWN), "used within the limit"),
        (_area(palette.LENT), "lent to others"),
        (_area(palette.BORROWED), "borrowed"),
        (_line(palette.LIMIT, "5 3"), "limit"),
    )
    rows = [
        (
            one.unit,
            one.share or "all shares",
            *(f"{value:g}" for value in (most.limit, most.used, most.borrowed, most.lent)),
        )
        for one in page.series
        for most in [use.most_of(one)]
    ]
    header = ("instance type", "share", "limit", "most used", "most borrowed", "most lent")
    beside = table("The most instances at once", header, rows, numbers=range(2, 6))
    linked = "" if page.crowd else "Zoomed with the timeline. "
    note = f"{linked}Shares that used and lent nothing of a type are left out."
    caption = text(f"{simulation_charts.describe_bins(page.series)} {note}")
    return _figure("use", simulation_charts.describe_use(page.series), caption, legend, beside)


def waits_figure(page: Page) -> str:
    rows = [
        (
            share.share,
            *(wait(share.wait.percentile_ms(percent)) for percent in (50, 95, 100)),
            str(share.wait.unstarted),
            wait(share.wait_after_preemption.percentile_ms(95)),
        )
        for share in page.measures.shares.values()
        if share.submitted
    ]
    header = ("share", "half wait at most", "95 % wait at most", "longest", "never started", "again, 95 %")
    beside = table("Waits; the last column is of waits after a preemption", header, rows, numbers=range(1, 6))
    legend = _legend(
        ('<circle cx="13" cy="8" r="4.5" fill="#0072b2" stroke="#1b1f24"/>', "median"),
        ('<rect x="7" y="2" width="12" height="12" fill="#aa4499" stroke="#1b1f24"/>', "95 % wait no longer"),
        ('<path d="M13,0L21,8L13,16L5,8Z" fill="#f0b43c" stroke="#1b1f24"/>', "longest"),
    )
    caption = text("From submission to the first start; the line begins at the shortest wait.")
    return _figure("waits", simulation_charts.describe_waits(page.measures), caption, legend, beside)


def wait(wait_ms: int | None) -> str:
    return "-" if wait_ms is None else rough(wait_ms)
