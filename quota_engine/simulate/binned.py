"""Amounts over time as means over bins of equal width: what is drawn where there are too many steps to draw each.

Adding a stretch of time costs the same however many bins it covers.
"""

from __future__ import annotations

from itertools import accumulate


class Bins:
    """The integral of an amount over each bin; integers in, so that no order of adding changes the means."""

    def __init__(self, width_ms: int, end_ms: int) -> None:
        self.width_ms = width_ms
        self.end_ms = end_ms
        count = max(1, -(-end_ms // width_ms))
        self._parts = [0] * (count + 1)
        self._whole = [0] * (count + 1)

    def add(self, from_ms: int, to_ms: int, amount: int) -> None:
        """Add an amount that lasts from one time to another; nothing beyond `end_ms` counts."""
        to_ms = min(to_ms, self.end_ms)
        if to_ms <= from_ms or not amount:
            return
        first, last = from_ms // self.width_ms, to_ms // self.width_ms
        if first == last:
            self._parts[first] += (to_ms - from_ms) * amount
            return
        self._parts[first] += ((first + 1) * self.width_ms - from_ms) * amount
        self._parts[last] += (to_ms - last * self.width_ms) * amount
        self._whole[first + 1] += amount
        self._whole[last] -= amount

    def means(self) -> list[float]:
        """Return the mean of each bin, to two decimals; the last bin may be shorter than the others."""
        whole = list(accumulate(self._whole))
        found = []
        for index, part in enumerate(self._parts[:-1]):
            lasts_ms = min(self.width_ms, self.end_ms - index * self.width_ms)
            found.append(round((part + whole[index] * self.width_ms) / lasts_ms, 2) if lasts_ms > 0 else 0.0)
        return found
