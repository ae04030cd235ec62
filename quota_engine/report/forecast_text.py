"""A forecast for people: the answer first, then who is hit and why, who starts, what each share may borrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..forecast import DurationBasis, Forecast, Hit, HitKind, QueueForecast, Room, RoomChange, Start
from .style import Style, plain
from .times import rough
from .visible import counted, pad, visible, wrapped


def render(forecast: Forecast, *, width: int = 100, style: Style = plain) -> str:
    """Return the forecast; sentences wrap at `width`."""
    kind = "warning" if forecast.unreadable else "error" if forecast.hits else "good"
    lines = [style(line, kind) for line in wrapped(headline(forecast), "", width)]
    if forecast.unreadable:
        lines += ["", style("could not be read:", "warning")]
        lines += [f"  {visible(f'{one.operation}: {one.code}: {one.message}')}" for one in forecast.unreadable]
        return "\n".join(lines) + "\n"
    for queue in forecast.queues:
        lines += ["", style(queue_line(queue), "bold")]
        for title, sentences in sections(forecast, queue):
            lines += [f"  {title}"]
            lines += [line for sentence in sentences for line in wrapped(sentence, "    ", width)]
        changed = [one for one in queue.rooms if one.differs]
        lines += ["  What changes for the shares", *_table(changed)] if changed else []
    lines += ["", *(line for sentence in unknowns(forecast) for line in wrapped(sentence, "", width))]
    return "\n".join(lines) + "\n"


def headline(forecast: Forecast) -> str:
    """Return the answer in one sentence."""
    where = f"account {visible(forecast.account)}, {visible(forecast.region)}"
    name = visible(forecast.name)
    if forecast.unreadable:
        return f"{name}: could not tell what deploying to {where} would do"
    fewest = sum(queue.fewest for queue in forecast.queues)
    most = sum(queue.most for queue in forecast.queues)
    running = counted(sum(queue.running for queue in forecast.queues), "running job")
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    hits = "none" if most == 0 else count
    return f"{name}: deploying to {where} now hits {hits} of {running}"


def queue_line(queue: QueueForecast) -> str:
    if not queue.lives:
        return f"Job queue {visible(queue.queue)} does not live yet: nothing runs in it"
    return f"Job queue {visible(queue.queue)}: {queue.running} running, {queue.waiting} waiting"


def sections(forecast: Forecast, queue: QueueForecast) -> Iterable[tuple[str, list[str]]]:
    """Yield each part that has something to say as (title, sentences)."""
    within = rough(forecast.within_ms)
    parts: list[tuple[str, list[str]]] = [
        ("Hit at once, whatever the durations", [hit_sentence(hit) for hit in queue.at_once]),
        (f"Hit within {within}, if jobs last {_lasting(forecast)}", [hit_sentence(hit) for hit in queue.later]),
        (f"Hit within {within}, if jobs are short or long", [hit_sentence(hit) for hit in queue.possible]),
        (
            "Can be hit from then on, when other shares claim their own limits",
            [hit_sentence(hit) for hit in queue.exposed],
        ),
        ("Hit without the deployment too", [hit_sentence(hit) for hit in queue.anyway]),
        ("Start", [start_sentence(start) for start in queue.starts]),
        ("Start if jobs are short or long", [start_sentence(start) for start in queue.possible_starts]),
        ("Durations rest on", [basis_sentence(basis, forecast) for basis in queue.durations]),
        ("Not certain", [visible(doubt) for doubt in queue.doubts]),
    ]
    return [part for part in parts if part[1]]


def _lasting(forecast: Forecast) -> str:
    if forecast.has_history:
        return "as long as the middle of those recorded"
    return rough(forecast.assume_duration_ms) if forecast.assume_duration_ms is not None else ""


def basis_sentence(basis: DurationBasis, forecast: Forecast) -> str:
    """Say on which recorded durations so many jobs of a share rest, or that there are too few of them."""
    jobs, share = counted(basis.jobs, "job"), visible(basis.share)
    if not basis.quantiles_ms:
        alike = forecast.assume_duration_ms
        lasts = "no end is known of them, so they run on" if alike is None else f"assumed to last {rough(alike)}"
        few = f"of {basis.records} recorded, too few ran as long" if basis.records else "none is recorded"
        return f"{jobs} of {share}: {few}; {lasts}"
    size = f", {amounts(basis.need)}" if basis.need else ""
    like = counted(basis.records, "recorded job") + ("" if basis.need else " of any size")
    short, middling, long = map(rough, basis.quantiles_ms)
    return f"{jobs} of {share}{size}: {like}, p10 {short}, p50 {middling}, p90 {long}"


def hit_sentence(hit: Hit) -> str:
    """Say what becomes of one job and why."""
    ran = f", which has run {rough(hit.ran_ms)}," if hit.was_running and hit.ran_ms else ""
    job = f"{visible(hit.name)} of {visible(hit.share)} ({amounts(hit.need)}){ran}"
    when = "" if hit.after_ms == 0 else f" after {rough(hit.after_ms)}{_spread(hit.spread_ms)}"
    waits = "ends FAILED, its preemption retries are used up" if hit.is_final else "and waits again"
    match hit.kind:
        case HitKind.SHARE_DELETED:
            return f"{job} ends{when}: its quota share is not declared, so it is deleted"
        case HitKind.QUEUE_REPLACED:
            return f"{job} ends{when}: its queue can only be replaced"
        case HitKind.TIME_LIMIT:
            return f"{job} is terminated{when} by a time limit of the queue"
        case HitKind.LIMIT_LOWERED:
            return f"{job} is preempted{when} because its share's limit is lowered, {waits}"
        case HitKind.IN_SHARE | HitKind.CROSS_SHARE:
            by = f" by {visible(hit.by_name)} of {visible(hit.by_share)}" if hit.by else f" for {visible(hit.by_share)}"
            return f"{job} is preempted{when}{by} ({hit.kind.value}), {waits}"


def start_sentence(start: Start) -> str:
    when = "at once" if start.after_ms == 0 else f"after {rough(start.after_ms)}{_spread(start.spread_ms)}"
    borrowing = f", borrowing {amounts(start.borrowed)}" if start.borrowed else " within its share's own limit"
    return f"{visible(start.name)} of {visible(start.share)} ({amounts(start.need)}) {when}{borrowing}"


def _spread(spread_ms: Sequence[int | None]) -> str:
    """Return the range of a time, and whether it may never come within what is looked at."""
    times = [one for one in spread_ms if one is not None]
    if len(times) < len(spread_ms):
        return f" ({rough(min(times))} at the earliest, or not)"
    short, long = (rough(min(times)), rough(max(times))) if times else ("", "")
    return f" ({short} to {long})" if short != long else ""


def amounts(capacity: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {visible(unit)}" for unit, count in sorted(capacity.items())) or "nothing"


def unknowns(forecast: Forecast) -> list[str]:
    """Say what the forecast rests on and can't know."""
    found = []
    if forecast.has_history:
        found.append(
            "Each job is compared with recorded ones of its share that ran longer than it has: told for the middle of "
            "them (p50), the range for all jobs short (p10) and all long (p90); looked ahead "
            f"{rough(forecast.within_ms)}."
        )
    elif forecast.assume_duration_ms is None:
        found.append(
            "How long the running jobs still need is not known: what happens after the instant of deploying is told as "
            "the upper end only. Name --history or --assume-duration to look ahead."
        )
    else:
        found.append(
            f"Every job is assumed to last {rough(forecast.assume_duration_ms)} from its start; looked ahead "
            f"{rough(forecast.within_ms)}."
        )
    found.append("Jobs that are submitted after this are not known; the upper end has every share claim its own limit.")
    if forecast.assumptions:
        changed = (f"{name}={value}" for name, value in sorted(forecast.assumptions.items()))
        found.append(f"Assumptions changed: {', '.join(changed)}")
    return found


def room_text(room: Room | None) -> str:
    return "not there" if room is None else f"{room.nominal} own, may borrow {room.may_borrow}, uses {room.used}"


def _table(rooms: list[RoomChange]) -> list[str]:
    rows = [(visible(one.share), visible(one.unit), room_text(one.before), room_text(one.after)) for one in rooms]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        f"    {pad(share, widths[0])}  {pad(unit, widths[1])}  {pad(before, widths[2])}  →  {after}"
        for share, unit, before, after in rows
    ]
