"""What a simulation rests on, as text, Markdown and data: which other assumptions would change it, and what first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..scheduler.trace import PreemptionStarted, Running, Starting, TraceEvent
from ..simulate import Divergence, Tried, Turned
from .story import story
from .style import Style, plain
from .times import clock
from .visible import counted, markdown, markdown_code, visible, wrapped


def text(tried: Sequence[Tried], width: int = 100, style: Style = plain) -> list[str]:
    """Return the lines of the text report."""
    changing = [one for one in tried if one.first]
    lines = [style(_headline(tried), "bold")]
    for one in changing:
        lines.append(f"  {style(one.number, 'dim')} {one.switch} = {one.value}: {_extent(one)}")
        lines += [line for part in _first(one.first) for line in _hung(visible(part), "      ", width)]
        for turned in one.turned:
            lines += _hung(visible(_turned(turned)), "      ", width)
    return [*lines, *(line for part in _unchanging(tried) for line in _hung(part, "  ", width))]


def markdown_section(tried: Sequence[Tried]) -> list[str]:
    """Return the lines of the Markdown report, folded."""
    lines = [f"<details><summary>{_headline(tried)}</summary>", ""]
    changing = [one for one in tried if one.first]
    if changing:
        lines += ["| assumption | other value | what changes first | extent |", "|---|---|---|---|"]
        for one in changing:
            first = "<br>".join(markdown(part) for part in _first(one.first))
            extent = "<br>".join([_extent(one), *(markdown(_turned(turned)) for turned in one.turned)])
            lines.append(
                f"| {one.number} {markdown_code(one.switch)} | {markdown_code(one.value)} | {first} | {extent} |"
            )
        lines.append("")
    return [*lines, *(markdown(part) for part in _unchanging(tried)), "", "</details>", ""]


def _headline(tried: Sequence[Tried]) -> str:
    switches = dict.fromkeys(one.switch for one in tried)
    changing = dict.fromkeys(one.switch for one in tried if one.first)
    return f"Sensitivity: {len(changing)} of {counted(len(switches), 'assumption')} would change this run"


def _extent(tried: Tried) -> str:
    stopped = "; it would never end" if tried.stopped_because else ""
    return f"{counted(tried.jobs, 'job')} differ{'s' if tried.jobs == 1 else ''}{stopped}"


def _first(first: Divergence | None) -> Iterator[str]:
    """Yield what happens, and what would happen instead."""
    if first is not None:
        yield f"here: {_told(first.here, first.job)}"
        yield f"then: {_told(first.otherwise, first.job)}"


def _told(event: TraceEvent | None, job: str) -> str:
    """Return one event in words, with its time and its job."""
    if event is None:
        return f"nothing more happens to {job}"
    return f"{clock(event.at_ms)} {job} {_words(event)}"


def _words(event: TraceEvent) -> str:
    match event:
        case PreemptionStarted(by=by, kind=kind):
            return f"is preempted{f' by {by}' if by else ''} ({kind})"
        case Starting():
            return "is STARTING"
        case Running():
            return "is RUNNING"
        case _:
            return "; ".join(line.text for line in story([event]))


def _turned(turned: Turned) -> str:
    return f"expectation {'holds' if turned.holds else 'fails'} then: {turned.expected}; seen: {turned.seen}"


def _unchanging(tried: Sequence[Tried]) -> list[str]:
    """Say in one line each what changes nothing: whole assumptions, then single values of those that change it."""
    changing = {one.switch for one in tried if one.first}
    whole = dict.fromkeys(f"{one.number} {one.switch}" for one in tried if one.switch not in changing)
    single = [f"{one.switch} = {one.value}" for one in tried if one.switch in changing and not one.first]
    return [
        *([f"Would change nothing: {', '.join(whole)}."] if whole else []),
        *([f"Nor would {'; '.join(single)}."] if single else []),
    ]


def _hung(line: str, indent: str, width: int) -> Iterable[str]:
    first, *more = wrapped(line, "", width - len(indent) - 2) or [""]
    yield f"{indent}{first}"
    yield from (f"{indent}  {part}" for part in more)
