"""What a scenario says of a job history, as far as it can be judged without reading the history's lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..model.diagnostic import Diagnostic
from ..model.replay import SUFFIXES, SWF_FIELDS, SWF_PROCESSORS, Format
from ..model.stack import Path
from .build_replay import format_stated, parse_bad, parse_zone
from .build_scenario import milliseconds
from .findings import finding
from .known import Known
from .similar import did_you_mean

Data = Mapping[str, Any]

REPLAY: Final = "replay"
_NEEDED: Final = {
    Format.SWF: ("share", "instances"),
    Format.CSV: ("share", "instances", "submit", "duration"),
}
"""Format → what it doesn't tell by itself. JSON Lines may turn out to be written by `history`."""

_EXAMPLES: Final = {
    "share": "{column: queue, map: {…}}",
    "instances": "{column: processors, per_instance: 8, type: ml.p5.48xlarge}",
    "submit": "NAME, the column of the time of submission",
    "duration": "NAME, the column of the run time",
    "to": "NAME, the column of the end",
}


def check_replay(data: Data, known: Known, file: str) -> Iterator[Diagnostic]:
    """Yield every finding about `replay`; `file` is the history's path from here."""
    kind = format_stated(data)
    if "file" in data:
        yield from _file(data, kind, file)
    for key in _NEEDED.get(kind, ()) if kind else ():
        if key not in data:
            yield _missing(f"replay of a {kind} file", key, ())
    yield from _shares(data, known)
    yield from _instances(data.get("instances", {}), known)
    yield from _times(data)
    if kind is Format.SWF:
        yield from _fields(data)


def _missing(of: str, key: str, path: Path) -> Diagnostic:
    return finding("QE202", f"the {of} has no {key}", path=(REPLAY, *path, key), fix=f"add {key}: {_EXAMPLES[key]}")


def _file(data: Data, kind: Format | None, file: str) -> Iterator[Diagnostic]:
    path: Path = (REPLAY, "file")
    if not os.path.isfile(file):
        reason = "it is no file" if os.path.exists(file) else "there is no such file"
        message = f"the history {data['file']} can't be read: {reason}"
        yield finding("QE530", message, path=path, fix="name a file, relative to the scenario")
    elif not os.access(file, os.R_OK):
        message = f"the history {data['file']} can't be read: no permission"
        yield finding("QE530", message, path=path, fix="let it be read")
    if kind is None:
        message = f"the name {data['file']} does not tell how the history is written"
        why = f"known are {', '.join(SUFFIXES)}, each also with .gz"
        yield finding("QE530", message, path=path, why=why, fix="add format: csv, or another")


def _shares(data: Data, known: Known) -> Iterator[Diagnostic]:
    stated = data.get("share")
    path: Path = (REPLAY, "share")
    if not isinstance(stated, Mapping):
        yield from known.share(stated, path)
        return
    yield from known.share(stated.get("default"), (*path, "default"))
    for text, share in stated.get("map", {}).items():
        yield from known.share(share, (*path, "map", text))


def _instances(data: Data, known: Known) -> Iterator[Diagnostic]:
    path: Path = (REPLAY, "instances")
    yield from known.need(data.get("each", {}), (*path, "each"))
    yield from known.need(data.get("columns", {}), (*path, "columns"))
    unit = data.get("type")
    if isinstance(unit, Mapping):
        yield from known.unit(unit.get("default"), (*path, "type", "default"))
        for text, mapped in unit.get("map", {}).items():
            yield from known.unit(mapped, (*path, "type", "map", text))
    else:
        yield from known.unit(unit, (*path, "type"))
    if "column" in data and unit is None and len(known.units) != 1:
        message = f"instances of replay has no type, and the queue's environment has {len(known.units)}"
        fix = f"add type: {min(known.units, default='ml.p5.48xlarge')}, or another"
        yield finding("QE202", message, path=(*path, "type"), fix=fix)


def _times(data: Data) -> Iterator[Diagnostic]:
    lasting = data.get("duration")
    if isinstance(lasting, Mapping) and "from" in lasting and "to" not in lasting:
        yield _missing("duration of replay", "to", ("duration",))
    for key in ("submit", "duration"):
        stated = data.get(key)
        zone = stated.get("zone") if isinstance(stated, Mapping) else None
        if zone is not None and parse_zone(zone) is None:
            message = f"zone is '{zone}', which is no offset"
            why = "the offset of a zone's name changes with the seasons"
            yield finding("QE206", message, path=(REPLAY, key, "zone"), why=why, fix='write it like "+01:00" or UTC')
    first, last = milliseconds(data.get("from")) or 0, milliseconds(data.get("until"))
    if last is not None and first >= last:
        message = f"replay is until {data['until']}, and from {data.get('from', '0s')}"
        yield finding("QE206", message, path=(REPLAY, "until"), why="no job is in between", fix="exchange them")
    if parse_bad(data) is None:
        message = f"max_bad is {data['max_bad']}, neither a number of lines nor a percentage"
        yield finding("QE206", message, path=(REPLAY, "max_bad"), fix="write it like 20 or 0.5%")


def _fields(data: Data) -> Iterator[Diagnostic]:
    """Yield a finding for each column that the Standard Workload Format doesn't have."""
    known = (*SWF_FIELDS, SWF_PROCESSORS)
    for path, column in _columns(data):
        if column not in known:
            message = f"the Standard Workload Format has no field '{column}'"
            yield finding("QE531", message, path=path, fix=did_you_mean(column, known))


def _columns(data: Data) -> Iterator[tuple[Path, str]]:
    """Yield every column that is named, with the place where it is."""
    for key in ("submit", "duration", "name"):
        if isinstance(data.get(key), str):
            yield (REPLAY, key), data[key]
    for key, names in _NAMING.items():
        stated = data.get(key)
        for name in names if isinstance(stated, Mapping) else ():
            if isinstance(stated, Mapping) and isinstance(stated.get(name), str):
                yield (REPLAY, key, name), stated[name]
    for column in data.get("only", {}):
        yield (REPLAY, "only", column, "@key"), column


_NAMING: Final = {
    "share": ("column",),
    "instances": ("column", "times"),
    "submit": ("column",),
    "duration": ("column", "from", "to"),
    "priority": ("column",),
}
"""Key of replay → its keys that name columns."""
