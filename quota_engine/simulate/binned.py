"""Amounts over time as means over bins of equal width: what is drawn where there are too many steps to draw each.

Adding a stretch of time costs the same however many bins it covers.
"""

from __future__ import annotations

from itertools import accumulate, pairwise


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


class GrowingBins(Bins):
    """Bins for a time whose end is not known yet: when it goes beyond them they become wider, by powers of two."""

    def __init__(self, count: int) -> None:
        """Start with bins of a millisecond each; their number stays."""
        super().__init__(1, count)

    def add(self, from_ms: int, to_ms: int, amount: int) -> None:
        if to_ms > self.end_ms:
            self._widen(to_ms)
        super().add(from_ms, to_ms, amount)

    def put(self, at_ms: int, count: int) -> None:
        """Count something that takes no time."""
        if at_ms >= self.end_ms:
            self._widen(at_ms + 1)
        self._parts[at_ms // self.width_ms] += count

    def sums(self) -> list[int]:
        """Return the integral over each bin."""
        whole = accumulate(self._whole)
        return [part + amount * self.width_ms for part, amount in zip(self._parts[:-1], whole, strict=False)]

    def columns(self, count: int, end_ms: int) -> list[int]:
        """Return the integral over each of `count` equal parts of the time up to `end_ms`, in whole numbers.

        A bin that lies in several of them is divided by time; they add up to all there is.
        """
        sums = self.sums()
        before = [0, *accumulate(sums)]
        borders = [self._up_to(index * end_ms, count, end_ms, sums, before) for index in range(count)]
        return [following - border for border, following in pairwise([*borders, before[-1]])]

    def _up_to(self, scaled_ms: int, count: int, end_ms: int, sums: list[int], before: list[int]) -> int:
        """Return the integral up to a time that is given `count` times as large, so that all of it is integers."""
        index = scaled_ms // (count * self.width_ms)
        if index >= len(sums):
            return before[-1]
        lasts_ms = min(self.width_ms, end_ms - index * self.width_ms)
        return before[index] + sums[index] * (scaled_ms - index * count * self.width_ms) // (count * lasts_ms)

    def _widen(self, to_ms: int) -> None:
        """Make bins twice as wide until they reach a time, all in one pass."""
        sums, factor = self.sums(), 1
        while to_ms > self.end_ms * factor:
            factor *= 2
        merged = [sum(sums[first : first + factor]) for first in range(0, len(sums), factor)] if any(sums) else []
        self._parts = merged + [0] * (len(self._parts) - len(merged))
        self._whole = [0] * len(self._whole)
        self.width_ms *= factor
        self.end_ms *= factor
