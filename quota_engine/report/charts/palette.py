"""The colours and hatchings of every picture: what each means, and how it looks on a light and on a dark page.

Specifications name the light colours only. A style sheet, the same in a page and in an SVG file, turns them dark where
a reader prefers that. What colours tell, hatchings or shapes tell too, so that nobody has to tell colours apart.
Colours after Okabe and Ito; those of text have a contrast of at least 4.5:1 against the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is built into vl-convert, so that an SVG is laid out alike on every machine."""


@dataclass(frozen=True, slots=True)
class Colour:
    """One meaning's colour on light and on dark paper. `hatching` draws over it, as SVG in a tile of 8 x 8."""

    name: str
    light: str
    dark: str
    hatching: str = ""


PAPER: Final = Colour("paper", "#ffffff", "#0e1116")
INK: Final = Colour("ink", "#1b1f24", "#e9edf1")
MUTED: Final = Colour("muted", "#57606a", "#a3acb6")
GRID: Final = Colour("grid", "#e1e5ea", "#2a3038")
OWN: Final = Colour("own", "#0072b2", "#3d9bd6")
BORROWED: Final = Colour(
    "borrowed", "#f0b43c", "#e69f00", '<path d="M-2,2L2,-2M0,8L8,0M6,10L10,6" fill="none" stroke="#3d2b00"/>'
)
IN_SHARE: Final = Colour("in-share", "#aa4499", "#c864b6", '<path d="M0,2H8M0,6H8" fill="none" stroke="#ffffff"/>')
LENT: Final = Colour("lent", "#c5e4f6", "#1d4560", '<circle cx="4" cy="4" r="1.5" fill="#0072b1"/>')
WAITING: Final = Colour("waiting", "#7d8691", "#89929c")
PREEMPTED: Final = Colour("preempted", "#b3261e", "#ff8a80")
LIMIT: Final = Colour("limit", "#1b1f25", "#e9edf0")

COLOURS: Final = (PAPER, INK, MUTED, GRID, OWN, BORROWED, IN_SHARE, LENT, WAITING, PREEMPTED, LIMIT)

_DARK_DOT: Final = "#8cc9f5"


def patterns() -> str:
    """Return the SVG patterns of the hatched colours, which `hatched` and `style_sheet` name."""
    found = "".join(
        f'<pattern id="qe-{colour.name}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect class="qe-{colour.name}" width="8" height="8" fill="{colour.light}"/>{colour.hatching}</pattern>'
        for colour in COLOURS
        if colour.hatching
    )
    return f"<defs>{found}</defs>"


def hatched(svg: str) -> str:
    """Return the text of an SVG with the areas of hatched colours filled by their patterns."""
    for colour in COLOURS:
        if colour.hatching:
            svg = svg.replace(f'fill="{colour.light}"', f'fill="url(#qe-{colour.name})"')
    return svg


def style_sheet(within: str = "", *, live: bool = False) -> str:
    """Return the CSS that hatches (in a `live` picture) and darkens, for what lies within the selector given."""
    hatching = [
        f'{within} [fill="{one.light}"]{{fill:url(#qe-{one.name})}}' for one in COLOURS if one.hatching and live
    ]
    dark = [rule for colour in COLOURS for rule in _dark(colour, within)]
    dark.append(f".qe-{LENT.name}+circle{{fill:{_DARK_DOT}}}")
    return "\n".join([*hatching, "@media (prefers-color-scheme: dark) {", *dark, "}"]).strip() + "\n"


def _dark(colour: Colour, within: str) -> list[str]:
    stroke = f'{within} [stroke="{colour.light}"]{{stroke:{colour.dark}}}'.strip()
    if colour.hatching:
        return [f".qe-{colour.name}{{fill:{colour.dark}}}", stroke]
    return [f'{within} [fill="{colour.light}"]{{fill:{colour.dark}}}'.strip(), stroke]
