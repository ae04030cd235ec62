"""A forecast for programs. Version 1; documented in docs/forecast.md."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from quota_engine import __version__

from ..forecast import Forecast, QueueForecast

VERSION = 1


def render(forecast: Forecast) -> str:
    """Return the JSON document."""
    document = {
        "version": VERSION,
        "tool": {"name": "quota-engine", "version": __version__},
        "name": forecast.name,
        "account": forecast.account,
        "region": forecast.region,
        "exit_code": forecast.exit_code,
        "assume_duration_ms": forecast.assume_duration_ms,
        "has_history": forecast.has_history,
        "within_ms": forecast.within_ms,
        "assumptions": dict(forecast.assumptions or {}),
        "unreadable": [asdict(problem) for problem in forecast.unreadable],
        "queues": [_queue(queue) for queue in forecast.queues],
    }
    return json.dumps(document, indent=2, default=list) + "\n"


def _queue(queue: QueueForecast) -> dict[str, Any]:
    return {
        "queue": queue.queue,
        "lives": queue.lives,
        "running": queue.running,
        "waiting": queue.waiting,
        "hit_at_least": queue.fewest,
        "hit_at_most": queue.most,
        "at_once": [asdict(hit) for hit in queue.at_once],
        "later": [asdict(hit) for hit in queue.later],
        "possible": [asdict(hit) for hit in queue.possible],
        "exposed": [asdict(hit) for hit in queue.exposed],
        "anyway": [asdict(hit) for hit in queue.anyway],
        "starts": [asdict(start) for start in queue.starts],
        "possible_starts": [asdict(start) for start in queue.possible_starts],
        "durations": [asdict(basis) for basis in queue.durations],
        "rooms": [{**asdict(room), "differs": room.differs} for room in queue.rooms],
        "doubts": list(queue.doubts),
    }
