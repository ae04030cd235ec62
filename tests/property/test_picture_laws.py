"""Laws of the pictures: they show what the measures say, unpack to what was packed, and never overlap in a lane."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from quota_engine.model.work import Scenario
from quota_engine.report.charts.lives import Life, Stretch, lives
from quota_engine.report.charts.packed import packed
from quota_engine.report.simulation_perfetto import laned
from quota_engine.report.visible import visible
from quota_engine.simulate import measure, run
from quota_engine.simulate.binned import Bins
from quota_engine.simulate.use import UseSeries, use_over_time

from .schedule_strategies import scenarios


def integral(series: UseSeries, end_ms: int, field: str) -> float:
    if not series.steps:
        return 0
    ends = [step.at_ms for step in series.steps[1:]] + [end_ms]
    return sum(float(getattr(step, field)) * (end - step.at_ms) for step, end in zip(series.steps, ends, strict=True))


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_use_over_time_has_the_areas_that_the_measures_say(scenario: Scenario) -> None:
    """A picture and a table of the same run must not disagree."""
    outcome = run(scenario)
    measures = measure(outcome)
    drawn = {(one.share, one.unit): one for one in use_over_time(outcome.trace, scenario, outcome.end_ms)}
    for share in measures.shares.values():
        for unit, used in share.used.items():
            series = drawn.get((share.share, unit))
            borrowed, lent = share.borrowed.get(unit), share.lent.get(unit)
            own = used.instance_ms - (borrowed.instance_ms if borrowed else 0)
            assert (integral(series, outcome.end_ms, "own") if series else 0) == own
            assert (integral(series, outcome.end_ms, "lent") if series else 0) == (lent.instance_ms if lent else 0)


@settings(max_examples=25, deadline=None)
@given(scenarios(), st.integers(1, 50_000))
def test_means_over_bins_keep_the_area(scenario: Scenario, bin_ms: int) -> None:
    """Drawing many steps as means loses no instance-hour, to the rounding of the means."""
    outcome = run(scenario)
    if outcome.end_ms == 0:
        return
    bin_ms = max(bin_ms, outcome.end_ms // 500 + 1)
    exact = use_over_time(outcome.trace, scenario, outcome.end_ms)
    binned = use_over_time(outcome.trace, scenario, outcome.end_ms, bin_ms)
    assert [(one.unit, one.share) for one in exact] == [(one.unit, one.share) for one in binned]
    for one, other in zip(exact, binned, strict=True):
        for field in ("own", "lent", "borrowed", "limit"):
            error = abs(integral(one, outcome.end_ms, field) - integral(other, outcome.end_ms, field))
            assert error <= 0.0051 * outcome.end_ms


@given(
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(1, 9)), max_size=20), st.integers(1, 70)
)
def test_bins_are_means_of_what_was_added(stretches: list[tuple[int, int, int]], width_ms: int) -> None:
    """Adding is the same however many bins a stretch covers."""
    end_ms = 150
    bins = Bins(width_ms, end_ms)
    at = [0] * end_ms
    for one, other, amount in stretches:
        from_ms, to_ms = sorted((one, other))
        bins.add(from_ms, to_ms, amount)
        for ms in range(from_ms, min(to_ms, end_ms)):
            at[ms] += amount
    parts = [at[start : start + width_ms] for start in range(0, end_ms, width_ms)]
    assert bins.means() == [round(sum(part) / len(part), 2) for part in parts]


def unpacked(data: dict[str, object]) -> list[tuple[str, str, list[tuple[int, int, int, str]]]]:
    """Return (name, end, [(kind, from_ms, to_ms, cause)]) of packed lives, as the page's script does."""
    found, before, start = [], "", 0
    unit = int(str(data["unit_ms"]))
    names, all_lives, causes, classes = (list(data[key]) for key in ("names", "lives", "causes", "classes"))  # type: ignore[call-overload]
    for shortened, life in zip(names, all_lives, strict=True):
        before = before[: ord(shortened[0]) - 48] + shortened[1:]
        number, _, body = life.partition(":")
        digits = body.split(next((char for char in body if char.isupper()), "~"))[0]
        start += int(digits, 36)
        at, rest, stretches = start, body[len(digits) :], []
        while rest:
            letters = rest[: next(index for index, char in enumerate(rest) if not char.isupper())]
            rest = rest[len(letters) :]
            duration = rest[: next((index for index, char in enumerate(rest) if char.isupper()), len(rest))]
            rest = rest[len(duration) :]
            cause = 0
            for letter in letters:
                cause = cause * 26 + ord(letter) - 65
            stretches.append((causes[cause][0], at * unit, (at + int(duration, 36)) * unit, causes[cause][1]))
            at += int(duration, 36)
        found.append((before, classes[int(number, 36)][2], stretches))
    return found


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_packed_lives_unpack_to_what_they_were(scenario: Scenario) -> None:
    """The page shows what it unpacks; a lost millisecond there would be a lie in the picture."""
    kinds = ("waiting", "own", "borrowed", "in-share", "preempted")
    outcome = run(scenario)
    found = lives(outcome)
    expected = [
        (
            visible(life.job),
            life.end,
            [(kinds.index(one.kind.value), one.from_ms, one.to_ms, one.cause) for one in life.stretches],
        )
        for life in found.jobs
    ]
    assert unpacked(packed(found, {}, outcome.end_ms)) == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=30))
def test_jobs_in_a_lane_follow_each_other(times: list[tuple[int, int]]) -> None:
    """Overlapping slices of a track are drawn as if one had called the other."""
    from quota_engine.simulate import SegmentKind

    jobs = [
        Life(str(number), "A", "", "SUCCEEDED", (Stretch(SegmentKind.OWN, start, start + lasts, ""),))
        for number, (start, lasts) in enumerate(sorted(times))
    ]
    lanes = laned(jobs)
    for lane in set(lanes.values()):
        members = [life.stretches[0] for life in jobs if lanes[life.job] == lane]
        assert all(one.to_ms <= other.from_ms for one, other in pairwise(members))
    most = max((sum(s <= at < s + d for s, d in times) for at in range(80)), default=0)
    assert len(set(lanes.values())) == most
