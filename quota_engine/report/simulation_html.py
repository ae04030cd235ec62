"""A simulation as one self-contained HTML page: pictures that can be zoomed, a table beside each, and all it rests on.

Nothing is loaded: scripts and styles stand in the page, a policy forbids every connection and lets only these scripts
run, and Vega interprets its expressions instead of compiling them. The page's own script and style sheet are files of
this package. A large run is drawn as a whole in means and in detail for the share and time looked at; the page says so.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from quota_engine import __version__

from ..scheduler.points import POINTS
from ..simulate import Measures, Run, Tried, Verdict
from . import declaration_yaml, simulation_charts, simulation_sensitivity
from .charts import axes, overview, palette, timeline, use, waits
from .charts.drawing import configured, json_for_script, script_bundle
from .charts.lives import lives
from .charts.packed import packed
from .markup import Html, details, section, table, text
from .markup import lines as escaped_lines
from .share_table import capacity_lines
from .simulation_figures import Page, jobs, timeline_figure, use_figure, waits_figure
from .simulation_text import queue_of
from .story import amount, story
from .times import clock, rough
from .visible import counted, visible

ROWS_MAX: Final = 100
"""Jobs that the page draws at once; with more there is a picture of them all together."""
STORY_MAX: Final = 300
LISTED_MAX: Final = 100
_MARKS: Final = {"holds": "✓ holds", "fails": "✗ fails", "undecided": "? undecided"}


def render(run: Run, verdicts: Sequence[Verdict], measures: Measures, tried: Sequence[Tried] | None = None) -> str:
    """Return the page."""
    found = lives(run)
    crowd = simulation_charts.crowd_data(run, found) if len(found.jobs) > ROWS_MAX else None
    page = Page(run, verdicts, measures, tried, found, simulation_charts.use_series(run), crowd)
    style = _resource("page.css") + palette.style_sheet(".marks", live=True)
    scripts = [script_bundle(), _resource("page.js")] if page.is_drawn else []
    title = text(run.scenario.description or run.scenario.stack.name)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, scripts)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head>\n<body>"
        f'<a class="skip" href="#main">Skip to the report</a>{_header(page, title)}'
        f'<main id="main">{"".join(_sections(page))}</main>{_footer(page)}'
        '<div id="tip" class="tip" role="tooltip" hidden></div>'
        f'<svg width="0" height="0" aria-hidden="true">{palette.patterns()}</svg>\n'
        + (f'<script type="application/json" id="report">{json_for_script(_data(page))}</script>\n' if scripts else "")
        + "".join(f"<script>{script}</script>\n" for script in scripts)
        + "</body></html>\n"
    )


def _resource(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _policy(style: str, scripts: Iterable[str]) -> str:
    """Return the page's Content-Security-Policy: these scripts and this style, and no connection whatever."""
    allowed = " ".join(_digest(script) for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode('utf-8')).digest()).decode('ascii')}'"


def _data(page: Page) -> dict[str, Any]:
    """Return what the page's script reads: the jobs, and the charts with their data."""
    waiting = waits.wait_rows(page.measures)
    sources: dict[str, Any] = {"use": {use.SOURCE: use.use_rows(page.series, page.run.end_ms)}, "waits": waiting}
    if page.crowd is not None:
        sources["jobs"] = {"overview": page.crowd.rows}
    return {
        "packed": packed(page.lives, simulation_charts.titles_of(page.run), page.run.end_ms),
        "row_height": timeline.ROW_HEIGHT,
        "specs": {name: _live(axes.as_spec(chart)) for name, chart in _charts(page, waiting).items()},
        "sources": sources,
    }


def _charts(page: Page, waiting: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the charts of the page, each described in words, which Vega makes its label."""
    end_ms, told = page.run.end_ms, simulation_charts
    shares, longest_ms = [row["share"] for row in waiting["spans"]], told.longest_ms(waiting)
    panels = [use.panel(one) for one in page.series]
    charts: dict[str, Any] = {
        "timeline": timeline.timeline(1, end_ms, description=told.describe_timeline(page.lives)),
        "use": use.use_chart(panels, end_ms, description=told.describe_use(page.series)),
        "waits": waits.waits_chart(shares, longest_ms, description=told.describe_waits(page.measures)),
    }
    if page.crowd is not None:
        crowded = [visible(one.share) for one in page.crowd.crowds]
        charts["jobs"] = overview.overview(crowded, end_ms, description=told.describe_crowds(page.crowd))
    return charts


def _live(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a chart for the page, whose legends are the page's own: they wrap, and a reader hears them."""
    made: dict[str, Any] = _without_legends(configured(spec))
    del made["datasets"]
    made["config"]["background"] = None
    made["config"]["view"]["fill"] = "transparent"  # what has no fill can't be clicked on
    made["padding"] = {"left": 2, "right": 8, "top": 6, "bottom": 4}
    return made


def _without_legends(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: None if key == "legend" else _without_legends(inner) for key, inner in value.items()}
    return [_without_legends(inner) for inner in value] if isinstance(value, list) else value


def _header(page: Page, title: str) -> str:
    run, queue = page.run, queue_of(page.run)
    environment = run.scenario.stack.service_environments.get(queue.service_environment or "")
    room = f" on {amount(environment.capacity_limits)}" if environment else ""
    jobs = counted(len(run.records) + len(run.refused), "job")
    shares = counted(len(queue.quota_shares), "share")
    lead = f"{visible(run.scenario.stack.name)}, queue {visible(queue.name)}: {jobs} in {shares}{room}."
    links = "".join(f'<li><a href="#{name}">{text(label)}</a></li>' for name, label in _contents(page))
    cut = f"<p>The run was cut off: {text(run.stopped_because)}</p>" if run.stopped_because else ""
    windows = "".join(f"<p>{text(line)}</p>" for line in capacity_lines(run.scenario.capacity, run.end_ms))
    return (
        f'<header><h1>{title}</h1><p class="lead">{text(lead)}</p>{windows}{_badge(page)}{cut}'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav></header>'
    )


def _badge(page: Page) -> str:
    if not page.verdicts:
        return "<p>No expectations: nothing to judge.</p>"
    holding = sum(verdict.holds for verdict in page.verdicts)
    kind = "holds" if holding == len(page.verdicts) else "fails"
    return f'<p><span class="badge {kind}">{holding} of {len(page.verdicts)} expectations hold</span></p>'


def _contents(page: Page) -> list[tuple[str, str]]:
    drawn = [("jobs", "Jobs by share")] if page.crowd else []
    pictures = [*drawn, ("timeline", "Timeline"), ("use", "Use and limits"), ("waits", "Waits")]
    return [
        *([("verdicts", "Expectations")] if page.verdicts else []),
        *(pictures if page.is_drawn else []),
        ("shares", "Shares"),
        ("story", "What happens"),
        *([("unfinished", "Not finished")] if page.run.unfinished else []),
        ("assumptions", "Assumptions"),
        ("declaration", "Declaration"),
    ]


def _sections(page: Page) -> Iterable[str]:
    for name, title in _contents(page):
        yield section(name, title, _PARTS[name](page))


def _verdicts(page: Page) -> str:
    rows = [
        (
            verdict.expected,
            Html(f'<span class="{verdict.judgement.value}">{_MARKS[verdict.judgement.value]}</span>'),
            verdict.seen,
        )
        for verdict in page.verdicts
    ]
    return table("What the scenario expects, and what was seen", ("expected", "judgement", "seen"), rows)


def _shares(page: Page) -> str:
    header = (
        "share", "settings", "jobs", "succeeded", "failed", "unfinished", "preempted across shares", "in share",
        "preempted of others", "work lost", "own wanted, served", "own left idle", "borrowed at most", "lent at most",
    )  # fmt: skip
    titles = simulation_charts.titles_of(page.run)
    rows = [
        (
            share.share,
            titles.get(share.share, "").partition(": ")[2],
            *(str(count) for count in (share.submitted, share.succeeded, share.failed, share.unfinished)),
            str(share.cross_share_preemptions),
            str(share.in_share_preemptions),
            str(share.caused_preemptions),
            _time(share.lost_instance_ms),
            _percent(share.served),
            _time(sum(share.idle_instance_ms.values())),
            _most({unit: one.most for unit, one in share.borrowed.items()}),
            _most({unit: one.most for unit, one in share.lent.items()}),
        )
        for share in page.measures.shares.values()
    ]
    fairness = page.measures.fairness
    caption = "Measures by share; work lost and what was left idle are in instance time" + (
        f". Fairness: {fairness:.2f} of 1, by Jain's index of what the shares were served"
        if fairness is not None
        else ""
    )
    return table(caption, header, rows, numbers=range(2, 12)) + _types(page)


def _types(page: Page) -> str:
    """Return what there is to say of each instance type: its utilisation, and what RESERVE kept idle of it."""
    rows = []
    for unit, one in page.measures.utilisation.items():
        reserved = page.measures.reserved.get(unit)
        kept = (_time(reserved.idle_instance_ms), _time(reserved.wanted_instance_ms)) if reserved else ("-", "-")
        rows.append((unit, _percent(one.ratio), *kept))
    header = (
        "instance type",
        "utilisation",
        "kept idle by RESERVE while borrowers waited",
        "of it they could have used",
    )
    return table("Instance types, in instance time", header, rows, numbers=range(1, 4))


def _time(instance_ms: int) -> str:
    return rough(instance_ms) if instance_ms else "-"


def _percent(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio * 100:.0f} %"


def _most(amounts: dict[str, int]) -> str:
    found = {unit: count for unit, count in amounts.items() if count}
    return amount(found) if found else "-"


def _story(page: Page) -> str:
    told = list(islice(story(page.run.trace), STORY_MAX + 1))
    shown = [(clock(line.at_ms), visible(line.job), line.text) for line in told[:STORY_MAX]]
    is_all = len(told) <= STORY_MAX
    note = "" if is_all else '<p class="note">The rest is left out; quota-engine simulate -v tells all.</p>'
    found = table("Every decision in order of time", ("time", "job", "what happens"), shown) + note
    return details("All of it" if is_all else f"The first {counted(len(shown), 'line')}", found)


def _unfinished(page: Page) -> str:
    shown = page.run.unfinished[:LISTED_MAX]
    rows = [(left.job, left.share, left.status, "yes" if left.can_run else "no", left.reason) for left in shown]
    left_out = len(page.run.unfinished) - len(shown)
    note = f'<p class="note">{counted(left_out, "job")} more.</p>' if left_out else ""
    return table("Jobs that had not ended when the run did", ("job", "share", "status", "can run", "why"), rows) + note


def _assumptions(page: Page) -> str:
    changed = page.run.assumptions.changed()
    rows = [
        (point.number, point.title, point.statement, point.status.value, str(changed.get(point.switch or "", "")))
        for point in POINTS
        if point.number in page.run.rests_on or (point.switch or "") in changed
    ]
    header = ("number", "point", "the model", "status", "set here to")
    beside = table("What AWS does not document, and decided something here or is set otherwise", header, rows)
    found = beside if rows else "<p>Nothing that AWS leaves undocumented decided anything here.</p>"
    if page.tried is None:
        return found
    told = "\n".join(simulation_sensitivity.text(page.tried))
    return f'{found}<pre tabindex="0" aria-label="Sensitivity">{escaped_lines(told)}</pre>'


def _declaration(page: Page) -> str:
    written = declaration_yaml.render(page.run.scenario.stack)
    shown = f'<pre tabindex="0" aria-label="The declaration">{escaped_lines(written)}</pre>'
    return details("The declaration that was simulated", shown)


_PARTS: Final = {
    "verdicts": _verdicts,
    "jobs": jobs,
    "timeline": timeline_figure,
    "use": use_figure,
    "waits": waits_figure,
    "shares": _shares,
    "story": _story,
    "unfinished": _unfinished,
    "assumptions": _assumptions,
    "declaration": _declaration,
}


def _footer(page: Page) -> str:
    return (
        f"<footer><p>quota-engine {text(__version__)}, a prediction by its scheduling model, which no real account has "
        f"confirmed. Times count from the scenario's start; the run ends at {clock(page.run.end_ms)}.</p></footer>"
    )
