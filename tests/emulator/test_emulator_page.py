"""The live page in headless Chromium: what a person, a phone and a screen reader get from it.

Names that users chose are data: none of them may become markup or script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import browsing, wait_for
from tests.conftest import Emulator
from tests.emulator.resources import make_blog_queue, submit


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


@pytest.fixture
def blog(emulator: Emulator) -> Emulator:
    """Return the announcement's queue after half an hour: two jobs run, one was preempted, one is blocked."""
    batch = emulator.client("batch")
    make_blog_queue(batch)
    for number in range(3):
        submit(batch, f"job-{number}", "QS1")
    emulator.advance(20 * 60_000)
    submit(batch, "taker", "QS2")
    submit(batch, "in-vain", "QS3", serviceRequestPayload=BIG)
    emulator.advance(10 * 60_000)
    return emulator


BIG = '{"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2}}'


def opened(browser: Any, emulator: Emulator) -> str:
    """Open the page, wait until it shows the queue, and return its text."""
    browser.get(emulator.url)
    wait_for(browser, lambda page: page.find_elements("css selector", "section h2"))
    text: str = browser.find_element("tag name", "body").text
    return text


ROWS = """
const table = [...document.querySelectorAll("table")].find(one => one.caption.textContent.startsWith(arguments[0]));
return [...table.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell => cell.textContent));
"""


def rows(browser: Any, caption: str) -> list[list[str]]:
    """Return the cells of the table whose caption begins with the words given, read between two updates of the page."""
    found: list[list[str]] = browser.execute_script(ROWS, caption)
    return found


def test_the_page_shows_shares_fronts_jobs_and_preemptions(browser: Any, blog: Emulator) -> None:
    """The whole state at a glance: who uses and borrows what, who waits and why, what runs, who was preempted."""
    opened(browser, blog)
    shares = {row[0]: row for row in rows(browser, "ml.g5.xlarge")}
    assert [shares["QS1"][place] for place in (2, 3, 4)] == ["1", "1", "0"]
    assert [shares["QS2"][place] for place in (2, 3, 4)] == ["1", "1", "0"]
    fronts = {row[0]: row for row in rows(browser, "Front of every share")}
    assert "CAPACITY_LIMIT" in fronts["QS3"][4] or "MISCONFIGURATION" in fronts["QS3"][4]
    assert fronts["QS1"][4] == "waits for room"
    assert {row[0] for row in rows(browser, "Running")} >= {"taker"}
    ((victim, share, *_rest),) = rows(browser, "Preemptions")
    assert victim.startswith("job-")
    assert share == "QS1"
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_last_hour_is_drawn(browser: Any, blog: Emulator) -> None:
    """Thirty minutes of two instances in use; the picture says so in words too."""
    opened(browser, blog)
    chart = browser.find_element("css selector", "svg.hour")
    label = chart.get_attribute("aria-label")
    assert "QS1 0.8" in label  # two instances for 20 of 60 minutes, one for 10
    assert "at most 2 of 3" in label
    assert len(chart.find_elements("tag name", "rect")) == 30 + 10


def test_the_page_updates_by_itself(browser: Any, blog: Emulator) -> None:
    """Nobody reloads: a job that is submitted now appears."""
    opened(browser, blog)
    submit(blog.client("batch"), "newcomer", "QS2")
    wait_for(browser, lambda _page: any("newcomer" in row[1] for row in rows(browser, "Front of every share")))


def test_what_users_named_stays_text(browser: Any, blog: Emulator) -> None:
    """A need's unit comes from the job's payload unread: it must never become markup or run."""
    evil = '{"ResourceConfig": {"InstanceType": "<img src=x onerror=document.title=1><b>", "InstanceCount": 1}}'
    submit(blog.client("batch"), "evil", "QS2", serviceRequestPayload=evil, schedulingPriority=9)
    opened(browser, blog)
    wait_for(browser, lambda page: "<img src=x onerror" in page.find_element("tag name", "body").text)
    assert browser.title == "quota-engine emulator"
    assert not browser.find_elements("tag name", "img")


def test_the_page_fits_a_phone(browser: Any, blog: Emulator) -> None:
    """Wide tables scroll in themselves; the page does not."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        opened(browser, blog)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_screen_reader_finds_its_way(browser: Any, blog: Emulator) -> None:
    """Language, headings, captions, headers of rows and columns, words for every picture, a place for alerts."""
    opened(browser, blog)
    assert browser.find_element("tag name", "html").get_attribute("lang") == "en"
    levels = [heading.tag_name for heading in browser.find_elements("css selector", "h1, h2, h3")]
    assert levels == ["h1", "h2"]
    for table in browser.find_elements("tag name", "table"):
        assert table.find_element("tag name", "caption").text
        assert all(head.get_attribute("scope") == "col" for head in table.find_elements("css selector", "thead th"))
        assert all(head.get_attribute("scope") == "row" for head in table.find_elements("css selector", "tbody th"))
    for picture in browser.find_elements("css selector", "[role=img]"):
        assert picture.get_attribute("aria-label")
    assert browser.find_elements("css selector", "[role=alert]")


def test_an_emulator_that_is_gone_is_said(browser: Any, blog: Emulator) -> None:
    """An old picture must not pass for the present."""
    opened(browser, blog)
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )
    try:
        wait_for(browser, lambda page: "does not answer" in page.find_element("id", "alert").text)
    finally:
        browser.execute_cdp_cmd(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        )
