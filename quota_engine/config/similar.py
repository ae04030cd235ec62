"""Words that are like another word: what a misspelt name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

WORD_MAX: Final = 200
"""Letters of a word for which a similar one is looked for; no name of AWS is longer."""

CHOICES_MAX: Final = 1000
"""Known words among which a similar one is looked for: each look costs time, and a file may ask for hundreds."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most like `word` (case aside), None where none is near or there are too many."""
    known = list(islice(known, CHOICES_MAX + 1))
    if len(known) > CHOICES_MAX or len(word) > WORD_MAX:
        return None
    by_folded = {candidate.casefold(): candidate for candidate in sorted(known, reverse=True)}
    matches = get_close_matches(word.casefold(), sorted(by_folded), n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def respelt(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` is in another spelling: other case, hyphens, camelCase, blanks around."""
    matches = [candidate for candidate in known if _letters(candidate) == _letters(word)]
    return matches[0] if len(matches) == 1 else None


def _letters(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?", or what there is to choose from."""
    choices = sorted(islice(known, CHOICES_MAX + 1))
    match = nearest(word, choices)
    if match:
        return f"did you mean '{match}'?"
    if not choices:
        return "there is none to name"
    if len(choices) > CHOICES_MAX:
        return "name one that is declared"
    shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    return f"known here: {shown}"
