"""No damaged file crashes or stops the validator, or leaves a finding without a place."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from tests.property import mutations

MEBIBYTE = 1024 if sys.platform != "darwin" else 1024 * 1024


def peak() -> float:
    """Return the most memory this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEBIBYTE


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_file_is_judged_whatever_it_has_become(seed: int, tmp_path: Path) -> None:
    """Half-typed and half-merged files are what a validator sees most."""
    mutations.run(seed, 1000, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_fifty_thousand_damaged_files_are_judged_in_bounded_memory(seed: int, tmp_path: Path) -> None:
    """What one in ten thousand files can provoke comes up in a year of commits."""
    before = peak()
    mutations.run(seed, 2500, tmp_path)
    assert peak() - before < 150
