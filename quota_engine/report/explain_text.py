"""An explanation for people: the answer, its reasons, what would change it, what happened before."""

from __future__ import annotations

from ..explain import Explanation
from .style import Style, plain
from .visible import visible, wrapped


def render(found: Explanation, *, width: int = 100, style: Style = plain) -> str:
    """Return the explanation; sentences wrap at `width`."""
    lines = [style(visible(headline(found)), "bold")]
    for title, sentences in sections(found):
        lines += ["", title]
        lines += [line for sentence in sentences for line in _item(visible(sentence), width)]
    return "\n".join(lines) + "\n"


def headline(found: Explanation) -> str:
    """Return the answer in one line."""
    known = f" ({found.job})" if found.name != found.job else ""
    return f"{found.name}{known} of {found.share} {found.headline} ({found.status})"


def sections(found: Explanation) -> list[tuple[str, tuple[str, ...]]]:
    """Return each part that has something to say."""
    would = tuple(f"if {one.change}: {one.effect}" for one in found.woulds)
    parts = [
        ("Why", found.why),
        ("What would change it, tried in the model", would),
        ("What happened", found.history),
        ("Not certain", found.doubts),
    ]
    rests = ", ".join(found.assumptions)
    if rests:
        parts.append(("Rests on", (f"assumptions {rests}: see quota-engine assumptions",)))
    return [part for part in parts if part[1]]


def _item(sentence: str, width: int) -> list[str]:
    first, *rest = wrapped(sentence, "    ", width)
    return [f"  - {first.strip()}", *rest]
