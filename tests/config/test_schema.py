"""The JSON Schemas: written by their generator, useful in an editor, and agreeing with the rules about every bound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from quota_engine.config import KINDS, load_stack, schema
from quota_engine.config.conform import RANGES
from quota_engine.config.schema import loaded
from quota_engine.model.diagnostic import Severity
from quota_engine.rules import check_stack
from tools.schema_parts.parameters import USE
from tools.schemas import render, schemas

ROOT = Path(__file__).resolve().parent.parent.parent
Schema = dict[str, Any]

SAMPLE: Schema = {
    "kind": "stack",
    "version": 1,
    "name": "demo",
    "region": "us-east-1",
    "account": "123456789012",
    "tags": {"of-all": "b"},
    "service_environments": {"gpu": {"capacity_limits": {"ml.g5.xlarge": 1}, "tags": {"a": "b"}}},
    "scheduling_policies": {"quota-fifo": {"tags": {"a": "b"}}},
    "job_queues": {
        "train": {
            "service_environment": "gpu",
            "scheduling_policy": "quota-fifo",
            "priority": 1,
            "tags": {"a": "b"},
            "renamed_from": "former",
            "quota_share_defaults": {"tags": {"of-shares": "b"}, "resource_sharing": {"borrow_limit": 5}},
            "quota_shares": {
                "QS1": {
                    "capacity_limits": {"ml.g5.xlarge": 1},
                    "resource_sharing": {"strategy": "LEND_AND_BORROW", "borrow_limit": 5},
                    "tags": {"a": "b"},
                    "renamed_from": "QS0",
                },
                "QS2": {"capacity_limits": {"ml.g5.xlarge": 1}, "resource_sharing": {"strategy": "LEND_AND_BORROW"}},
            },
        }
    },
    "access": {"QS1": {"queue": "train", "share": "QS1", "max_priority": 1, "job_tags": {"a": "b"}}},
    "training_role": {"name": "training"},
}
"""A stack with every bounded value of the format."""


def bounded(here: Schema, data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield (path in the sample, keyword, its value) of every bound in a schema."""
    for keyword in sorted(RANGES & here.keys()):
        if "x-duration" not in here:
            yield path, keyword, here[keyword]
    for key, inner in here.get("properties", {}).items():
        if key in data:
            yield from bounded(inner, data[key], (*path, key))
    if isinstance(here.get("additionalProperties"), dict):
        for key, value in data.items():
            yield from bounded(here["additionalProperties"], value, (*path, key))


def count_of(here: Schema) -> int:
    """Return how many bounds a schema has, those of lists left out."""
    own = len(RANGES & here.keys()) if "x-duration" not in here else 0
    inner = [*here.get("properties", {}).values(), here.get("additionalProperties")]
    return own + sum(count_of(one) for one in inner if isinstance(one, dict))


def beyond(keyword: str, bound: Any, value: Any) -> Any:
    """Return a value like `value` that breaks one bound."""
    match keyword:
        case "minimum":
            return bound - 1
        case "maximum":
            return bound + 1
        case "maxLength":
            return "x" * (bound + 1)
        case "pattern":
            return "not/like this"
        case "minProperties":
            return {}
        case "maxProperties":
            return {f"k{i}": next(iter(value.values())) for i in range(bound + 1)}
        case _:
            return {**value, "aws:not/like this": next(iter(value.values()))}


BOUNDS = list(bounded(schema("stack"), SAMPLE))


@pytest.mark.parametrize(("path", "keyword", "bound"), BOUNDS, ids=lambda value: str(value)[:60])
def test_every_bound_that_editors_know_is_a_rule(
    path: tuple[str, ...], keyword: str, bound: Any, tmp_path: Path
) -> None:
    """The loader leaves a declaration's bounds to the rules; one that no rule has would go unnoticed."""
    stack = json.loads(json.dumps(SAMPLE))
    parent = stack
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = beyond(keyword, bound, parent[path[-1]])
    assert not Draft202012Validator(schema("stack")).is_valid(stack)
    file = tmp_path / "s.json"
    file.write_text(json.dumps(stack), encoding="utf-8")
    assert [one for one in load_stack(file).findings(check_stack) if one.severity is Severity.ERROR]


def test_the_sample_holds_every_bound() -> None:
    """A new key with a bound must be added to the sample, or its rule is not asked for."""

    def starred(path: tuple[str, ...]) -> tuple[str, ...]:
        named = (
            "tags", "job_tags", "capacity_limits", "quota_shares", "job_queues", "service_environments",
            "scheduling_policies", "access",
        )  # fmt: skip
        return tuple("*" if before in named else key for before, key in zip(("", *path), path, strict=False))

    assert len({(starred(path), keyword) for path, keyword, _ in BOUNDS}) == count_of(schema("stack"))


def test_the_sample_of_every_bound_is_valid(tmp_path: Path) -> None:
    """Else its mutations would fail for another reason."""
    file = tmp_path / "s.json"
    file.write_text(json.dumps(SAMPLE), encoding="utf-8")
    assert not [one for one in load_stack(file).findings(check_stack) if one.severity is Severity.ERROR]


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_files_are_what_their_generator_writes(kind: str) -> None:
    """A hand-made change would be lost at the next run of tools/schemas.py."""
    path = ROOT / "quota_engine" / "config" / "schemas" / f"{kind}.schema.json"
    assert path.read_text(encoding="utf-8") == render(schemas()[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_are_schemas(kind: str) -> None:
    """An editor ignores a schema that is none, and says nothing."""
    Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_an_editor_shows_help_for_every_key(kind: str) -> None:
    """The description is all that a user of an editor sees of the documentation."""

    def check(here: Schema) -> None:
        for key, inner in here.get("properties", {}).items():
            assert inner.get("description"), key
            check(inner)
        for keyword in ("items", "additionalProperties"):
            if isinstance(here.get(keyword), dict):
                check(here[keyword])

    check(schema(kind))


def test_the_shipped_files_are_valid_in_an_editor() -> None:
    """With the standard keywords alone, as editors know them; an overlay may leave out and null what it likes."""
    import yaml

    for path in sorted([*ROOT.glob("stacks/[a-z]*.yaml"), *ROOT.glob("scenarios/*.yaml")]):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert not list(Draft202012Validator(schema(data["kind"])).iter_errors(data)), path


def test_the_modeline_of_each_shipped_file_names_its_schema() -> None:
    """The first line is what makes an editor help; a wrong path helps nobody."""
    for path in sorted([*ROOT.glob("stacks/[a-z]*.yaml"), *ROOT.glob("scenarios/*.yaml")]):
        first, kind = path.read_text(encoding="utf-8").split("\n")[0], load_kind(path)
        target = path.parent / first.partition("$schema=")[2]
        assert target.resolve() == ROOT / "quota_engine" / "config" / "schemas" / f"{kind}.schema.json"


def load_kind(path: Path) -> str:
    from quota_engine.config import load_document

    return load_document(path).kind


PARAMETRISED = """kind: scenario
version: 1
stack: stack.yaml
until: "${length}"
parameters: {rate: 6, length: 1d, strategy: fifo, on: true, wait: 2h, kind: in-share}
assumptions: {backfill: "${on}"}
jobs:
  - {name: "j-${rate}", share: a, instances: {ml.g5.xlarge: "${rate}"}, duration: "${length}", count: "${rate}"}
workloads:
  - name: w
    share: a
    arrivals: {poisson: {per_hour: "${rate}"}}
    instances: {choice: [[{ml.g5.xlarge: 1}, "${rate}"]]}
    duration: {lognormal: {median: "${length}", sigma: "${rate}"}}
    priority: "${rate}"
expect:
  - {preempted: {share: a, kind: "${kind}"}}
"""


def test_an_editor_takes_a_parameter_wherever_a_value_stands() -> None:
    """A red line under each ${rate} would teach people to look past red lines."""
    data = yaml.safe_load(PARAMETRISED)
    validator = Draft202012Validator(schema("scenario"))
    assert [error.message for error in validator.iter_errors(data)] == []
    for wrong in ("six", "6", ""):
        data["jobs"][0]["count"] = wrong
        assert not validator.is_valid(data)


def test_what_documents_are_judged_by_knows_no_parameters() -> None:
    """They have given their values by then; and messages must speak of numbers, not of texts."""
    assert "x-plain" not in json.dumps(loaded("scenario"))
    assert loaded("scenario")["properties"]["seed"]["type"] == "integer"
    assert json.dumps(USE).strip('"') not in json.dumps(loaded("scenario"))
