"""What an explanation holds: sentences, and the changes that were tried with what they did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Would:
    """A change that was tried in the model, and what it did: "priority 5" → "it starts at once, preempting med"."""

    change: str
    effect: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One job's explanation. `headline` is the answer, `why` its reasons, `history` what happened to it before.

    `assumptions` are the numbers of the points that the answer rests on; `doubts` say where model and service differ.
    """

    job: str
    name: str
    share: str
    status: str
    headline: str
    why: tuple[str, ...] = ()
    woulds: tuple[Would, ...] = ()
    history: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
