"""A sweep in a few figures: for each combination, and each share in it, the mean over seeds with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .grid import Combination
from .intervals import Estimate, estimate
from .plan import RunResult, Swept
from .record import COLUMNS, SHARE, UTILISATION, Record

METRICS: Final = {
    **{column.name: column.meaning for column in COLUMNS},
    UTILISATION: "part of the environment's instance-time in use; a share's is its part of it",
}
"""{measure that is summarised: what it means}."""


@dataclass(frozen=True, slots=True)
class Group:
    """One combination's runs of the whole queue (`share` None) or of one share.

    `estimates` hold every measure of METRICS, None where no run had a value. An estimate over fewer seeds than there
    are comes of runs that had none, such as the wait where no job started.
    """

    combination: Combination
    share: str | None
    estimates: Mapping[str, Estimate | None]


@dataclass(frozen=True, slots=True)
class Summary:
    """Groups in order of the combinations, in each the whole run first, then the shares as declared.

    `same` tells that several seeds gave the very same results: nothing in the scenario is random. `cut_off` counts
    runs that would not have ended.
    """

    swept: Swept
    groups: tuple[Group, ...]
    same: bool
    cut_off: int


def summarised(swept: Swept) -> Summary:
    """Return the summary of a sweep."""
    groups: list[Group] = []
    same = len(swept.plan.seeds) > 1
    for combination, results in swept.of_combinations():
        same = same and all(result.records == results[0].records for result in results)
        groups += _groups(combination, results)
    cut_off = sum(bool(result.records[0]["cut_off"]) for result in swept.results)
    return Summary(swept, tuple(groups), same, cut_off)


def _groups(combination: Combination, results: Sequence[RunResult]) -> list[Group]:
    of_share: dict[str | None, list[Record]] = {}
    for result in results:
        for record in result.records:
            share = record[SHARE]
            of_share.setdefault(None if share is None else str(share), []).append(record)
    return [Group(combination, share, _estimates(records)) for share, records in of_share.items()]


def _estimates(records: Sequence[Record]) -> dict[str, Estimate | None]:
    return {name: estimate(_numbers(records, name)) for name in METRICS}


def _numbers(records: Sequence[Record], name: str) -> list[float]:
    """Return a measure's values, without the runs that have none."""
    return [value for record in records if isinstance(value := record[name], int | float)]
