"""The report of a simulation in headless Chromium: what a person, a phone, a keyboard and a screen reader get from it.

It must work from a file, without any connection, and what users named must stay text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quota_engine.report import simulation_html
from quota_engine.simulate import judge, measure, run
from tests.browser import browsing, wait_for
from tests.report.test_pictures import EVIL, contrast, load, many

pytest.importorskip("altair", reason="pictures need the extra [report]")
pytest.importorskip("vl_convert", reason="pictures need the extra [report]")

LOAD_S = 60
"""Far above what a page needs; a machine that is busy must not fail a test."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages: few jobs, many, and names that would be markup."""
    folder = tmp_path_factory.mktemp("pages")
    few = load("announcement.yaml")
    jobs = tuple(replace(job, name=f"{job.name}{EVIL}") for job in few.jobs)
    evil = replace(few, stack=replace(few.stack, name=EVIL), jobs=jobs, events=(), expectations=(), description=EVIL)
    for name, scenario in (("few", few), ("many", many(few, 1_200)), ("evil", evil)):
        outcome = run(scenario)
        text = simulation_html.render(outcome, judge(outcome), measure(outcome))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def opened(browser: Any, path: Path) -> None:
    """Open a page and wait until all is drawn."""
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(path.as_uri())
    ready = "return document.documentElement.dataset.ready"
    wait_for(browser, lambda page: page.execute_script(ready), LOAD_S)


def bars(browser: Any) -> list[str]:
    """Return what the timeline's bars and lines say."""
    marks = browser.find_elements(
        "css selector", "#timeline-chart .mark-rect [aria-label], #timeline-chart .mark-rule [aria-label]"
    )
    return [str(mark.get_attribute("aria-label")) for mark in marks]


@pytest.mark.parametrize("name", ["few", "many", "evil"])
def test_the_page_asks_the_network_for_nothing_and_the_console_is_quiet(browser: Any, pages: Path, name: str) -> None:
    """A report is opened from a CI artifact, on a train, behind a proxy."""
    opened(browser, pages / f"{name}.html")
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [one["params"]["request"]["url"] for one in sent if one["method"] == "Network.requestWillBeSent"]
    assert [url for url in urls if not url.startswith(("file:", "data:"))] == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


def test_every_job_is_drawn_with_its_cause(browser: Any, pages: Path) -> None:
    """Who ran where, on what, and who took it away."""
    opened(browser, pages / "few.html")
    told = bars(browser)
    assert any("qs1_job_med" in text and "borrows 1 ml.g5.xlarge" in text for text in told)
    assert any("qs2_job" in text and "preempts qs1_job_med" in text for text in told)
    assert any("preempted (cross-share) by qs2_job" in text for text in told)
    table = browser.find_element("id", "timeline-table").get_attribute("textContent")
    assert "preempted (in-share) by qs1_job_low" in table
    arrows = browser.find_elements("css selector", "#timeline-chart .mark-symbol path[fill='#b3261e']")
    assert len(arrows) == 2


def test_names_stay_text(browser: Any, pages: Path) -> None:
    """Nothing that a user named may become markup or run."""
    opened(browser, pages / "evil.html")
    assert browser.find_elements("css selector", "img, main script") == []
    assert "<img src=x onerror" in browser.find_element("tag name", "h1").text
    assert any("</script><img" in text for text in bars(browser))


def test_the_keyboard_zooms_moves_and_goes_back(browser: Any, pages: Path) -> None:
    """All that a mouse can do."""
    from selenium.webdriver.common.keys import Keys

    opened(browser, pages / "few.html")
    chart = browser.find_element("id", "timeline-chart")

    def times() -> list[str]:
        return [str(browser.find_element("id", name).get_attribute("value")) for name in ("from", "to")]

    whole = times()
    browser.execute_script("arguments[0].focus()", chart)
    assert browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    chart.send_keys("+")
    wait_for(browser, lambda _page: times() == ["02:05:00", "06:15:00"])
    chart.send_keys(Keys.ARROW_LEFT)
    wait_for(browser, lambda _page: times()[0] < "02:05:00")
    chart.send_keys("0")
    wait_for(browser, lambda _page: times() == whole)


def test_tab_reaches_every_control_in_order(browser: Any, pages: Path) -> None:
    """Focus is seen, and never caught."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    opened(browser, pages / "few.html")
    browser.execute_script("window.scrollTo(0, 0); document.activeElement.blur()")
    reached = []
    for _ in range(40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        reached.append(browser.execute_script("return document.activeElement.id || document.activeElement.className"))
    assert reached[0] == "skip"
    controls = ["in", "out", "left", "right", "all", "from", "to", "share", "filter", "find", "timeline-chart"]
    assert [name for name in reached if name in controls] == controls


def test_many_jobs_are_drawn_together_and_in_part(browser: Any, pages: Path) -> None:
    """A thousand rows would be a wall: the whole as means, the detail of a share on demand."""
    opened(browser, pages / "many.html")
    assert "1200 jobs are drawn together" in browser.find_element("id", "jobs").text
    rows = "return document.querySelectorAll('#timeline-chart .role-axis-label text').length"
    assert 0 < browser.execute_script(rows) <= 120
    browser.find_element("css selector", "button[data-share='1']").click()
    wait_for(browser, lambda page: page.find_element("id", "share").get_attribute("value") == "1")
    wait_for(browser, lambda _page: all("job-" in text for text in bars(browser)))
    browser.execute_script("document.getElementById('all').click()")
    wait_for(browser, lambda page: "Jobs 1 to 100 of 240" in page.find_element("id", "status").text)
    browser.find_element("id", "next").click()
    wait_for(browser, lambda page: "Jobs 101 to 200 of 240" in page.find_element("id", "status").text)


def test_a_click_on_the_crowd_shows_its_jobs(browser: Any, pages: Path) -> None:
    """From the place that looks odd to the jobs that were there."""
    from selenium.webdriver.common.action_chains import ActionChains

    opened(browser, pages / "many.html")
    panels = browser.find_elements("css selector", "#jobs-chart .mark-area path")
    widest = max(panels, key=lambda panel: panel.size["width"])
    ActionChains(browser).move_to_element(widest).click().perform()
    wait_for(browser, lambda page: page.find_element("id", "share").get_attribute("value") != "-1")
    assert browser.execute_script("return document.activeElement.id") == "timeline-chart"


def test_a_job_is_found_by_its_name(browser: Any, pages: Path) -> None:
    """The reader who asks is the owner of one job."""
    opened(browser, pages / "many.html")
    browser.execute_script("document.getElementById('all').click()")
    find = browser.find_element("id", "find")
    find.send_keys("job-00234")
    browser.execute_script("arguments[0].dispatchEvent(new Event('change'))", find)
    wait_for(browser, lambda page: page.find_element("id", "status").text.startswith("1 job"))
    assert all("job-00234" in text for text in bars(browser))


@pytest.mark.parametrize("name", ["few", "many"])
def test_the_page_fits_a_phone(browser: Any, pages: Path, name: str) -> None:
    """Wide tables scroll in themselves; the page does not."""
    metrics = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        opened(browser, pages / f"{name}.html")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


COLOURS = """
const two = part => Number(part).toString(16).padStart(2, "0");
const hex = colour => "#" + colour.match(/[0-9.]+/g).slice(0, 3).map(two).join("");
const paper = hex(getComputedStyle(document.body).backgroundColor);
const found = new Map();
const texts = "h1, h2, p, a, th, td, caption, label, button, summary, figcaption, li, span, .marks text";
for (const one of document.querySelectorAll(texts)) {
  if (!one.textContent.trim() || one.closest("button:disabled")) continue;
  const style = getComputedStyle(one);
  found.set(hex(one.closest("svg") ? style.fill : style.color), one.tagName);
}
return [paper, [...found.keys()]];
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast_in_light_and_dark(browser: Any, pages: Path, scheme: str) -> None:
    """4.5:1, as computed by the browser, in the pictures too."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        opened(browser, pages / "few.html")
        paper, colours = browser.execute_script(COLOURS)
        assert (paper == "#ffffff") == (scheme == "light")
        assert len(colours) > 3
        assert [colour for colour in colours if contrast(colour, paper) < 4.5] == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("name", ["few", "many"])
def test_a_screen_reader_finds_its_way(browser: Any, pages: Path, name: str) -> None:
    """Language, landmarks, one heading a section, captions, headers, and words for every picture."""
    opened(browser, pages / f"{name}.html")
    assert browser.find_element("tag name", "html").get_attribute("lang") == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(browser.find_elements("tag name", landmark)) == 1
    levels = [heading.tag_name for heading in browser.find_elements("css selector", "h1, h2, h3")]
    assert levels[0] == "h1"
    assert set(levels[1:]) == {"h2"}
    for table in browser.find_elements("tag name", "table"):
        assert table.find_element("tag name", "caption").get_attribute("textContent")
        assert all(head.get_attribute("scope") == "col" for head in table.find_elements("css selector", "thead th"))
        assert all(head.get_attribute("scope") == "row" for head in table.find_elements("css selector", "tbody th"))
    for chart in browser.find_elements("css selector", ".chart"):
        assert len(chart.get_attribute("aria-label")) > 20
        assert chart.find_element("xpath", "ancestor::section").find_elements("tag name", "table")
    identities = [one.get_attribute("id") for one in browser.find_elements("css selector", "[id]")]
    assert len(identities) == len(set(identities))
    for control in browser.find_elements("css selector", "input, select"):
        assert control.find_element("xpath", "ancestor::label").text
