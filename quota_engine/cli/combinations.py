"""From a sweep's options to the scenarios that will run: every combination loaded and judged before the first run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..config import Overlay, Setting, find_setting
from ..model.trouble import Trouble
from ..model.work import Scenario
from ..scheduler.assumptions import AssumptionError, Assumptions
from ..sweep import Axis, AxisKind, Combination, described
from .files import Findings, Invalid, declared_scenario
from .options import Given

_NAMED_MAX = 3
"""Bad combinations that are named; of the others only their number is told."""


def declared_scenarios(path: Path, axes: Sequence[Axis], wanted: Sequence[Combination], given: Given) -> list[Scenario]:
    """Return the scenario of each combination, in order, with the jobs of its history but none generated yet.

    Raises Invalid where the file has errors as it is, or with any combination: the findings of the first are shown.
    Raises Trouble for a path, parameter or assumption that there isn't.
    """
    paths = _settings(declared_scenario(path, given).value, axes)
    loaded: dict[tuple[str, ...], Scenario | Findings] = {}
    scenarios: list[Scenario] = []
    bad: list[tuple[Combination, Findings]] = []
    for combination in wanted:
        key = tuple(str(choice) for choice in combination if choice.axis.kind is not AxisKind.ASSUME)
        if key not in loaded:
            loaded[key] = _loaded(path, combination, paths, given)
        match loaded[key]:
            case Findings() as found:
                bad.append((combination, found))
            case scenario:
                scenarios.append(_assuming(scenario, combination))
    if bad:
        raise _invalid(path, bad, len(wanted))
    return scenarios


def _settings(base: Scenario, axes: Sequence[Axis]) -> Mapping[str, tuple[str | int, ...]]:
    """Return {path as written: path in full} of all axes over the declaration; no two may mean the same."""
    found: dict[str, tuple[str | int, ...]] = {}
    for axis in axes:
        if axis.kind is AxisKind.VARY:
            path = find_setting(axis.name, base.stack, base.queue)
            if path in found.values():
                raise Trouble(f"{'/'.join(map(str, path))} varies twice", fix="put all its values into one option")
            found[axis.name] = path
    return found


def _loaded(
    path: Path, combination: Combination, paths: Mapping[str, tuple[str | int, ...]], given: Given
) -> Scenario | Findings:
    """Load the scenario with a combination's parameters and settings; its findings where any is an error."""
    overlay: Overlay = [
        Setting(paths[choice.axis.name], choice.axis.name, choice.value)
        for choice in combination
        if choice.axis.kind is AxisKind.VARY
    ]
    parameters = {choice.axis.name: choice.value for choice in combination if choice.axis.kind is AxisKind.SET}
    try:
        return declared_scenario(path, replace(given, parameters=parameters), overlay).value
    except Invalid as error:
        return error.found


def _assuming(scenario: Scenario, combination: Combination) -> Scenario:
    """Return the scenario under a combination's assumptions."""
    chosen = {choice.axis.name: choice.value for choice in combination if choice.axis.kind is AxisKind.ASSUME}
    try:
        Assumptions.of({**scenario.assumptions, **chosen})
    except AssumptionError as error:
        raise Trouble(str(error), fix="see quota-engine assumptions") from error
    return replace(scenario, assumptions={**scenario.assumptions, **chosen}) if chosen else scenario


def _invalid(path: Path, bad: Sequence[tuple[Combination, Findings]], count: int) -> Invalid:
    named = "; ".join(described(combination) for combination, _ in bad[:_NAMED_MAX])
    more = f"; and {len(bad) - _NAMED_MAX} more" if len(bad) > _NAMED_MAX else ""
    error = Invalid(f"{len(bad)} of {count} combinations can't be: {named}{more}", bad[0][1])
    error.why = f"{path} has the errors above with the first of them"
    error.fix = "leave out what can't be, or take the values side by side with --list"
    return error
