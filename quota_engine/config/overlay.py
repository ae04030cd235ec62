"""Values laid over a declaration for one run, as an overlay file would: what `--vary PATH=VALUE` means.

A path's parts are divided by "/", since instance types contain dots. Parts may be left out as long as one setting is
meant: QS2/borrow_limit, gpu/ml.g5.xlarge. The values are read, merged and judged like those of a file, whose text is
one line PATH=VALUE for each; so findings about them have a place, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, cast

from ..model.diagnostic import Span
from ..model.stack import Path, Stack
from ..model.trouble import Trouble
from .merge import merge
from .scalars import resolve
from .similar import did_you_mean, nearest
from .tree import Member, Node

FILE: Final = "--vary"
"""The name under which findings show an overlay's text."""

_SHARE_SETTINGS: Final[tuple[Path, ...]] = (
    ("resource_sharing", "strategy"),
    ("resource_sharing", "borrow_limit"),
    ("preemption", "in_share"),
    ("state",),
)
_SHOWN_MAX: Final = 6


@dataclass(frozen=True, slots=True)
class Setting:
    """One value: the `path` it goes to, in full, the path as it was `written`, and the value's text."""

    path: Path
    written: str
    value: str

    @property
    def line(self) -> str:
        return f"{self.written}={self.value}"


Overlay = Sequence[Setting]


def text_of(overlay: Overlay) -> str:
    """Return the text that findings about the overlay quote."""
    return "".join(f"{setting.line}\n" for setting in overlay)


def lay_over(tree: Node, overlay: Overlay) -> Node:
    """Return a stack's merged tree with the overlay's values, by the rules of `extends`."""
    if not overlay:
        return tree
    members: dict[str, Member] = {}
    for number, setting in enumerate(overlay, start=1):
        _put(members, setting, number)
    return merge(tree, Node(tree.span, members))


def _put(members: dict[str, Member], setting: Setting, line: int) -> None:
    """Put a setting into the maps that lead to it. The overlay's own values don't drop one another, as in a file."""
    start = len(setting.written) + 2
    key = Span(FILE, line, 1, line, start - 1)
    *parents, last = (str(part) for part in setting.path)
    here = members
    for part in parents:
        here = cast(dict[str, Member], here.setdefault(part, Member(key, Node(key, {}))).node.content)
    span = Span(FILE, line, start, line, start + len(setting.value))
    here[last] = Member(key, Node(span, resolve(setting.value), setting.value))


def settable(stack: Stack, queue: str) -> tuple[Path, ...]:
    """Return every path that can be varied: what a run on `queue` depends on, in order of declaration."""
    return tuple(_settable(stack, queue))


def _settable(stack: Stack, queue: str) -> Iterator[Path]:
    declared = stack.job_queues[queue]
    name = declared.service_environment or ""
    units = stack.service_environments[name].capacity_limits
    for unit in units:
        yield ("service_environments", name, "capacity_limits", unit)
    for share in declared.quota_shares.values():
        here: Path = ("job_queues", queue, "quota_shares", share.name)
        for unit in dict.fromkeys(chain(share.capacity_limits, units)):
            yield (*here, "capacity_limits", unit)
        for setting in _SHARE_SETTINGS:
            yield (*here, *setting)


def find_setting(written: str, stack: Stack, queue: str) -> Path:
    """Return the full path that `written` means; raises Trouble where that is no setting, or not one alone."""
    parts = tuple(written.split("/"))
    paths = settable(stack, queue)
    matches = [path for path in paths if path == parts] or [path for path in paths if _is_meant(parts, path)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = [_shown(path) for path in matches[:_SHOWN_MAX]] + ["…"] * (len(matches) > _SHOWN_MAX)
        raise Trouble(
            f"the path {written} means {len(matches)} settings",
            why=", ".join(listed),
            fix="write more of the path, its parts divided by /",
        )
    raise Trouble(
        f"the declaration has no setting {written} that queue {queue} depends on",
        why="a path is the parts of a place in the declaration, divided by /, such as QS1/borrow_limit",
        fix=_nearest_setting(parts, paths),
    )


def _is_meant(parts: Path, path: Path) -> bool:
    """Whether `parts` are some of the path's, in its order, its last among them."""
    if parts[-1] != path[-1]:
        return False
    rest = iter(path)
    return all(part in rest for part in parts)


def _shown(path: Path) -> str:
    return "/".join(map(str, path))


def _nearest_setting(parts: Path, paths: Sequence[Path]) -> str:
    """Return what may have been meant: the path with each unknown part respelt, else the known parts."""
    known = dict.fromkeys(str(part) for path in paths for part in path)
    meant = tuple(str(part) if part in known else nearest(str(part), known) or str(part) for part in parts)
    if meant != parts and sum(_is_meant(meant, path) for path in paths) == 1:
        return f"did you mean {'/'.join(meant)}?"
    strange = [str(part) for part in parts if part not in known]
    if strange and len(parts) > 1:
        names = dict.fromkeys(str(path[3]) for path in paths if path[0] == "job_queues")
        return did_you_mean(strange[0], [*names, *dict.fromkeys(str(path[-1]) for path in paths)])
    return f"write it like {'/'.join(map(str, paths[-1][-2:]))}"
