"""Checked data → `Around`: what a declaration states around its queues. Reads what `build_stack` leaves aside.

Data whose faulty values were taken out still builds; rules skip what has no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.around import Access, Alarm, Around, Grantees, Notification, Occasion, TrainingRole
from ..model.durations import parse_duration

Data = Mapping[str, Any]


def build_around(data: Data) -> Around:
    """Build what stands around the queues of a merged and checked declaration."""
    role = data.get("training_role")
    return Around(
        access={name: _access(name, entry) for name, entry in data.get("access", {}).items()},
        administrators=_grantees(data["administrators"]) if "administrators" in data else None,
        auditors=_grantees(data["auditors"]) if "auditors" in data else None,
        training_role=_training_role(role) if role else None,
        notifications={
            Occasion(name): Notification(Occasion(name), entry.get("sns_topic"), entry.get("log_group"))
            for name, entry in data.get("notifications", {}).items()
        },
        alarms=tuple(_alarm(entry or {}) for entry in data.get("alarms", ())),
        dashboard=data.get("dashboard", False),
        tags=data.get("tags", {}),
    )


def _grantees(data: Data) -> Grantees:
    return Grantees(_texts(data, "principals"), _texts(data, "assumed_by"))


def _access(name: str, data: Data) -> Access:
    return Access(
        name=name,
        queue=data.get("queue", ""),
        share=data.get("share", name),
        grantees=_grantees(data),
        max_priority=data.get("max_priority"),
        training_roles=_texts(data, "training_roles"),
        may_terminate=data.get("may_terminate", False),
        job_tags=data.get("job_tags", {}),
    )


def _training_role(data: Data) -> TrainingRole:
    return TrainingRole(data.get("name", ""), _texts(data, "buckets"), _texts(data, "read_only_buckets"))


def _alarm(data: Data) -> Alarm:
    queue, metric, over = data.get("queue", ""), data.get("metric", ""), data.get("over", 0)
    return Alarm(
        name=data.get("name", f"{queue}-{metric}"),
        queue=queue,
        metric=metric,
        over=over if isinstance(over, int) else parse_duration(over) or 0,
        within_seconds=(parse_duration(data.get("within", "")) or 0) // 1000,
        is_duration=isinstance(over, str),
        notify=data.get("notify"),
    )


def _texts(data: Data, key: str) -> tuple[str, ...]:
    """Return a list of texts without what was faulty in it."""
    return tuple(item for item in data.get(key, ()) if item is not None)
