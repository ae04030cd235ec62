"""The page at /: what this is and what it holds. Self-contained, and everything users named is escaped."""

from __future__ import annotations

from html import escape

from quota_engine import __version__

from .store import Kind, World


def page_html(world: World) -> str:
    """Return the page."""
    rows = "".join(
        f"<tr><td>{escape(scope.account)}</td><td>{escape(scope.region)}</td><td>{escape(kind)}</td>"
        f"<td>{escape(resource.key)}</td></tr>"
        for scope, region in world.regions.items()
        for kind in Kind
        for resource in region.all_of(kind)
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>quota-engine emulator</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<h1>quota-engine emulator {escape(__version__)}</h1>"
        "<p>AWS Batch quota management and Cloud Control, on this machine only.</p>"
        "<table><caption>Resources</caption><thead><tr><th scope=col>Account<th scope=col>Region<th scope=col>Type"
        f"<th scope=col>Name</tr></thead><tbody>{rows}</tbody></table></html>"
    )
