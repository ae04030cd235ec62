"""Means and their confidence intervals, against published figures."""

from __future__ import annotations

from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quota_engine.sweep.intervals import estimate, t_quantile


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062), (4, 2.7764), (9, 2.2622), (30, 2.0423), (31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799)],
)
def test_the_t_quantile_is_the_published_one(degrees: int, quantile: float) -> None:
    """NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2."""
    assert round(t_quantile(degrees), 4) == quantile


def test_an_interval_is_the_textbooks() -> None:
    """Worked by hand: mean 12, s = 2.9155 (2.915476), t(4) = 2.7764, so 2.7764 * 2.915476 / sqrt(5) = 3.6200."""
    found = estimate([8, 11, 12, 13, 16])
    assert found is not None
    assert found.mean == 12
    assert found.half_width == pytest.approx(3.6200, abs=5e-5)
    assert found.count == 5


def test_one_value_has_no_interval() -> None:
    """An interval of width 0 would claim certainty."""
    found = estimate([7])
    assert found is not None
    assert (found.mean, found.half_width, found.interval) == (7, None, None)


def test_no_value_has_no_estimate() -> None:
    """The wait of jobs that never started is not 0."""
    assert estimate([]) is None


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=50), st.randoms(use_true_random=False))
def test_an_estimate_does_not_depend_on_the_order(values: list[int], randomly: object) -> None:
    """Runs finish in any order; the same bytes have to come out."""
    shuffled = list(values)
    randomly.shuffle(shuffled)  # type: ignore[attr-defined]
    found = estimate(values)
    assert found == estimate(shuffled)
    assert found is not None
    assert found.mean == pytest.approx(fmean(values))
    assert found.half_width == pytest.approx(
        t_quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5, rel=1e-12, abs=1e-6
    )
