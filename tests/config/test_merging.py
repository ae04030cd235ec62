"""`extends` and a stack's own defaults: what the merged stack holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import load_stack
from quota_engine.model.stack import QuotaShare, Stack, State, Strategy
from quota_engine.rules.names import Resource

CASES = Path(__file__).resolve().parent.parent / "cases" / "config"


@pytest.fixture
def merged() -> Stack:
    stack = load_stack(CASES / "extends" / "plain" / "stack.yaml").value
    assert stack is not None
    return stack


def share_of(stack: Stack, name: str) -> QuotaShare:
    return stack.job_queues["train"].quota_shares[name]


def test_maps_merge_and_null_removes_what_was_inherited(merged: Stack) -> None:
    """An overlay states only what differs; without null nothing inherited could ever be taken back."""
    assert merged.service_environments["gpu"].capacity_limits == {"ml.g5.xlarge": 3}
    assert merged.service_environments["gpu"].tags == {"owner": "ml", "team": "a"}


def test_fragments_may_extend_fragments_and_be_json(merged: Stack) -> None:
    """What a fragment builds on comes with it, whichever of the two formats it is in."""
    assert merged.job_queues["train"].priority == 7
    assert list(merged.job_queues["train"].quota_shares) == ["a", "b", "c"]


def test_moving_away_from_borrowing_drops_an_inherited_borrow_limit(merged: Stack) -> None:
    """Otherwise every share that only lends would have to say `borrow_limit: null` or be refused."""
    assert (share_of(merged, "a").strategy, share_of(merged, "a").borrow_limit_percent) == (
        Strategy.LEND_AND_BORROW,
        100,
    )
    assert (share_of(merged, "b").strategy, share_of(merged, "b").borrow_limit_percent) == (Strategy.LEND, None)


def test_a_share_takes_the_defaults_of_its_queue_unless_it_says_otherwise(merged: Stack) -> None:
    """Defaults are what shares have in common; null in a share goes back to the format's own default."""
    assert share_of(merged, "a").in_share_preemption is State.ENABLED
    assert share_of(merged, "c").in_share_preemption is State.DISABLED


def test_tags_of_the_stack_reach_every_resource_and_no_other_tag_is_added(merged: Stack) -> None:
    """Cost reports rest on them; a tag that nobody declared would be drift for ever."""
    resources: list[Resource] = [
        *merged.service_environments.values(),
        *merged.scheduling_policies.values(),
        *merged.job_queues.values(),
        *merged.job_queues["train"].quota_shares.values(),
    ]
    assert {tuple(sorted(resource.tags.items())) for resource in resources} == {(("owner", "ml"), ("team", "a"))}


def test_a_resources_own_tag_wins_over_the_stacks(tmp_path: Path) -> None:
    """The team of one share is not the team of the stack."""
    (tmp_path / "s.yaml").write_text(
        "kind: stack\nversion: 1\nname: demo\nregion: us-east-1\ntags: {team: all, site: x}\n"
        "service_environments: {gpu: {capacity_limits: {ml.g5.xlarge: 1}, tags: {team: one, site: null}}}\n"
    )
    stack = load_stack(tmp_path / "s.yaml").value
    assert stack is not None
    assert stack.service_environments["gpu"].tags == {"team": "one"}


def test_a_finding_in_merged_values_names_the_file_where_the_value_stands() -> None:
    """The line to edit is in the base file, not in the stack that the user named."""
    loaded = load_stack(CASES / "extends" / "plain" / "stack.yaml")
    limit = ("job_queues", "train", "quota_shares", "a", "resource_sharing", "borrow_limit")
    span = loaded.positions.span(limit)
    assert span is not None
    assert Path(span.file).name == "base.yaml"
    assert "borrow_limit: 100" in loaded.sources[span.file].split("\n")[span.line - 1]


def test_files_that_extend_the_same_base_twice_over_are_read_once(tmp_path: Path) -> None:
    """A ladder of n files that each extend the one below twice would else be read 2^n times."""
    (tmp_path / "f0.yaml").write_text("kind: fragment\nversion: 1\ntags: {a: b}\n")
    for level in range(1, 60):
        (tmp_path / f"f{level}.yaml").write_text(
            f"kind: fragment\nversion: 1\nextends: [f{level - 1}.yaml, f{level - 1}.yaml]\n"
        )
    (tmp_path / "s.yaml").write_text("kind: stack\nversion: 1\nname: demo\nregion: us-east-1\nextends: f59.yaml\n")
    loaded = load_stack(tmp_path / "s.yaml")
    assert loaded.value is not None
    assert len(loaded.sources) == 61


def test_a_link_out_of_the_folder_is_outside(tmp_path: Path) -> None:
    """What is deployed must not depend on what a reviewer of the folder can't see, whatever the file is called."""
    (tmp_path / "outside.yaml").write_text("kind: fragment\nversion: 1\n")
    inside = tmp_path / "stacks"
    inside.mkdir()
    (inside / "base.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "s.yaml").write_text("kind: stack\nversion: 1\nname: demo\nregion: us-east-1\nextends: base.yaml\n")
    assert [one.rule for one in load_stack(inside / "s.yaml").diagnostics] == ["QE212"]
