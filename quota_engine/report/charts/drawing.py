"""A Vega-Lite specification as the bytes of a picture, without a browser: the same bytes for the same specification.

Fonts are those built into vl-convert, time zones play no part (scales are UTC), and pattern ids are fixed. An SVG
follows the reader's preference for light or dark; a PNG is light.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from .palette import FONT, GRID, INK, MUTED, PAPER, hatched, patterns, style_sheet

KINDS: Final = ("svg", "png")
PNG_SCALE: Final = 2
"""Pixels of a PNG for each of the picture's own, so that it is sharp on today's displays."""

_CLIP: Final = re.compile(r'(id="|url\(#)(clip\d+)')

CONFIG: Final[Mapping[str, Any]] = {
    "background": PAPER.light,
    "font": FONT,
    "padding": 12,
    "view": {"stroke": GRID.light, "fill": None},
    "axis": {
        "labelColor": MUTED.light,
        "titleColor": INK.light,
        "titleFontWeight": "normal",
        "domainColor": MUTED.light,
        "tickColor": MUTED.light,
        "gridColor": GRID.light,
        "labelFontSize": 11,
        "titleFontSize": 12,
    },
    "legend": {
        "labelColor": INK.light,
        "titleColor": INK.light,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 0,
        "symbolSize": 160,
        "symbolStrokeWidth": 2,
        "orient": "top",
        "title": None,
        "columns": 0,
    },
    "header": {"labelColor": INK.light, "titleColor": INK.light, "labelFontSize": 12, "labelLimit": 0},
    "title": {
        "color": INK.light,
        "subtitleColor": MUTED.light,
        "anchor": "start",
        "fontSize": 15,
        "subtitleFontSize": 12,
        "offset": 10,
        "limit": 0,
    },
    "text": {"color": INK.light, "fontSize": 11},
}
"""How every chart looks where its specification does not say."""


def render(spec: Mapping[str, Any], kind: str) -> bytes:
    """Return a chart, a Vega-Lite specification, as the bytes of a file of this kind, one of KINDS."""
    import vl_convert

    drawn = str(vl_convert.vegalite_to_svg(configured(spec), allowed_base_urls=[]))
    drawn = _renumbered(hatched(drawn))
    start = drawn.index(">") + 1
    match kind:
        case "svg":
            return f"{drawn[:start]}<style>{style_sheet()}</style>{patterns()}{drawn[start:]}\n".encode()
        case "png":
            return bytes(vl_convert.svg_to_png(f"{drawn[:start]}{patterns()}{drawn[start:]}", scale=PNG_SCALE))
        case _:
            raise ValueError(kind)


def _renumbered(svg: str) -> str:
    """Return an SVG with its ids numbered from 0: Vega counts on from picture to picture of one process."""
    numbers: dict[str, int] = {}

    def renamed(found: re.Match[str]) -> str:
        return f"{found[1]}qe-clip-{numbers.setdefault(found[2], len(numbers))}"

    return _CLIP.sub(renamed, svg)


def configured(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a specification with the look that all charts have; what it sets itself stays."""
    own = spec.get("config", {})
    merged = {
        name: {**value, **own.get(name, {})} if isinstance(value, dict) else value for name, value in CONFIG.items()
    }
    return {**spec, "config": {**own, **merged}}


@cache
def script_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that makes `vegaEmbed` global and loads nothing.

    Kept once made: putting it together takes seconds.
    """
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def json_for_script(value: object) -> str:
    """Return JSON that can stand inside an HTML script element: nothing in it can end or comment that out."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, escape in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(char, escape)
    return text
