"""What a sweep's options mean: axes, seeds, grids and lists; and the texts that are refused."""

from __future__ import annotations

import pytest

from quota_engine.model.trouble import Trouble
from quota_engine.sweep import AxisKind, check_axes, combinations, count_combinations, read_axis, read_seeds
from quota_engine.sweep.grid import typed


def axis(text: str) -> object:
    return read_axis(AxisKind.VARY, text).values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=1,2,3", ("1", "2", "3")),
        ("a=1|2", ("1", "2")),
        ("a= x , y ", ("x", "y")),
        ("a=2..5", ("2", "3", "4", "5")),
        ("a=0..100:50", ("0", "50", "100")),
        ("a=-1", ("-1",)),
        ("a=b=c", ("b=c",)),
    ],
)
def test_values_are_read_as_written(text: str, values: tuple[str, ...]) -> None:
    """A range is what people write for ten numbers in a row."""
    assert axis(text) == values


def test_an_assumptions_values_may_hold_commas() -> None:
    """victim_order is itself a list."""
    found = read_axis(AxisKind.ASSUME, "victim_order=priority,oldest|youngest")
    assert found.values == ("priority,oldest", "youngest")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("rate", "is not NAME=VALUES"),
        ("=4", "is not NAME=VALUES"),
        ("rate=", "has an empty value"),
        ("rate=4,,6", "has an empty value"),
        ("rate=4,6,4", "has the value 4 twice"),
        ("rate=9..2", "is an empty range"),
        ("rate=1..9:0", "is an empty range"),
        ("rate=1..99999999999999", "asks for 99,999,999,999,999 values, and at most 100,000 are allowed"),
    ],
)
def test_a_bad_axis_is_refused_at_once(text: str, what: str) -> None:
    """Before anything is loaded, and without making a list of a hundred billion numbers."""
    with pytest.raises(Trouble, match=what):
        read_axis(AxisKind.SET, text)


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("3", (1, 2, 3)), ("5..7", (5, 6, 7)), ("1,5,9", (1, 5, 9)), ("0,7", (0, 7)), ("7..7", (7,))],
)
def test_seeds_are_a_count_a_range_or_a_list(text: str, seeds: tuple[int, ...]) -> None:
    """20 means twenty seeds; one seed of that number is 20..20."""
    assert read_seeds(text) == seeds


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("99999999", "asks for 99,999,999 seeds, and at most 100,000 are allowed", "give fewer seeds"),
        ("5..9999999", "asks for 9,999,995 seeds, and at most 100,000 are allowed", "give fewer seeds"),
        (" ", "--seeds is empty", "or leave it out for the scenario's own seed"),
        ("0", "--seeds 0 names no seeds", "write 20 for 1 to 20"),
    ],
)
def test_what_is_said_of_bad_seeds_is_about_seeds(text: str, what: str, fix: str) -> None:
    """A step, or a number of values, is no help to who wanted many seeds."""
    with pytest.raises(Trouble, match=what) as refused:
        read_seeds(text)
    assert fix in refused.value.fix


@pytest.mark.parametrize("text", ["", "0", "-3", "x", "1.5", "1,x", "-2..2", "1,1", "nan", "1e3", "9..1", "1..9999999"])
def test_bad_seeds_are_refused(text: str) -> None:
    """A seed is a whole number from 0."""
    with pytest.raises(Trouble):
        read_seeds(text)


def test_a_grid_takes_every_value_with_every_other() -> None:
    """The last option changes fastest, so that the tables read like nested loops."""
    axes = [read_axis(AxisKind.VARY, "a=1,2"), read_axis(AxisKind.SET, "b=x,y,z")]
    found = [", ".join(map(str, one)) for one in combinations(axes, zipped=False)]
    assert found == ["a=1, b=x", "a=1, b=y", "a=1, b=z", "a=2, b=x", "a=2, b=y", "a=2, b=z"]
    assert count_combinations(axes, zipped=False) == 6


def test_a_list_takes_the_values_side_by_side() -> None:
    """For combinations of which not every one makes sense; a single value goes with all."""
    axes = [read_axis(AxisKind.VARY, text) for text in ("a=1,2,3", "b=x,y,z", "c=0")]
    found = [", ".join(map(str, one)) for one in combinations(axes, zipped=True)]
    assert found == ["a=1, b=x, c=0", "a=2, b=y, c=0", "a=3, b=z, c=0"]
    assert count_combinations(axes, zipped=True) == 3


def test_nothing_varied_is_one_combination() -> None:
    """Seeds alone are a sweep, too."""
    assert combinations([], zipped=False) == combinations([], zipped=True) == [()]


@pytest.mark.parametrize(
    ("texts", "zipped", "what"),
    [(["a=1", "a=2"], False, "varies twice"), (["a=1,2", "b=1,2,3"], True, "differ in number")],
)
def test_options_that_contradict_are_refused(texts: list[str], zipped: bool, what: str) -> None:
    """Otherwise one of them would silently be ignored."""
    with pytest.raises(Trouble, match=what):
        check_axes([read_axis(AxisKind.VARY, text) for text in texts], zipped)


@pytest.mark.parametrize(
    ("text", "values"),
    [("a=1,2", [1, 2]), ("a=1,2.5", [1.0, 2.5]), ("a=1,x", ["1", "x"]), ("a=01,2", ["01", "2"]), ("a=-1,0", [-1, 0])],
)
def test_a_columns_type_is_that_of_all_its_values(text: str, values: list[object]) -> None:
    """A Parquet column has one type."""
    assert typed(read_axis(AxisKind.VARY, text)) == values
