"""What a plain scalar means: the YAML 1.2 core schema, minus spellings that people and tools read differently.

`no`, `on`, `yes`, `12:30:00`, `1_000` are text. An integer is decimal digits as a person writes them. Other spellings
of numbers that the core schema knows (0777, 0x1F, +5, 1e3, 4.0) keep their text, so that a message can show it.
"""

from __future__ import annotations

import math
import re
from typing import Final

from .tree import Numeral, Scalar

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
INTEGER_DIGITS_MAX: Final = 18
_WHOLE: Final = rf"-?(?:0|[1-9][0-9]{{0,{INTEGER_DIGITS_MAX - 1}}})"
_INTEGER: Final = re.compile(_WHOLE)
_FLOAT: Final = re.compile(_WHOLE + r"\.[0-9]{1,17}")
_NUMBER: Final = re.compile(
    r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_LENIENT: Final = re.compile(r"[-+]?[0-9][0-9_]*(?:\.0*)?")
_DIGITS_MAX: Final = 40


def resolve(text: str) -> Scalar:
    """Return the value of a plain scalar."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NUMBER.fullmatch(text):
        return Numeral(text, numeric_value(text))
    return text


def numeric_value(text: str) -> int | float | None:
    """Return the number a person most likely means by `text`; None where there is no finite one."""
    text = text.removesuffix("%").rstrip()
    if len(text) > _DIGITS_MAX:
        return None
    if _LENIENT.fullmatch(text):
        return int(text.replace("_", "").split(".")[0])
    try:
        if text[:2] in ("0o", "0x"):
            return int(text, 0)
        value = float(text.replace("_", ""))
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
