"""The generated table of instance types against botocore's model, and what the rules make of it."""

from __future__ import annotations

import pytest

from quota_engine.model import service_facts as facts
from quota_engine.model.instance_types import TRAINING_INSTANCE_TYPES
from quota_engine.rules.capacity import is_misspelt, nearest_type
from tools.instance_types import TARGET, render, training_instance_types


def test_the_table_is_what_its_generator_writes() -> None:
    """A stale table warns about hardware that everybody uses."""
    assert TARGET.read_text(encoding="utf-8") == render(training_instance_types())


def test_every_known_type_has_the_form_that_the_rules_want() -> None:
    """Else a real type would be refused."""
    assert {name for name in TRAINING_INSTANCE_TYPES if not facts.INSTANCE_TYPE_PATTERN.fullmatch(name)} == set()
    assert {name for name in TRAINING_INSTANCE_TYPES if is_misspelt(name)} == set()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("g5.xlarge", "ml.g5.xlarge"),
        ("ML.G5.XLARGE", "ml.g5.xlarge"),
        ("ml.g5.xlrge", "ml.g5.xlarge"),
        ("ml.g5xlarge", "ml.g5.xlarge"),
        ("ml.g5.xlarge ", "ml.g5.xlarge"),
        ("p5.48xlarge", "ml.p5.48xlarge"),
        ("ml.p5.48xlarg", "ml.p5.48xlarge"),
        ("ml_g5_xlarge", "ml.g5.xlarge"),
    ],
)
def test_a_slip_is_an_error_with_the_type_that_was_meant(written: str, meant: str) -> None:
    """AWS Batch refuses it only when the stack is deployed."""
    assert is_misspelt(written)
    assert nearest_type(written) == meant


@pytest.mark.parametrize("new", ["ml.p9.48xlarge", "ml.g7e.xlarge", "ml.p9zz-ab300.36xlarge", "ml.g5.96xlarge"])
def test_new_hardware_is_not_refused(new: str) -> None:
    """A fixed list would refuse next month's instances: another generation or size is no slip."""
    assert not is_misspelt(new)
