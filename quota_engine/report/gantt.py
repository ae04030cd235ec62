"""Job timelines drawn with characters: one row a job, grouped by share, a time axis and a legend.

Readable without colour, and with ASCII alone. A column shows what the job did for most of it; a preemption is always
marked, however short it is beside a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.durations import format_duration
from ..scheduler.status import JobStatus
from ..simulate import JobTimeline, Segment, SegmentKind
from .style import Style, plain
from .times import tick_step_ms
from .visible import pad, visible, width_of


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The character of each kind of segment, and the marks where a preemption begins and where a job fails."""

    own: str = "█"
    borrowed: str = "▒"
    in_share: str = "▓"
    waiting: str = "·"
    preempted: str = "✗"
    failed: str = "!"
    axis: str = "─"
    tick: str = "┬"
    ellipsis: str = "…"

    def of(self, kind: SegmentKind) -> str:
        return {
            SegmentKind.OWN: self.own,
            SegmentKind.BORROWED: self.borrowed,
            SegmentKind.IN_SHARE: self.in_share,
            SegmentKind.WAITING: self.waiting,
            SegmentKind.PREEMPTED: self.waiting,
        }[kind]


UNICODE = Glyphs()
ASCII = Glyphs(own="#", borrowed="+", in_share="=", waiting=".", preempted="x", axis="-", tick="+", ellipsis="~")

_STYLES = {
    SegmentKind.OWN: "own",
    SegmentKind.BORROWED: "borrowed",
    SegmentKind.IN_SHARE: "in-share",
    SegmentKind.WAITING: "dim",
    SegmentKind.PREEMPTED: "dim",
}
NAME_MAX = 28
COLUMNS_MIN = 20
_Cell = tuple[str, str]
"""(character, kind of style); a blank where the job is not there."""


def draw(
    timelines: Sequence[JobTimeline],
    end_ms: int,
    *,
    width: int = 100,
    glyphs: Glyphs = UNICODE,
    titles: Mapping[str, str] | None = None,
    style: Style = plain,
) -> list[str]:
    """Return the lines of the picture, the legend last. `titles` gives each share's heading, in the order to show."""
    if not timelines or end_ms <= 0:
        return []
    names = [_cropped(visible(line.job), glyphs) for line in timelines]
    label = max(width_of(name) for name in names) + 4
    columns = max(COLUMNS_MIN, width - label)
    found: list[str] = []
    for share in titles or dict.fromkeys(line.share for line in timelines):
        found.append(style((titles or {}).get(share, visible(share)), "bold"))
        for name, line in zip(names, timelines, strict=True):
            if line.share == share:
                found.append(f"{pad(f'  {name}', label)}{_row(line, end_ms, columns, glyphs, style)}".rstrip())
    return [*found, *axis(end_ms, columns, label, glyphs), legend(glyphs, style)]


def legend(glyphs: Glyphs = UNICODE, style: Style = plain) -> str:
    """Return what each character means."""
    entries = (
        (glyphs.own, "own", "own limit"),
        (glyphs.borrowed, "borrowed", "borrowed"),
        (glyphs.in_share, "in-share", "by in-share preemption"),
        (glyphs.waiting, "dim", "waiting"),
        (glyphs.preempted, "bad", "preempted"),
        (glyphs.failed, "bad", "failed"),
    )
    return "  " + "   ".join(f"{style(glyph, kind)} {text}" for glyph, kind, text in entries)


def _cropped(name: str, glyphs: Glyphs) -> str:
    return name if len(name) <= NAME_MAX else name[: NAME_MAX - 1] + glyphs.ellipsis


def _row(line: JobTimeline, end_ms: int, columns: int, glyphs: Glyphs, style: Style) -> str:
    cells = [_cell(line.segments, column * end_ms, (column + 1) * end_ms, columns, glyphs) for column in range(columns)]
    if line.end is JobStatus.FAILED and line.segments:
        cells[min(columns - 1, line.segments[-1].to_ms * columns // end_ms)] = (glyphs.failed, "bad")
    return "".join(_styled(cells, style))


def _cell(segments: Sequence[Segment], from_scaled: int, to_scaled: int, columns: int, glyphs: Glyphs) -> _Cell:
    """Return what a column shows. Times are scaled by `columns`, so that all of it is integers."""
    longest, found = 0, (" ", "")
    for segment in segments:
        starts, ends = segment.from_ms * columns, segment.to_ms * columns
        if segment.kind is SegmentKind.PREEMPTED and from_scaled <= starts < to_scaled:
            return glyphs.preempted, "bad"
        overlap = min(ends, to_scaled) - max(starts, from_scaled)
        if overlap > longest:
            longest, found = overlap, (glyphs.of(segment.kind), _STYLES[segment.kind])
    return found


def _styled(cells: Sequence[_Cell], style: Style) -> Iterator[str]:
    """Yield runs of equal cells, each styled once."""
    start = 0
    for index in range(1, len(cells) + 1):
        if index == len(cells) or cells[index] != cells[start]:
            char, kind = cells[start]
            yield style(char * (index - start), kind) if kind else char * (index - start)
            start = index


def axis(end_ms: int, columns: int, label: int, glyphs: Glyphs) -> list[str]:
    """Return the line of a time axis and the line of its times, each after `label` blanks."""
    step = tick_step_ms(end_ms, max(2, columns // 12))
    line, labels = [glyphs.axis] * columns, " " * columns
    for at_ms in range(0, end_ms, step):
        column = at_ms * columns // end_ms
        text = format_duration(at_ms) if at_ms else "0"
        line[column] = glyphs.tick
        if column + len(text) <= columns:
            labels = labels[:column] + text + labels[column + len(text) :]
    return [" " * label + "".join(line), (" " * label + labels).rstrip()]
