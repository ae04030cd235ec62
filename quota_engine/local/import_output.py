"""What `pulumi import` says, line by line → its count of changes and its errors: of this command no events are told.

Pure: lines in, values out. Source of the lines: Pulumi's progress display, "Diagnostics" and "Resources".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"  (?P<type>\S+) \((?P<name>.+)\):")
_ERROR = re.compile(r"    error: (?P<text>.+)")
_COUNT = re.compile(r"    (?:\S )?(?P<count>\d+) (?P<done>imported|created|unchanged)")
_OPERATIONS = {"imported": "import", "created": "create", "unchanged": "same"}
_STACK = "pulumi:pulumi:Stack"
_NOISE = ("@ importing", "warning: using pulumi-language-python from $PATH")
"""Dots, and where the engine found the language host: this program has put it there."""


@dataclass(slots=True)
class ImportOutput:
    """What was heard so far: `changes` in Pulumi's words, errors of resources by name, and those of the whole."""

    changes: dict[str, int] = field(default_factory=dict)
    _of_resources: list[str] = field(default_factory=list)
    _of_the_stack: list[str] = field(default_factory=list)
    _name: str = ""

    @property
    def errors(self) -> list[str]:
        """The resources' own errors; the stack repeats them, so its words count only where there are no others."""
        return self._of_resources or self._of_the_stack

    def hear(self, line: str) -> None:
        """Take in one line."""
        line = line.rstrip()
        if heading := _HEADING.fullmatch(line):
            self._name = "" if heading["type"] == _STACK else heading["name"]
        elif error := _ERROR.fullmatch(line):
            if self._name:
                self._of_resources.append(f"{self._name}: {error['text']}")
            else:
                self._of_the_stack.append(error["text"])
        elif count := _COUNT.fullmatch(line):
            self.changes[_OPERATIONS[count["done"]]] = int(count["count"])


def is_noise(line: str) -> bool:
    """Say whether a line tells a user nothing about the import."""
    return any(noise in line for noise in _NOISE)
