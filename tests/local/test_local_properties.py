"""What the built-in provider calls a change, an input and a patch, without an engine or a service."""

from __future__ import annotations

from typing import Any

import pytest

from quota_engine.local.properties import (
    TYPES,
    UNKNOWN,
    Kind,
    compare,
    patch,
    preview_state,
    refreshed_inputs,
    whole_numbers,
    without_nulls,
)
from quota_engine.model.service_facts import CREATE_ONLY

SHARE = TYPES["aws-native:batch:QuotaShare"]
ENVIRONMENT = TYPES["aws-native:batch:ServiceEnvironment"]
ARN = "arn:aws:batch:us-west-2:123456789012:job-queue/training/quota-share/QS1"
INPUTS: dict[str, Any] = {
    "quotaShareName": "QS1",
    "jobQueue": "arn:aws:batch:us-west-2:123456789012:job-queue/training",
    "capacityLimits": [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1}],
    "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW"},
    "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
}
STATE: dict[str, Any] = {
    **INPUTS,
    "quotaShareArn": ARN,
    "state": "ENABLED",
    "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": -1},
}


def test_a_refresh_of_an_untouched_resource_changes_no_input() -> None:
    """Defaults the program never stated are not its own: taking them in would show as changes for ever."""
    assert refreshed_inputs(SHARE, INPUTS, STATE, STATE) == INPUTS


def test_a_refresh_takes_in_an_edit_of_what_the_program_stated() -> None:
    """It is how `up --refresh` comes to see and repair an edit made elsewhere."""
    edited = {**STATE, "capacityLimits": [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 9}]}
    inputs = refreshed_inputs(SHARE, INPUTS, STATE, edited)
    assert inputs == {**INPUTS, "capacityLimits": edited["capacityLimits"]}
    assert compare(SHARE, inputs, INPUTS) == {"capacityLimits": Kind.UPDATE}


def test_a_refresh_takes_in_an_edit_of_a_default_too() -> None:
    """Somebody has disabled the share: that is drift, although the program never stated a state."""
    edited = {**STATE, "state": "DISABLED"}
    assert refreshed_inputs(SHARE, INPUTS, STATE, edited) == {**INPUTS, "state": "DISABLED"}


def test_a_refresh_goes_into_maps_and_leaves_unstated_neighbours_out() -> None:
    """The strategy was edited, the borrow limit still is the service's default."""
    edited = {**STATE, "resourceSharingConfiguration": {"strategy": "LEND", "borrowLimit": -1}}
    inputs = refreshed_inputs(SHARE, INPUTS, STATE, edited)
    assert inputs["resourceSharingConfiguration"] == {"strategy": "LEND"}


def test_a_refresh_drops_what_was_taken_away_elsewhere() -> None:
    """Tags removed by hand must show as missing, to be put back."""
    tagged = {"tags": {"a": "b"}}
    assert "tags" not in refreshed_inputs(SHARE, {**INPUTS, **tagged}, {**STATE, **tagged}, STATE)


def test_an_import_takes_everything_but_the_arn() -> None:
    """There are no inputs yet; the ARN can't be stated."""
    inputs = refreshed_inputs(SHARE, {}, {}, STATE)
    assert inputs == {name: value for name, value in STATE.items() if name != "quotaShareArn"}


@pytest.mark.parametrize(("resource", "kinds"), [(ENVIRONMENT, {}), (SHARE, {"capacityLimits": Kind.UPDATE})])
def test_order_of_limits_matters_for_a_share_only(resource: Any, kinds: dict[str, Kind]) -> None:
    """The CloudFormation schema says so: insertionOrder is false for an environment's limits and true for a share's."""
    limits = [{"capacityUnit": "ml.a", "maxCapacity": 1}, {"capacityUnit": "ml.b", "maxCapacity": 2}]
    turned = [{"maxCapacity": 2, "capacityUnit": "ml.b"}, {"maxCapacity": 1, "capacityUnit": "ml.a"}]
    assert compare(resource, {"capacityLimits": limits}, {"capacityLimits": turned}) == kinds


def test_a_patch_names_whole_properties_in_cloudformations_spelling() -> None:
    """Operations are top-level only, as the official provider sends them."""
    old = {"capacityLimits": [], "tags": {"a": "b"}, "state": "ENABLED"}
    new = {"capacityLimits": [1], "state": "ENABLED", "priority": 3}
    assert patch(compare(SHARE, old, new), {"CapacityLimits": [1], "Priority": 3, "State": "ENABLED"}) == [
        {"op": "replace", "path": "/CapacityLimits", "value": [1]},
        {"op": "add", "path": "/Priority", "value": 3},
        {"op": "remove", "path": "/Tags"},
    ]


def test_a_previewed_arn_is_unknown_only_for_a_new_resource() -> None:
    """An unknown queue ARN would make every share look replaced by an update of its queue."""
    assert preview_state(SHARE, INPUTS, None)["quotaShareArn"] == UNKNOWN
    assert preview_state(SHARE, INPUTS, STATE)["quotaShareArn"] == ARN


def test_create_only_properties_are_those_of_the_service_facts() -> None:
    """One table for the emulator, the drift report and the provider."""
    assert {found.kind: len(found.create_only) for found in TYPES.values()} == {
        kind: len(names) for kind, names in CREATE_ONLY.items()
    }
    assert SHARE.create_only == ("quotaShareName", "jobQueue")


def test_numbers_and_nulls_of_the_wire_are_undone() -> None:
    """The engine's wire knows doubles only, and writes an unset member as null."""
    assert whole_numbers({"a": [1.0, 2.5, {"b": -1.0}], "c": True}) == {"a": [1, 2.5, {"b": -1}], "c": True}
    assert without_nulls({"a": None, "b": [None, {"c": None}], "d": 0}) == {"b": [{}], "d": 0}
