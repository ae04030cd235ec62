"""Paths and bytes: what can't be read at all, what is not text, and that the machine's locale plays no part."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quota_engine.config import Unreadable, discover, load_document, load_scenario, load_stack
from quota_engine.config import yaml_text as reader
from quota_engine.config.source import SIZE_MAX, decode
from quota_engine.config.yaml_text import read_yaml

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "cases" / "config"


@pytest.mark.parametrize("load", [load_document, load_stack, load_scenario])
def test_a_path_that_can_not_be_read_raises_unreadable(load: object, tmp_path: Path) -> None:
    """It is trouble, exit 2, not a finding: nothing is known about a file that nobody could look into."""
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in (tmp_path / "missing.yaml", tmp_path, tmp_path / "pipe.yaml", "nul\0.yaml", "x" * 5000, "\ud800.yaml"):
        with pytest.raises(Unreadable):
            load(path)  # type: ignore[operator]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_forbidden_file_is_unreadable(tmp_path: Path) -> None:
    """ "Permission denied" is what the user needs to hear."""
    path = tmp_path / "s.yaml"
    path.write_text("kind: stack\n")
    path.chmod(0)
    with pytest.raises(Unreadable, match="Permission denied"):
        load_stack(path)


def test_a_file_above_one_mebibyte_is_refused_unread(tmp_path: Path) -> None:
    """A job history that was renamed to .yaml must not keep a machine busy for minutes."""
    path = tmp_path / "s.yaml"
    path.write_bytes(b"#" * (SIZE_MAX + 1))
    assert [one.rule for one in load_document(path).diagnostics] == ["QE102"]
    path.write_bytes(b"#" * SIZE_MAX)
    assert [one.rule for one in load_document(path).diagnostics] == ["QE103"]


@pytest.mark.parametrize(
    "text",
    [
        "kind: stack\nversion: 1\n" + "".join(f"k{i}: 1\n" for i in range(600)),
        "kind: stack\nversion: 1\n" + "k: 1\n" * 600,
        "kind: scenario\nversion: 1\nstack: s.yaml\njobs: [" + "1, " * 600 + "]\n",
    ],
    ids=["unknown keys", "a key over and over", "a list of something else"],
)
def test_hundreds_of_findings_end_in_one_that_says_so(text: str, tmp_path: Path) -> None:
    """A file that is something else altogether must not give a hundred thousand findings, each a second's work."""
    path = tmp_path / "s.yaml"
    path.write_text(text)
    loaded = load_document(path)
    assert loaded.value is None
    assert len(loaded.diagnostics) < 600
    assert "QE116" in {one.rule for one in loaded.diagnostics}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "shift-jis"])
def test_any_other_encoding_gives_one_finding(encoding: str) -> None:
    """Each of them would else give dozens of findings about letters that nobody wrote."""
    source = decode(
        "s.yaml",
        "kind: stack # café äöü\n".replace("é", "ソ" if encoding == "shift-jis" else "é").encode(encoding, "replace"),
    )
    assert len(source.diagnostics) == 1
    assert source.diagnostics[0].rule in ("QE101", "QE104")


def test_line_ends_and_byte_order_mark_do_not_move_a_position() -> None:
    """An editor shows the same line and column for all of them."""
    text = "kind: stack\nname: [\n"
    variants = [
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
    ]
    spans = {read_yaml(decode("s.yaml", data))[1][0].span for data in variants}
    assert len(spans) == 1


def test_the_locale_plays_no_part() -> None:
    """CI machines run in the C locale, where open() would decode as ASCII."""
    files = sorted(str(path) for path in CASES.glob("text/bytes-*.yaml"))
    program = (
        "import sys; from quota_engine.config import load_document; from quota_engine.rules import check_stack\n"
        "for file in sys.argv[1:]:\n"
        "  for one in load_document(file).findings(check_stack): print(ascii((one.span, one.rule, one.message)))\n"
    )
    answers = set()
    for setting in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "C.UTF-8"}):
        environment = {"PATH": os.environ["PATH"], **setting}
        run = subprocess.run(
            [sys.executable, "-c", program, *files], cwd=ROOT, env=environment, capture_output=True, check=True
        )
        assert run.stdout
        answers.add(run.stdout)
    assert len(answers) == 1


def test_the_pure_python_reader_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml, the same files mean the same, position by position."""
    import yaml

    class Pure(yaml.SafeLoader):
        yaml_implicit_resolvers = reader._Loader.yaml_implicit_resolvers

    files = [*ROOT.glob("stacks/[a-z]*.yaml"), *ROOT.glob("scenarios/*.yaml"), *CASES.glob("shape/*.yaml")]
    with_c = [load_document(path) for path in files]
    monkeypatch.setattr(reader, "_Loader", Pure)
    for path, expected in zip(files, with_c, strict=True):
        found = load_document(path)
        assert found.value == expected.value
        assert [(one.rule, one.message) for one in found.diagnostics] == [
            (one.rule, one.message) for one in expected.diagnostics
        ]


def test_folders_are_searched_and_pulumis_settings_skipped(tmp_path: Path) -> None:
    """`Pulumi.dev.yaml` lies beside `dev.yaml` and is not ours; passing it over must be said, not silent."""
    for name in (
        "b.yaml",
        "a.yml",
        "c.JSON",
        "Pulumi.dev.yaml",
        "note.txt",
        ".hidden.yaml",
        "sub/d.yaml",
        ".git/e.yaml",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = discover([tmp_path, tmp_path / "b.yaml", tmp_path / "Pulumi.dev.yaml"])
    names = [Path(file).relative_to(tmp_path).as_posix() for file in found.files]
    assert names == ["a.yml", "b.yaml", "c.JSON", "sub/d.yaml", "Pulumi.dev.yaml"]
    assert [Path(file).name for file in found.skipped] == ["Pulumi.dev.yaml"]
