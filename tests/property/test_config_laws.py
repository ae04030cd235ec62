"""Laws of reading: whatever the bytes, an answer with located findings, in bounded time, and never a crash."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quota_engine.config import load_document
from quota_engine.config.document import parse_document
from quota_engine.config.source import decode
from quota_engine.config.tree import plain, positions, walk
from quota_engine.model.diagnostic import Diagnostic
from quota_engine.rules import check_scenario, check_stack
from tests.property.mutations import TOKENS, assert_located

ROOT = Path(__file__).resolve().parent.parent.parent
SHIPPED = [path.read_bytes() for path in sorted([*ROOT.glob("stacks/[a-z]*.yaml"), *ROOT.glob("scenarios/*.yaml")])]
FEW = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """A shipped file with a few stretches cut out, doubled, or replaced by something that YAML or we care about."""
    data = draw(st.sampled_from(SHIPPED))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 30)))
        piece = draw(st.sampled_from([*TOKENS, data[start:end] * 2, b""]) | st.binary(max_size=6))
        data = data[:start] + piece + data[end:]
    return data


def judged(data: bytes, name: str = "s.yaml") -> tuple[list[Diagnostic], dict[str, str]]:
    """Return all findings about bytes in a file of their own folder, and the texts they point into."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        loaded = load_document(path)
        return loaded.findings(check_stack, check_scenario), dict(loaded.sources)


@FEW
@given(mutations())
def test_a_damaged_file_gives_located_findings_and_no_crash(data: bytes) -> None:
    """Half-typed files are what a validator sees most."""
    assert_located(*judged(data))


@FEW
@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_random_bytes_give_a_finding_and_no_crash(data: bytes) -> None:
    """No bytes are a stack by accident, and nothing that is not a stack passes in silence."""
    findings, sources = judged(data)
    assert findings
    assert_located(findings, sources)


@FEW
@given(json_values, st.sampled_from(["stack", "scenario", "fragment"]))
def test_any_json_value_under_a_kind_gives_located_findings(value: object, kind: str) -> None:
    """Every place of the format gets values of every type sooner or later."""
    keys = ("name", "job_queues", "service_environments", "extends", "tags", "jobs", "events", "expect", "stack")
    document = {"kind": kind, "version": 1, **dict.fromkeys(keys, value)}
    assert_located(*judged(json.dumps(document).encode(), "s.json"))


@FEW
@given(json_values)
def test_strict_json_means_what_other_readers_make_of_it(value: object) -> None:
    """The json module is the judge, wherever it keeps to RFC 8259 and we have the same notion of a number."""
    text = json.dumps({"v": value}, allow_nan=True)
    document = parse_document(decode("s.json", text.encode()))
    clean = document.tree is not None and not document.diagnostics
    if clean and document.tree is not None and not any(not_alike(node.content) for _, node in walk(document.tree)):
        assert plain(document.tree) == json.loads(text)


def not_alike(content: object) -> bool:
    """Whether a value is one that we keep apart from plain data, such as 1e3."""
    return type(content).__name__ in ("Numeral", "Unread")


@FEW
@given(mutations())
def test_the_same_bytes_give_the_same_findings(data: bytes) -> None:
    """Output that changes from run to run can't be compared in CI."""
    first, second = (parse_document(decode("s.yaml", data)) for _ in range(2))
    assert first.diagnostics == second.diagnostics
    if first.tree and second.tree:
        assert positions(first.tree) == positions(second.tree)
