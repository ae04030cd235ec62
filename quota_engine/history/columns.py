"""What a scenario says of the columns → one function from a row to what is known of its job.

Each part is made once and called per line; equal needs are one object, as a history has few different ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from typing import Any, Final, NamedTuple, TypeVar

from ..model import service_facts as facts
from ..model.replay import Between, Clock, Columns, Counted, Each, Format, Lasting, Mapped, Needed, Replay, Unit
from ..model.stack import Capacity
from .table import Getter, Table, UnknownColumn
from .text import HistoryError
from .values import BadValue, LeftOut, duration_ms, is_known, number, shown, time_ms, unit_in_name

T = TypeVar("T")

NEVER_RAN: Final = "never ran, or never ended"
NO_INSTANCE: Final = "needs no instance"
NOT_SELECTED: Final = "not selected by only"

REMEMBERED_MAX: Final = 4096
"""Texts of a column of which is remembered what they mean."""


class Draft(NamedTuple):
    """A job as its line tells it; times as they stand there. `name` is "" where none is stated."""

    submit_ms: int
    name: str
    share: str
    need: Capacity
    duration_ms: int
    priority: int


@dataclass(frozen=True, slots=True)
class _Meant:
    """A replay with what its format says in the place of what it leaves open."""

    share: Mapped[str]
    submit: Clock
    duration: Lasting | Between
    priority: Mapped[int]
    name: str | None
    instances: Needed | None


_SECONDS = Unit.S
_Default = tuple[Mapped[str] | None, Clock, Lasting, Mapped[int] | None, str]
_DEFAULTS: Final[Mapping[Format, _Default]] = {
    Format.SWF: (None, Clock("submit", _SECONDS), Lasting("run_time", _SECONDS), None, "job"),
    Format.HISTORY: (
        Mapped("share"),
        Clock("created_at_ms", Unit.MS),
        Lasting("duration_ms", Unit.MS),
        Mapped("priority", default=0),
        "job_name",
    ),
}
"""Format → share, submit, duration, priority, name, where the scenario says nothing."""


def _meant(replay: Replay, kind: Format, table: Table) -> _Meant:
    """Raises HistoryError for what neither says."""
    told = Format.HISTORY if kind is Format.EVENTS else kind
    share, submit, duration, priority, name = _DEFAULTS.get(told, (None, None, None, None, None))
    if replay.instances is None and table.need is None:
        raise _lacking(replay, "instances", "{column: …, type: …}")
    return _Meant(
        replay.share or share or _lack(replay, "share", "{column: …, map: …}"),
        replay.submit or submit or _lack(replay, "submit", "the column of the time of submission"),
        replay.duration or duration or _lack(replay, "duration", "the column of the run time"),
        replay.priority or priority or Mapped(default=0),
        replay.name or name,
        replay.instances,
    )


def _lacking(replay: Replay, key: str, example: str) -> HistoryError:
    why = f"a file such as {replay.shown} does not tell by itself"
    return HistoryError(f"replay has no {key}", why=why, fix=f"add {key}: {example}", place=(key,))


def _lack(replay: Replay, key: str, example: str) -> Any:
    raise _lacking(replay, key, example)


def drafter(replay: Replay, kind: Format, table: Table) -> Callable[[Any], Draft]:
    """Return the function from a row to its job; that raises BadValue or LeftOut. Raises HistoryError itself."""
    meant = _meant(replay, kind, table)

    def get(column: str, *place: str) -> Getter:
        try:
            return table.getter(column)
        except UnknownColumn as error:
            raise error.as_error(replay.shown, place) from error

    wanted = [(get(column, "only", column), _matcher(globs)) for column, globs in replay.only.items()]
    lasted, submitted = _lasting(meant.duration, get), _time(meant.submit, get, "submit")
    share_of, need_of = _text(meant.share, get, "share"), _need(meant.instances, table, get)
    priority_of = _priority(meant.priority, get)
    name_of = get(meant.name, "name") if meant.name is not None else None

    def draft(row: Any) -> Draft:
        for value_of, is_match in wanted:
            if not is_match(_as_text(value_of(row))):
                raise LeftOut(NOT_SELECTED)
        duration = lasted(row)
        if duration is None:
            raise LeftOut(NEVER_RAN)
        submit_ms = submitted(row)
        if submit_ms is None:
            raise BadValue(f"{meant.submit.column} is unknown")
        name = "" if name_of is None else _as_text(name_of(row))
        return Draft(submit_ms, name, share_of(row), need_of(row), duration, priority_of(row))

    return draft


Get = Callable[..., Getter]


def _as_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else "" if value is None else str(value)


def _matcher(globs: Sequence[str]) -> Callable[[str], object]:
    return re.compile("|".join(translate(one) for one in globs)).match


def _time(clock: Clock, get: Get, *place: str) -> Callable[[Any], int | None]:
    value_of = get(clock.column, *place)
    unit, offset_ms = clock.unit or unit_in_name(clock.column), clock.offset_ms
    return lambda row: time_ms(value_of(row), unit, offset_ms)


def _lasting(meant: Lasting | Between, get: Get) -> Callable[[Any], int | None]:
    if isinstance(meant, Lasting):
        value_of = get(meant.column, "duration")
        unit = meant.unit or unit_in_name(meant.column)
        return lambda row: duration_ms(value_of(row), unit)
    begin_of, end_of = _time(meant.begin, get, "duration", "from"), _time(meant.end, get, "duration", "to")

    def between(row: Any) -> int | None:
        begun, ended = begin_of(row), end_of(row)
        if begun is None or ended is None:
            return None
        if ended < begun:
            raise BadValue(f"{meant.end.column} is before {meant.begin.column}")
        return duration_ms(ended - begun, Unit.MS)

    return between


def _remembered(value_of: Getter, read: Callable[[object], T]) -> Callable[[Any], T]:
    """Return what reads a column in which few texts come again and again; what raises is not remembered."""
    memory: dict[str, T] = {}

    def find(row: Any) -> T:
        value = value_of(row)
        if not isinstance(value, str):
            return read(value)
        found = memory.get(value)
        if found is None:
            found = read(value)
            if len(memory) < REMEMBERED_MAX:
                memory[value] = found
        return found

    return find


def _text(mapped: Mapped[str], get: Get, *place: str) -> Callable[[Any], str]:
    column, default, values = mapped.column, mapped.default, mapped.values
    if column is None:
        return lambda _: default or ""

    def read(value: object) -> str:
        text = _as_text(value)
        if not is_known(text):
            text = default or ""
        if not text:
            raise BadValue(f"{column} is unknown")
        return text

    resolve = read if values is None else _resolver(mapped, column, values)
    return _remembered(get(column, *place, "column"), resolve)


def _resolver(mapped: Mapped[T], column: str, values: Mapping[str, T]) -> Callable[[object], T]:
    """Return what tells what a mapped value stands for; that raises BadValue."""

    def resolve(value: object) -> T:
        text = _as_text(value)
        found = values.get(text, mapped.default)
        if found is None:
            raise BadValue(f"{column} {shown(text)} is not in the map" if text else f"{column} is unknown")
        return found

    return resolve


def _priority(mapped: Mapped[int], get: Get) -> Callable[[Any], int]:
    column, default, values = mapped.column, mapped.default, mapped.values
    if column is None:
        return lambda _: default or 0

    def read(value: object) -> int:
        count = number(value)
        if count is None and not is_known(value) and default is not None:
            return default
        if count is None or not facts.JOB_PRIORITY_MIN <= count <= facts.JOB_PRIORITY_MAX or count != int(count):
            most = facts.JOB_PRIORITY_MAX
            raise BadValue(f"{column} is {shown(value)}, no priority from {facts.JOB_PRIORITY_MIN} to {most}")
        return int(count)

    resolve = read if values is None else _resolver(mapped, column, values)
    return _remembered(get(column, "priority", "column"), resolve)


def _need(meant: Needed | None, table: Table, get: Get) -> Callable[[Any], Capacity]:
    known: dict[tuple[tuple[str, int], ...], Capacity] = {}

    def one(pairs: tuple[tuple[str, int], ...]) -> Capacity:
        """Return the one need of these pairs, judged when it is first met."""
        need = known.get(pairs)
        if need is None:
            need = known[pairs] = _judged(pairs)
        return need

    match meant:
        case Counted():
            return _counted(meant, get, one)
        case Columns(columns):
            getters = [(unit, column, get(column, "instances", "columns", unit)) for unit, column in columns.items()]
            return lambda row: one(
                tuple((unit, count) for unit, name, of in getters if (count := _count(of(row), name, or_none=True)))
            )
        case Each(need):
            return lambda _: need
        case None:
            stated = table.need or _nothing
            return lambda row: one(tuple(stated(row).items()))  # type: ignore[attr-defined]


def _nothing(_: Any) -> Capacity:
    return {}


def _judged(pairs: tuple[tuple[str, int], ...]) -> Capacity:
    need = {unit: count for unit, count in pairs if count}
    if not need:
        raise LeftOut(NO_INSTANCE)
    if len(need) > facts.CAPACITY_LIMITS_MAX:
        raise BadValue(f"it needs {len(need)} instance types, {facts.CAPACITY_LIMITS_MAX} at most can be")
    for unit in need:
        if facts.INSTANCE_TYPE_PATTERN.fullmatch(unit) is None:
            raise BadValue(f"{shown(unit)} is no instance type")
    return need


def _counted(
    meant: Counted, get: Get, one: Callable[[tuple[tuple[str, int], ...]], Capacity]
) -> Callable[[Any], Capacity]:
    value_of = get(meant.column, "instances", "column")
    if meant.key is not None:
        value_of = _keyed(value_of, meant.key)
    times_of = get(meant.times, "instances", "times") if meant.times is not None else None
    unit_of = _text(meant.unit, get, "instances", "type")
    per_instance, column, times = meant.per_instance, meant.column, meant.times or ""
    if meant.times is None and meant.unit.column is None:
        unit = unit_of(None)
        return _remembered(
            value_of, lambda value: one(((unit, _whole(-(-_number(value, column) // per_instance), column)),))
        )

    def read(row: Any) -> Capacity:
        count = _number(value_of(row), column)
        if times_of is not None:
            count *= _number(times_of(row), times)
        return one(((unit_of(row), _whole(-(-count // per_instance), column)),))

    return read


def _keyed(value_of: Getter, key: str) -> Getter:
    """Return what reads the number of one key of a text such as `cpu=8,gres/gpu=4`; 0 where the key is not there."""
    before = f"{key}="

    def read(row: Any) -> object:
        value = value_of(row)
        parts = _as_text(value).split(",")
        return next((part.removeprefix(before) for part in parts if part.startswith(before)), "0")

    return read


def _number(value: object, column: str) -> int | float:
    """Return a number that is not negative; raises BadValue for any other, and for what is unknown."""
    count = number(value)
    if count is None or count < 0:
        raise BadValue(f"{column} is {shown(value)}, no number" if is_known(value) else f"{column} is unknown")
    return count


def _count(value: object, column: str, *, or_none: bool) -> int:
    return 0 if or_none and not is_known(value) else _whole(_number(value, column), column)


def _whole(count: int | float, column: str) -> int:
    if count != int(count) or count > facts.INT32_MAX:
        raise BadValue(f"{column} makes {shown(count)} instances")
    return int(count)
