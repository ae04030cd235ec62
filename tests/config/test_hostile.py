"""Files made to keep a machine busy: each ends at a bound, whatever it repeats, and says at which."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import load_document
from quota_engine.config.tree import VALUES_MAX
from quota_engine.rules import check_scenario, check_stack

HEAD = "kind: stack\nversion: 1\nname: x\nregion: us-east-1\n"
WORK = "kind: scenario\nversion: 1\nstack: stack.yaml\njobs:\n"


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("s.yaml", f"{HEAD}tags: [{'1,' * VALUES_MAX}1]\n", "QE117"),
        ("s.yaml", HEAD + "a: &a {}\nb: [" + "*a," * VALUES_MAX + "]", "QE117"),
        ("s.json", '{"kind": "stack", "tags": [' + "NaN," * VALUES_MAX + "1]}", "QE117"),
        (
            "s.yaml",
            f"{HEAD}tags: {{{', '.join(f'k{i}: v' for i in range(45))}}}\nservice_environments:\n"
            + "".join(f" e{i}: {{}}\n" for i in range(4000)),
            "QE111",
        ),
        ("s.yaml", f"{HEAD}extends: [{'x.yaml,' * 2000}x.yaml]\n", "QE206"),
        ("s.yaml", HEAD + "job_queues:\n" + "".join(f" q{i}:\n" for i in range(4000)), "QE116"),
        ("s.yaml", HEAD + "tags: {\n" + "\ta: b,\n" * 2000 + "}", "QE116"),
        (
            "w.yaml",
            WORK + "".join(f"- {{name: j{i}, share: QSX, instances: {{ml.g.x: 1}}}}\n" for i in range(2000)),
            "QE116",
        ),
        (
            "w.yaml",
            WORK + "".join(f"- {{name: j{i}, share: QS1, instances: {{ml.g: 1}}, count: 99999}}\n" for i in range(9)),
            "QE206",
        ),
    ],
    ids=["values", "aliases", "json", "tags", "extends", "nulls", "tabs", "references", "copies"],
)
def test_what_repeats_without_end_ends_at_a_bound(name: str, text: str, rule: str, tmp_path: Path) -> None:
    """A check that runs on every push must not be stopped by one file."""
    (tmp_path / "stack.yaml").write_text(
        f"{HEAD}service_environments: {{e: {{capacity_limits: {{ml.g5.xlarge: 1}}}}}}\n"
        "scheduling_policies: {p: {}}\n"
        "job_queues: {q: {service_environment: e, scheduling_policy: p, quota_shares: {QS1: "
        "{capacity_limits: {ml.g5.xlarge: 1}, resource_sharing: {strategy: RESERVE}}}}}\n"
    )
    path = tmp_path / name
    path.write_text(text)
    loaded = load_document(path)
    found = loaded.findings(check_stack, check_scenario)
    assert rule in {one.rule for one in found}
    assert len(found) < 2000


def test_findings_of_one_rule_end_in_one_that_says_so(tmp_path: Path) -> None:
    """What is left out must not pass for what is not there."""
    path = tmp_path / "s.yaml"
    path.write_text(HEAD + "access:\n" + "".join(f" a{i}: {{queue: none}}\n" for i in range(2000)))
    found = [one for one in load_document(path).findings(check_stack) if one.rule == "QE440"]
    assert len(found) < 300
    assert any("more findings of this rule are not shown" in one.message for one in found)
