"""Draws: the right distribution, and the same whole number on every machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from decimal import Decimal, localcontext
from random import Random

import pytest

from quota_engine.model.durations import LONGEST_MS
from quota_engine.model.sampling import Choice, Constant, Durations, Empirical, Exponential, LogNormal, Uniform, Weibull
from quota_engine.workloads.draw import chooser, duration_ms, exponential, lognormal, one_of, priority_of, weibull
from quota_engine.workloads.exact import DECIMALS, FLOATS, Arithmetic, Number, whole
from quota_engine.workloads.normal import deviate

MINUTE = 60_000
LAST = 1 - 2**-53
"""The greatest draw there is."""


def draws(count: int = 20_000) -> list[float]:
    random = Random("draws").random
    return [random() for _ in range(count)]


@pytest.mark.parametrize(
    ("durations", "mean", "median"),
    [
        (Constant(40 * MINUTE), 40.0, 40.0),
        (Uniform(10 * MINUTE, 70 * MINUTE), 40.0, 40.0),
        (Exponential(40 * MINUTE), 40.0, 40.0 * math.log(2)),
        (LogNormal(40 * MINUTE, 0.5), 40.0 * math.exp(0.5**2 / 2), 40.0),
        (Weibull(40 * MINUTE, 1.5), 40.0 * math.gamma(1 + 1 / 1.5), 40.0 * math.log(2) ** (1 / 1.5)),
        (Weibull(40 * MINUTE, 0.7), 40.0 * math.gamma(1 + 1 / 0.7), 40.0 * math.log(2) ** (1 / 0.7)),
        (Empirical((10 * MINUTE, 20 * MINUTE, 90 * MINUTE), "some.csv"), 40.0, 20.0),
    ],
)
def test_mean_and_median_are_those_of_the_distribution(durations: Durations, mean: float, median: float) -> None:
    """A wrong formula predicts a load that never comes."""
    minutes = [duration_ms(durations, draw) / MINUTE for draw in draws()]
    assert statistics.mean(minutes) == pytest.approx(mean, rel=0.03)
    assert statistics.median(minutes) == pytest.approx(median, rel=0.03)


@pytest.mark.parametrize(
    ("function", "parameters"),
    [(exponential, (2_400_000.0,)), (lognormal, (2_400_000.0, 1.1)), (weibull, (2_400_000.0, 0.8))],
)
def test_a_longer_draw_never_gives_a_shorter_duration(
    function: Callable[..., int], parameters: tuple[float, ...]
) -> None:
    """Inverse transforms are monotone: with another setting, a seed's long jobs are still its long ones."""
    found = [function(draw, *parameters) for draw in sorted([0.0, *draws(2_000), LAST])]
    assert found == sorted(found)


@pytest.mark.parametrize("draw", [2**-53, 1e-9, 0.01, 0.075, 0.3, 0.5, 0.7, 0.925, 0.99999, LAST])
def test_the_normal_deviate_is_the_standard_librarys_and_the_same_in_decimals(draw: float) -> None:
    """Forty coefficients are typed by hand; the two ways of counting must mean the same number."""
    found = deviate(FLOATS, draw)
    assert found == pytest.approx(statistics.NormalDist().inv_cdf(draw), rel=1e-14, abs=1e-15)
    with localcontext() as context:
        context.prec = 40
        assert float(deviate(DECIMALS, draw)) == pytest.approx(found, rel=1e-13, abs=1e-15)


def test_a_result_next_to_a_half_is_rounded_by_forty_digits() -> None:
    """Where two mathematical libraries differ in the last digit, the same seed must not give two schedules."""

    def almost(of: Arithmetic[Number], draw: float) -> Number:
        return of.of(1e6) + of.of("0.5") - of.of("0.00000000000000000001")

    def half(of: Arithmetic[Number], draw: float) -> Number:
        return of.of(1e6) + of.of("0.5")

    assert almost(FLOATS, 0.0) == half(FLOATS, 0.0)
    assert (whole(almost, 0.0), whole(half, 0.0)) == (1_000_000, 1_000_001)


@pytest.mark.parametrize("function", [exponential, lognormal, weibull])
def test_the_quick_answer_is_the_exact_one(function: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortcut through floats must change nothing but the time it takes."""
    parameters = {exponential: (9_999.0,), lognormal: (9_999.0, 1.1), weibull: (9_999.0, 0.7)}[function]
    quick = [function(draw, *parameters) for draw in draws(300)]
    monkeypatch.setattr("quota_engine.workloads.exact._DOUBT", 1.0)
    assert [function(draw, *parameters) for draw in draws(300)] == quick


@pytest.mark.parametrize("durations", [Exponential(LONGEST_MS), LogNormal(LONGEST_MS, 10.0), Weibull(LONGEST_MS, 0.1)])
@pytest.mark.parametrize("draw", [0.0, 2**-53, 0.5, LAST])
def test_no_draw_is_too_long_or_negative(durations: Durations, draw: float) -> None:
    """The ends of the range, where logarithms go to infinity."""
    assert 0 <= duration_ms(durations, draw) <= LONGEST_MS


def test_uniform_draws_reach_both_ends_and_nothing_beyond() -> None:
    """An off-by-one would make the highest priority impossible."""
    priority = priority_of(Uniform(1, 5))
    assert (priority(0.0), priority(LAST)) == (1, 5)
    counts = dict.fromkeys(range(1, 6), 0)
    for draw in draws():
        counts[priority(draw)] += 1
    assert all(count == pytest.approx(4_000, rel=0.1) for count in counts.values())
    assert one_of(10**15, LAST) < 10**15


def test_a_choice_falls_on_each_option_as_often_as_its_weight_says() -> None:
    """Weights need not add up to 1, and an option of weight 0 never comes."""
    choose = chooser(Choice(("never", "often", "no", "seldom", "nor this"), (0.0, 3.0, 0.0, 1.0, 0.0)))
    found = [choose(draw) for draw in [0.0, *draws(), LAST]]
    assert set(found) == {"often", "seldom"}
    assert found.count("often") / len(found) == pytest.approx(0.75, rel=0.03)


def test_decimals_round_logarithms_correctly() -> None:
    """What the exact answer rests on: the last of 40 digits of ln 2 and e is right."""
    with localcontext() as context:
        context.prec = 40
        assert DECIMALS.log(Decimal(2)) == Decimal("0.6931471805599453094172321214581765680755")
        assert DECIMALS.exp(Decimal(1)) == Decimal("2.718281828459045235360287471352662497757")
