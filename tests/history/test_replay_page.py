"""docs/replay.md: its examples are those of examples/replay, and what else it writes is a scenario's `replay`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quota_engine.config import load_scenario

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```yaml\n(replay:.*?)```", (ROOT / "docs" / "replay.md").read_text("utf-8"), flags=re.DOTALL)
SHARES = ("interactive", "normal", "best-effort", "vision", "speech")
STACK = """
kind: stack
version: 1
name: any
region: us-west-2
service_environments: {{gpu: {{capacity_limits: {{ml.p5.48xlarge: 8}}}}}}
scheduling_policies: {{fifo: {{}}}}
job_queues:
  training:
    service_environment: gpu
    scheduling_policy: fifo
    quota_shares:
{shares}
"""


@pytest.mark.parametrize(("example", "block"), [("cluster", BLOCKS[0]), ("teams", BLOCKS[1])])
def test_the_page_shows_what_the_example_holds(example: str, block: str) -> None:
    """Whoever reads the one and runs the other must see the same."""
    assert block in (ROOT / "examples" / "replay" / f"{example}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_what_the_page_writes_can_be_written(block: str, tmp_path: Path) -> None:
    """It is copied into scenarios."""
    share = "      {}: {{capacity_limits: {{ml.p5.48xlarge: 1}}, resource_sharing: {{strategy: LEND}}}}"
    (tmp_path / "stack.yaml").write_text(STACK.format(shares="\n".join(map(share.format, SHARES))), encoding="utf-8")
    for name in re.findall(r"file: ([a-z.]+)", block):
        (tmp_path / name).touch()
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(f"kind: scenario\nversion: 1\nstack: stack.yaml\n{block}", encoding="utf-8")
    loaded = load_scenario(scenario)
    assert [one.message for one in loaded.diagnostics] == []
    assert loaded.value is not None
    assert loaded.value.replay is not None
