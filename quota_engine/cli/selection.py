"""Which findings to report: `--select`, `--ignore`, and instance types that a file settles."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..model.diagnostic import Diagnostic
from ..model.trouble import Trouble

_UNITS = ("QE308", "QE309")
"""Rules about instance types that are not known here."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Ids of rules or their beginnings (QE3, QE304). Without `select` all are reported; `ignore` takes some away.

    What can't be judged without is always reported: see `always`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    known_types: frozenset[str] = frozenset()

    def keeps(self, found: Diagnostic, always: Collection[str]) -> bool:
        """Whether to report a finding. `always` holds the ids that no option silences."""
        if found.rule in always:
            return True
        if found.rule in _UNITS and found.path and found.path[-1] in self.known_types:
            return False
        selected = not self.select or found.rule.startswith(self.select)
        return selected and not (self.ignore and found.rule.startswith(self.ignore))


def parse_ids(
    option: str, values: Iterable[str], known: Collection[str], never: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the ids that an option names, several in one value divided by commas.

    Raises Trouble for one that begins no known id, or that names only ids of `never`.
    """
    ids = tuple(word.strip().upper() for value in values for word in value.split(",") if word.strip())
    for one in ids:
        meant = [rule for rule in known if rule.startswith(one)]
        if not meant:
            raise Trouble(f"{option} {one}: no rule's id begins so", fix="see quota-engine rule for all of them")
        if set(meant) <= set(never):
            why = "an error of the text or the shape leaves nothing to go on with"
            raise Trouble(f"{option} {one}: this can't be ignored", why=why, fix="correct the file")
    return ids


def read_types(path: Path | None) -> frozenset[str]:
    """Return the instance types that a file names, one a line; # begins a comment. Raises Trouble."""
    if path is None:
        return frozenset()
    from ..model.service_facts import INSTANCE_TYPE_PATTERN

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Trouble(f"can't read {path}", why=str(getattr(error, "strerror", None) or error)) from error
    words = {number: line.partition("#")[0].strip() for number, line in enumerate(lines, start=1)}
    for number, word in words.items():
        if word and not INSTANCE_TYPE_PATTERN.fullmatch(word):
            raise Trouble(
                f"{path}:{number}: {word!r} is not an instance type", fix="write one ml.<family>.<size> a line"
            )
    return frozenset(word for word in words.values() if word)
