"""The Go modules under tools/ and the versions the package names are one and the same."""

from __future__ import annotations

import re

from quota_engine.local.build import TOOLS
from quota_engine.local.engine import PULUMI_VERSION


def requirement(module: str, path: str) -> str:
    text = (TOOLS / module / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(path)} v(\S+)", text, re.MULTILINE)
    assert found, f"{module} does not require {path}"
    return found[1]


def test_what_is_built_is_the_version_that_is_downloaded() -> None:
    """The cache folder is named by the version, so two sources of it must not differ."""
    assert requirement("pulumi", "github.com/pulumi/pulumi/pkg/v3") == PULUMI_VERSION
    assert requirement("pulumi", "github.com/pulumi/pulumi/sdk/v3") == PULUMI_VERSION


def test_both_modules_pin_their_sources() -> None:
    """Without go.sum a build would take whatever a proxy serves."""
    for module in ("pulumi", "pulumi-language-python"):
        assert (TOOLS / module / "go.sum").stat().st_size > 0
