"""What a sweep keeps of a run: one flat record for the whole run and one for each share, names with units.

The measures are those of `simulate.metrics`; nothing is measured anew here. A record of the whole run joins its shares:
counts and instance-times are added, waits are those of all jobs together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..simulate import Measures, Run, Verdict
from ..simulate.metrics import ShareMeasures, Waits
from .grid import Scalar

Record = Mapping[str, Scalar]
"""{column: value}; `share` is None in the record of a whole run."""

SHARE: Final = "share"
UTILISATION: Final = "utilisation_ratio"


@dataclass(frozen=True, slots=True)
class Column:
    """One measure: its name with its unit, what it means, and how it is read from one share or from all of them."""

    name: str
    meaning: str
    read: Callable[[Sequence[ShareMeasures]], Scalar]


def _sum(of: Callable[[ShareMeasures], int]) -> Callable[[Sequence[ShareMeasures]], int]:
    return lambda shares: sum(map(of, shares))


def _waits(shares: Sequence[ShareMeasures]) -> Waits:
    """Return the first waits of all shares together."""
    if len(shares) == 1:
        return shares[0].wait
    values = sorted(value for share in shares for value in share.wait.values_ms)
    return Waits(tuple(values), sum(share.wait.unstarted for share in shares))


def _mean(shares: Sequence[ShareMeasures]) -> int | None:
    return _waits(shares).mean_ms


def _percentile(percent: int) -> Callable[[Sequence[ShareMeasures]], int | None]:
    return lambda shares: _waits(shares).percentile_ms(percent)


COLUMNS: Final = (
    Column("submitted_jobs", "jobs submitted", _sum(lambda share: share.submitted)),
    Column("succeeded_jobs", "jobs that succeeded", _sum(lambda share: share.succeeded)),
    Column("failed_jobs", "jobs that failed", _sum(lambda share: share.failed)),
    Column("unfinished_jobs", "jobs that had not ended when the run did", _sum(lambda share: share.unfinished)),
    Column("unstarted_jobs", "jobs that never started; no wait is known of them", _sum(lambda s: s.wait.unstarted)),
    Column("wait_mean_ms", "mean wait from submission to the first SCHEDULED", _mean),
    Column("wait_p50_ms", "median wait, nearest rank", _percentile(50)),
    Column("wait_p95_ms", "95th percentile of the waits, nearest rank", _percentile(95)),
    Column("wait_max_ms", "longest wait", _percentile(100)),
    Column(
        "cross_share_preemptions", "preemptions suffered from other shares", _sum(lambda s: s.cross_share_preemptions)
    ),
    Column("in_share_preemptions", "preemptions within the share", _sum(lambda share: share.in_share_preemptions)),
    Column(
        "preemptions",
        "preemptions suffered, of both kinds",
        _sum(lambda share: share.cross_share_preemptions + share.in_share_preemptions),
    ),
    Column("caused_preemptions", "preemptions of other shares' jobs for its own", _sum(lambda s: s.caused_preemptions)),
    Column("lost_instance_ms", "RUNNING work discarded, times instances", _sum(lambda share: share.lost_instance_ms)),
    Column("used_instance_ms", "instance-time in use", _sum(lambda s: sum(a.instance_ms for a in s.used.values()))),
    Column(
        "borrowed_instance_ms",
        "instance-time above the own limit",
        _sum(lambda share: sum(amounts.instance_ms for amounts in share.borrowed.values())),
    ),
    Column(
        "lent_instance_ms",
        "own idle instance-time in others' use",
        _sum(lambda share: sum(amounts.instance_ms for amounts in share.lent.values())),
    ),
)
"""The measures of a run and of a share."""

RUN_COLUMNS: Final = {
    "window_ms": "length of the run: to its last event, or to `until`",
    "expectations": "expectations of the scenario",
    "expectations_held": "those that hold",
    "cut_off": "whether the run was cut off because its jobs preempted one another without end",
}
"""What only a whole run has."""


def records_of(run: Run, measures: Measures, verdicts: Sequence[Verdict]) -> tuple[Record, ...]:
    """Return the run's record, then one for each share in declared order."""
    shares = list(measures.shares.values())
    whole = {
        **_record(None, shares, measures),
        "window_ms": measures.window_ms,
        "expectations": len(verdicts),
        "expectations_held": sum(verdict.holds for verdict in verdicts),
        "cut_off": bool(run.stopped_because),
    }
    return (whole, *(_record(share.share, [share], measures) for share in shares))


def _record(name: str | None, shares: Sequence[ShareMeasures], measures: Measures) -> dict[str, Scalar]:
    return {
        SHARE: name,
        **{column.name: column.read(shares) for column in COLUMNS},
        **_utilisations(name, shares, measures),
    }


def _utilisations(name: str | None, shares: Sequence[ShareMeasures], measures: Measures) -> dict[str, Scalar]:
    """Return the part of the environment's instance-time that was in use, of all units and of each."""
    used: dict[str, int] = {}
    for unit, of_unit in measures.utilisation.items():
        in_shares = sum(share.used[unit].instance_ms for share in shares if unit in share.used)
        used[unit] = of_unit.used_instance_ms if name is None else in_shares
    there = {unit: of_unit.available_instance_ms for unit, of_unit in measures.utilisation.items()}
    return {
        UTILISATION: _ratio(sum(used.values()), sum(there.values())),
        **{f"{UTILISATION}[{unit}]": _ratio(used[unit], there[unit]) for unit in used},
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
