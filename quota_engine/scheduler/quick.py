"""How a fact that is made a million times is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_Made = TypeVar("_Made")


@dataclass_transform(frozen_default=True)
def quick_dataclass(made: type[_Made]) -> type[_Made]:
    """Make a fact's class: frozen for the type checker, and at run time no slower to build than a plain object.

    A dataclass that is frozen at run time sets each field through `object.__setattr__`, which takes twice as long.
    """
    return dataclass(slots=True, unsafe_hash=True)(made)
