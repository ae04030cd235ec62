"""A calibration as Markdown, for an issue or a message: the same as the text."""

from __future__ import annotations

from ..calibrate import Calibration
from .calibration_view import DECISIONS_SHOWN, HEADER, bad_lines, explanation, headline, row, sentence, subject, wrong
from .visible import counted, markdown


def render(found: Calibration) -> str:
    lines = [f"### {markdown(headline(found))}", "", f"{markdown(subject(found))}.", ""]
    lines += [f"| {' | '.join(HEADER)} |", f"|---{'|---:' * (len(HEADER) - 1)}|"]
    lines += [f"| {' | '.join(markdown(cell) for cell in row(error))} |" for error in found.shares]
    missed = wrong(found)
    lines += ["", *(f"- {markdown(sentence(one))}" for one in missed[:DECISIONS_SHOWN])]
    if len(missed) > DECISIONS_SHOWN:
        lines.append(f"- and {counted(len(missed) - DECISIONS_SHOWN, 'other')}")
    lines += [""] if missed else []
    for told in (*explanation(found), *bad_lines(found)):
        lines += [markdown(told), ""]
    return "\n".join(lines)
