"""The quick answer and jsonschema's: the same schema must give the same yes or no."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quota_engine.config import KINDS
from quota_engine.config.conform import _CHECKS, _NOTES, conforms
from quota_engine.config.judge import complaints
from quota_engine.config.schema import RANGED, loaded

scalars = st.none() | st.booleans() | st.integers(-2, 2**31) | st.floats(0, 9) | st.sampled_from(
    ["stack", "1h", "1500ms", "LEND", "ml.g5.xlarge", "a b", "", "aws:x", "x" * 130, "continuous", "FIFO", "ENABLED"]
)  # fmt: skip


def values_of(here: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that mostly have the form a schema asks for, so that its deep places are reached."""
    named = {key: values_of(inner, depth + 1) for key, inner in here.get("properties", {}).items()}
    options: list[st.SearchStrategy[Any]] = [scalars, st.sampled_from(here.get("enum", [here.get("const", "1m")]))]
    if named:
        options += [st.fixed_dictionaries({}, optional=named)] * 6
    if isinstance(here.get("additionalProperties"), dict):
        inner = values_of(here["additionalProperties"], depth + 1)
        options += [st.dictionaries(st.sampled_from(["a", "QS1", "ml.g5.xlarge", "not/one"]), inner, max_size=2)] * 6
    if "items" in here:
        options += [st.lists(values_of(here["items"], depth + 1), max_size=2)] * 4
    return st.one_of(options)


STRATEGIES = {kind: values_of(loaded(kind)) for kind in KINDS}


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_value_conforms_exactly_where_jsonschema_has_no_complaint(data: st.DataObject) -> None:
    """A difference would let a fault pass in silence, or load jsonschema for nothing."""
    kind = data.draw(st.sampled_from(KINDS))
    value = data.draw(STRATEGIES[kind])
    assert conforms(loaded(kind), value, ranges=kind in RANGED) == (not complaints(kind, value))


@pytest.mark.parametrize("kind", KINDS)
def test_every_keyword_of_the_schemas_is_known(kind: str) -> None:
    """An unknown one would send every file to jsonschema, ten times as slow."""

    def check(here: dict[str, Any]) -> None:
        assert set(here) <= _CHECKS.keys() | _NOTES
        inner = [*here.get("properties", {}).values(), *here.get("anyOf", [])]
        inner += [here[key] for key in ("items", "additionalProperties") if isinstance(here.get(key), dict)]
        for one in inner:
            check(one)

    check(loaded(kind))
