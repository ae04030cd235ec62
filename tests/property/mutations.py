"""Damaged files: every file this project ships or tests with, changed at random byte by byte; and what must hold then.

Mutation number N of a seed is the same on every machine.
"""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

from quota_engine.cli.fixing import edits_of
from quota_engine.cli.validation import check_all
from quota_engine.config import Policies, read_policies
from quota_engine.config.edit import edited
from quota_engine.model.diagnostic import Diagnostic

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS_MAX = 2.0
"""CPU seconds that any file may take."""

SHIPPED = ("stacks", "scenarios", "policies", "examples")
TOKENS = [
    b"null", b"~", b"[", b"]", b"{", b"}", b": ", b"- ", b"\n", b"\t", b"  ", b"#", b"'", b'"', b"&a ", b"*a",
    b"<<: *a", b"!x ", b"---\n", b"...\n", b"? ", b"|\n", b">-\n", b"%YAML 1.1\n", b"0777", b"1e3", b".nan", b"yes",
    b"-1", b"99999999999999999999", b"4.0", b"capacity_limits", b"quota_shares", b"extends: dev.yaml\n", b"\x00",
    b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\\ud800", b"QS1", b"LEND", b"kind: scenario\n", b"kind: fragment\n",
    b"kind: policy\n", b"kind: fleet\n", b"@key", b"@other", b"\r",
    b"# quota-engine: ignore[QE304] x\n", b"\xf0\x9f\x98\x80",
]  # fmt: skip


def seeds() -> list[Path]:
    """Return every file to begin from, in order of names."""
    files = [path for folder in SHIPPED for path in (ROOT / folder).glob("*.yaml")]
    files += [path for folder in ("config", "rules") for path in (ROOT / "tests" / "cases" / folder).rglob("*.*")]
    return sorted(path for path in files if path.suffix in (".yaml", ".json") and not path.name.startswith("Pulumi."))


def mutated(data: bytes, dice: random.Random) -> bytes:
    """Change a file in one to six places: cut, double, swap, flip, insert a token or bytes, cut off, repeat."""
    for _ in range(dice.randint(1, 6)):
        start = dice.randint(0, len(data))
        end = min(len(data), start + dice.choice((0, 1, 2, 5, 30)))
        match dice.randint(0, 6):
            case 0:
                piece = b""
            case 1:
                piece = data[start:end] * dice.choice((2, 3, 50))
            case 2:
                piece = dice.randbytes(dice.randint(1, 6))
            case 3:
                other = dice.randint(0, len(data))
                piece = data[other : other + dice.randint(0, 40)]
            case 4:
                piece = bytes((byte ^ (1 << dice.randint(0, 7))) & 0xFF for byte in data[start:end])
            case _:
                piece = dice.choice(TOKENS)
        data = data[:start] + piece + data[end:]
    return data[: dice.randint(0, len(data))] if dice.random() < 0.05 else data


def run(seed: int, count: int, folder: Path) -> None:
    """Judge `count` mutations, each in the folder of the file it was made of, and assert what must hold of any."""
    workshop = folder / "files"
    for name in SHIPPED:
        shutil.copytree(ROOT / name, workshop / name, ignore=shutil.ignore_patterns("github"))
    shutil.copytree(ROOT / "tests" / "cases", workshop / "tests" / "cases")
    dice = random.Random(seed)
    policies = read_policies([ROOT / "policies"])
    files = seeds()
    for number in range(count):
        source = dice.choice(files)
        data = mutated(source.read_bytes(), dice)
        target = workshop / source.relative_to(ROOT)
        path = target.with_name(f"mutation{target.suffix}")
        path.write_bytes(data)
        try:
            judge(path, policies)
        except BaseException as error:
            (folder / "failed").write_bytes(data)
            raise AssertionError(f"mutation {number} of seed {seed}, of {source}: {data!r}") from error
        finally:
            path.unlink()


def judge(path: Path, policies: Policies) -> None:
    """Validate a file as the command does, and plan its fixes."""
    begin = time.process_time()
    found = check_all([path], policies=policies)
    for file, edits in edits_of(found.diagnostics).items():
        edited(Path(file).read_text(encoding="utf-8"), edits)
    seconds = time.process_time() - begin
    assert_located(list(found.diagnostics), dict(found.sources))
    assert seconds < SECONDS_MAX, f"{seconds:.1f} s"


def assert_located(findings: list[Diagnostic], sources: dict[str, str]) -> None:
    """Every finding stands at a place that is there, in order, and can be written in UTF-8."""
    for one in findings:
        assert one.span is not None, one
        lines = sources[one.span.file].split("\n")
        assert 1 <= one.span.line <= len(lines), one
        assert 1 <= one.span.column <= len(lines[one.span.line - 1]) + 1, one
        assert one.span.end_line <= len(lines), one
        assert (one.span.end_line, one.span.end_column) >= (one.span.line, one.span.column), one
        assert one.message
        f"{one.message}{one.why}{one.fix}".encode()
    assert findings == sorted(findings, key=lambda one: one.sort_key)
