"""A forecast as Markdown, for a pull request: the answer as a heading, then each queue."""

from __future__ import annotations

from ..forecast import Forecast, QueueForecast
from .forecast_text import headline, queue_line, room_text, sections, unknowns
from .visible import markdown, markdown_code


def render(forecast: Forecast) -> str:
    """Return the forecast as one section."""
    lines = [f"### {markdown(headline(forecast))}", ""]
    if forecast.unreadable:
        lines += ["Could not be read:", ""]
        lines += [f"- {markdown(f'{one.operation}: {one.code}: {one.message}')}" for one in forecast.unreadable]
        return "\n".join([*lines, ""])
    for queue in forecast.queues:
        lines += [f"#### {markdown(queue_line(queue))}", ""]
        for title, sentences in sections(forecast, queue):
            lines += [f"**{title}**", "", *(f"- {markdown(sentence)}" for sentence in sentences), ""]
        lines += _rooms(queue)
    return "\n".join([*lines, *unknowns(forecast), ""])


def _rooms(queue: QueueForecast) -> list[str]:
    changed = [one for one in queue.rooms if one.differs]
    if not changed:
        return []
    rows = [
        f"| {markdown(one.share)} | {markdown_code(one.unit)} | {room_text(one.before)} | {room_text(one.after)} |"
        for one in changed
    ]
    return ["| share | unit | before | after |", "|---|---|---|---|", *rows, ""]
