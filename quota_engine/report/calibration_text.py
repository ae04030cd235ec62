"""A calibration as text: how much was predicted, each share's error, what was not predicted, what would explain it."""

from __future__ import annotations

from ..calibrate import Calibration
from .calibration_view import (
    DECISIONS_SHOWN,
    HEADER,
    bad_lines,
    explanation,
    headline,
    row,
    sentence,
    subject,
    wrong,
)
from .style import Style, plain
from .visible import counted, pad, visible, width_of, wrapped


def render(found: Calibration, width: int = 100, style: Style = plain) -> str:
    lines = [style(visible(headline(found)), "bold"), *wrapped(visible(subject(found)), "  ", width), ""]
    lines += [*_table(found), ""]
    missed = wrong(found)
    for one in missed[:DECISIONS_SHOWN]:
        lines += wrapped(visible(sentence(one)), "  ", width)
    if len(missed) > DECISIONS_SHOWN:
        lines.append(f"  and {counted(len(missed) - DECISIONS_SHOWN, 'other')} (--format json has them all)")
    lines += [""] if missed else []
    for told in (*explanation(found), *bad_lines(found)):
        lines += wrapped(visible(told), "", width)
    return "\n".join(lines) + "\n"


def _table(found: Calibration) -> list[str]:
    rows = [HEADER, *(row(error) for error in found.shares)]
    shown = [[visible(cell) for cell in cells] for cells in rows]
    widths = [max(width_of(cells[column]) for cells in shown) for column in range(len(HEADER))]
    return [
        "  " + "  ".join(pad(cell, widths[0]) if not at else cell.rjust(widths[at]) for at, cell in enumerate(cells))
        for cells in shown
    ]
