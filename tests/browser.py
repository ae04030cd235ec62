"""Headless Chromium for the tests of pages.

Needs Debian's `chromium` and `chromium-driver` (or Chrome and chromedriver). Without them the tests are skipped and say
so; in CI their absence is an error.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BROWSER = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
WAIT_S = 15


@contextmanager
def browsing() -> Iterator[Any]:
    """Start Chromium without a window, with the console's messages kept for `get_log("browser")`."""
    if BROWSER is None or DRIVER is None:
        reason = "the page is not tested: install chromium and chromium-driver (Debian) to run this"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to run as root with it
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def wait_for(browser: Any, condition: Any, wait_s: int = WAIT_S) -> Any:
    """Wait until a condition of the page holds, and return what it gives."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, wait_s, poll_frequency=0.05).until(condition)
