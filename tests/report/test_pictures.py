"""The pictures without a browser: SVG, PNG, Mermaid, Perfetto, JSON Lines, and what the HTML page is made of."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quota_engine.config import load_scenario
from quota_engine.model.work import Job, Scenario, SetCapacity
from quota_engine.report import simulation_html, simulation_jsonl, simulation_perfetto
from quota_engine.report.charts import palette
from quota_engine.report.charts.drawing import json_for_script, render
from quota_engine.report.charts.lives import lives
from quota_engine.report.mermaid import MERMAID_MAX, gantt, safe
from quota_engine.report.simulation_charts import pictures
from quota_engine.simulate import Run, judge, measure, run

pytest.importorskip("altair", reason="pictures need the extra [report]")
pytest.importorskip("vl_convert", reason="pictures need the extra [report]")

CASES = Path(__file__).parent.parent / "cases" / "report"
EVIL = "</script><img src=x onerror=alert(1)>--><!-- ]]> \u2028 'quoted\" & co"


def load(name: str) -> Scenario:
    loaded = load_scenario(str(CASES / name))
    assert loaded.value is not None, loaded.diagnostics
    return loaded.value


def many(scenario: Scenario, count: int, name: str = "job") -> Scenario:
    """Return the scenario with this many jobs instead of its own, a fifth of them in a share that must preempt."""
    jobs = tuple(
        Job(
            f"{name}-{number:05d}",
            "QS2" if number % 5 == 0 else "QS1",
            {"ml.g5.xlarge": 1},
            number * 700_000,
            1_500_000,
        )
        for number in range(count)
    )
    return replace(scenario, jobs=jobs, events=(), expectations=())


@pytest.fixture(scope="module")
def announcement() -> Run:
    return run(load("announcement.yaml"))


@pytest.fixture(scope="module")
def evil() -> Run:
    """A run whose every name is an attempt to become markup."""
    scenario = load("announcement.yaml")
    jobs = tuple(replace(job, name=f"{job.name}{EVIL}") for job in scenario.jobs)
    stack = replace(scenario.stack, name=EVIL)
    return run(replace(scenario, stack=stack, jobs=jobs, events=(), expectations=(), description=EVIL))


def drawn(outcome: Run) -> dict[str, dict[str, object]]:
    return pictures(outcome, measure(outcome), lives(outcome))


def page(outcome: Run) -> str:
    return simulation_html.render(outcome, judge(outcome), measure(outcome))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, by WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [palette.INK, palette.MUTED, palette.PREEMPTED, palette.LIMIT])
def test_texts_and_lines_have_contrast(colour: palette.Colour) -> None:
    """4.5:1 on light and on dark paper."""
    assert contrast(colour.light, palette.PAPER.light) >= 4.5
    assert contrast(colour.dark, palette.PAPER.dark) >= 4.5


def test_what_colours_tell_hatchings_tell_too() -> None:
    """Borrowed, in-share and lent areas differ from own ones without any colour."""
    assert not palette.OWN.hatching
    hatchings = [colour.hatching for colour in (palette.BORROWED, palette.IN_SHARE, palette.LENT)]
    assert all(hatchings)
    assert len(set(hatchings)) == len(hatchings)
    lights = [colour.light for colour in palette.COLOURS]
    assert len(set(lights)) == len(lights), "a style sheet finds a meaning by its light colour"


def test_an_svg_is_the_same_twice_well_formed_and_in_words(announcement: Run) -> None:
    """It can be kept in a repository, and a screen reader says what it shows."""
    for name, spec in drawn(announcement).items():
        svg = render(spec, "svg")
        assert svg == render(spec, "svg")
        root = ElementTree.fromstring(svg)
        assert "prefers-color-scheme" in svg.decode()
        assert "url(#qe-" in svg.decode() or name == "waits"
        assert root.get("viewBox")
        assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]*"', "", svg.decode())


def test_a_png_is_a_png(announcement: Run) -> None:
    """Drawn without a browser."""
    assert render(drawn(announcement)["timeline"], "png").startswith(b"\x89PNG\r\n\x1a\n")


def test_a_timeline_of_many_says_how_many_it_draws(announcement: Run) -> None:
    """Nobody may take sixty jobs for all."""
    outcome = run(many(announcement.scenario, 150))
    specs = drawn(outcome)
    assert set(specs) == {"jobs", "timeline", "use", "waits"}
    assert "60 of 150 jobs: preempted ones first" in json.dumps(specs["timeline"])


def test_nothing_is_drawn_of_an_empty_run(announcement: Run) -> None:
    """No picture, and still a page."""
    outcome = run(replace(announcement.scenario, jobs=(), events=(), expectations=()))
    assert drawn(outcome) == {}
    assert "<svg" in page(outcome)
    assert gantt(outcome, lives(outcome)) == []


def test_mermaid_is_bounded_and_takes_no_syntax_from_names(announcement: Run, evil: Run) -> None:
    """GitHub refuses large charts, and a job named `section` or `click` must stay a job."""
    lines = gantt(evil, lives(evil))
    assert not any(sign in "".join(lines) for sign in "<>;#\u2028")
    outcome = run(many(announcement.scenario, 500, "click"))
    lines = gantt(outcome, lives(outcome))
    bars = [line for line in lines if " :" in line]
    assert 0 < len(bars) <= MERMAID_MAX
    words = {line.split()[0] for line in lines if line.startswith("    ")}
    assert words <= {"dateFormat", "axisFormat", "section", "own", "borrowed", "in-share", "waits", "preempted"}
    assert any("jobs not drawn" in line for line in lines)
    assert safe("a:b,c #d") == "a_b_c_d"


def test_perfetto_has_lanes_arrows_and_counters(announcement: Run) -> None:
    """Tracks per share, an arrow from each preemptor to its victim, and use with borrowing."""
    document = json.loads(simulation_perfetto.render(announcement))
    events = document["traceEvents"]
    slices = {(one["name"], one["cat"]): one for one in events if one["ph"] == "X"}
    assert slices["qs1_job_med", "borrowed"]["dur"] > 0
    starts = {one["id"]: one for one in events if one["ph"] == "s"}
    ends = {one["id"]: one for one in events if one["ph"] == "f"}
    assert len(starts) == len(ends) == 2
    names = {(one["pid"], one["tid"]): one["name"] for one in events if one["ph"] == "X"}
    arrows = {(names[starts[i]["pid"], starts[i]["tid"]], names[ends[i]["pid"], ends[i]["tid"]]) for i in starts}
    assert arrows == {("qs2_job", "qs1_job_med"), ("qs1_job_low", "qs1_job_high")}
    counters = [one for one in events if one["ph"] == "C" and "borrowed" in one["args"]]
    assert max(one["args"]["borrowed"] for one in counters) == 1


def test_json_lines_are_the_trace(announcement: Run) -> None:
    """A line what was run, then an event a line."""
    head = json.loads(simulation_jsonl.head(announcement, len(announcement.trace)))
    lines = [json.loads(simulation_jsonl.line(event)) for event in announcement.trace]
    assert (head["type"], head["version"], head["events"]) == ("run", 1, len(announcement.trace))
    assert [line["at_ms"] for line in lines] == [event.at_ms for event in announcement.trace]


class _Reader(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_the_page_holds_all_it_needs(announcement: Run) -> None:
    """No link to anything outside, and a policy that lets nothing else run."""
    reader = _Reader()
    text = page(announcement)
    reader.feed(text)
    loading = [attrs for _, attrs in reader.elements for name in ("src", "href", "action", "data") if name in attrs]
    assert all(str(attrs.get("href", "")).startswith("#") for attrs in loading)
    assert not [tag for tag, _ in reader.elements if tag in ("link", "iframe", "object", "embed", "img", "base")]
    assert not [attrs for _, attrs in reader.elements for name in attrs if name.startswith("on") or name == "style"]
    policy = next(attrs["content"] for tag, attrs in reader.elements if attrs.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_names_stay_text_in_the_page(evil: Run) -> None:
    """What users named can neither open an element nor end the script that holds the data."""
    text = page(evil)
    reader = _Reader()
    reader.feed(text)
    assert not [tag for tag, _ in reader.elements if tag == "img"]
    assert [tag for tag, _ in reader.elements].count("script") == 3
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    assert "<" not in found.group(1)
    assert any("</script>" in name for name in json.loads(found.group(1))["packed"]["names"])


def test_data_in_a_script_reads_back() -> None:
    """Escaping for HTML must not change the value."""
    value = {"name": EVIL}
    text = json_for_script(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_a_page_of_many_jobs_stays_small(announcement: Run) -> None:
    """Some 25 bytes a job beside what every page has."""
    small, large = (len(page(run(many(announcement.scenario, count)))) for count in (200, 5_200))
    assert (large - small) / 5_000 < 60
    assert small < 1_200_000


def test_the_same_run_gives_the_same_page(announcement: Run) -> None:
    """Same input, same bytes."""
    assert page(announcement) == page(run(announcement.scenario))


def test_a_change_of_the_settings_is_marked(announcement: Run) -> None:
    """What was true before a quota edit need not be true after it."""
    event = SetCapacity(300_000, {"ml.g5.xlarge": 2})
    outcome = run(replace(announcement.scenario, events=(event,), expectations=()))
    (change,) = lives(outcome).changes
    assert change.what.startswith("00:05:00 the settings change: ")
    assert change.what in json.dumps(drawn(outcome)["timeline"], ensure_ascii=False)
    assert change.what in page(outcome)
