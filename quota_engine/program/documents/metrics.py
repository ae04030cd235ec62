"""Alarms and the dashboard: what is asked of CloudWatch about the queues.

Source of the metrics: AWS Batch User Guide, Using CloudWatch Metrics with AWS Batch. There are none per quota share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quota_engine.model.around import METRIC_DIMENSION, METRIC_NAMESPACE, METRICS, Alarm, Measure
from quota_engine.model.durations import format_duration

_WIDTH = 12
_HEIGHT = 6
_PERIOD_SECONDS = 300

_GRAPHS = (
    ("jobs moved on", ("JobsSubmitted", "JobsMovedToRunnable", "JobsMovedToScheduled", "JobsMovedToRunning"), "Sum"),
    ("jobs ended", ("JobsSucceeded", "JobsFailed", "JobsTerminated"), "Sum"),
    ("preemptions and retries", ("JobsPreempted", "JobsRetried"), "Sum"),
    (
        "waits, longest (ms)",
        ("JobAttemptRunnableToScheduledDuration", "JobSubmittedToFirstScheduledDuration"),
        "Maximum",
    ),
)
"""What a queue's part of the dashboard shows: title, metrics, statistic."""


def statistic(metric: str) -> str:
    """Return what an alarm watches of a metric: how many in all, or the longest."""
    return "Sum" if METRICS[metric] is Measure.COUNT else "Maximum"


def describe(alarm: Alarm) -> str:
    """Say in a sentence when an alarm goes off."""
    over = format_duration(alarm.over) if alarm.is_duration else str(alarm.over)
    within = format_duration(alarm.within_seconds * 1000)
    return f"{alarm.metric} of job queue {alarm.queue} over {over} within {within}."


def dashboard_body(region: str, queues: Sequence[str]) -> dict[str, Any]:
    """Return the dashboard: for each queue a heading and its graphs, two in a row."""
    widgets: list[dict[str, Any]] = []
    top = 0
    for queue in queues:
        widgets.append(_heading(queue, top))
        top += 1
        for index, (title, metrics, stat) in enumerate(_GRAPHS):
            x, y = index % 2 * _WIDTH, top + index // 2 * _HEIGHT
            widgets.append(_graph(queue, f"{queue}: {title}", metrics, stat, region, x, y))
        top += (len(_GRAPHS) + 1) // 2 * _HEIGHT
    return {"widgets": widgets}


def _heading(queue: str, y: int) -> dict[str, Any]:
    properties = {"markdown": f"## {queue}"}
    return {"type": "text", "x": 0, "y": y, "width": 2 * _WIDTH, "height": 1, "properties": properties}


def _graph(queue: str, title: str, metrics: Sequence[str], stat: str, region: str, x: int, y: int) -> dict[str, Any]:
    properties = {
        "title": title,
        "region": region,
        "view": "timeSeries",
        "stat": stat,
        "period": _PERIOD_SECONDS,
        "metrics": [[METRIC_NAMESPACE, metric, METRIC_DIMENSION, queue] for metric in metrics],
    }
    return {"type": "metric", "x": x, "y": y, "width": _WIDTH, "height": _HEIGHT, "properties": properties}
