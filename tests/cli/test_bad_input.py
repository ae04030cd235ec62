"""Bad input through the real console script: one clear message, the right exit code, never a traceback."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = (ROOT / "stacks" / "dev.yaml").read_text(encoding="utf-8")
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "very-secret-key"}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def write(folder: Path, text: str | bytes, name: str = "stack.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("command", ["validate", "simulate", "drift"])
@pytest.mark.parametrize("place", ["missing.yaml", "file/child.yaml"])
def test_a_path_that_cannot_be_read_is_trouble(quota_engine: Run, command: str, place: str, tmp_path: Path) -> None:
    """Exit 2: a CI job must be able to tell a typo in its own configuration from a finding."""
    write(tmp_path, "x", "file")
    run = quota_engine(command, str(tmp_path / place))
    assert run.returncode == 2
    assert str(tmp_path / place) in run.stderr
    assert run.stdout == ""


def test_a_folder_without_files_is_trouble(quota_engine: Run, tmp_path: Path) -> None:
    """Nothing checked must not look like nothing wrong."""
    run = quota_engine("validate", str(tmp_path))
    assert run.returncode == 2
    assert str(tmp_path) in run.stderr


@pytest.mark.parametrize("command", ["simulate", "drift"])
def test_a_folder_where_a_file_belongs_is_trouble(quota_engine: Run, command: str, tmp_path: Path) -> None:
    """The message says what it is instead."""
    run = quota_engine(command, str(tmp_path))
    assert run.returncode == 2
    assert "it is a folder" in run.stderr
    assert "there is none in this folder" in run.stderr


@pytest.mark.parametrize(
    ("command", "kind", "named"),
    [
        (["simulate"], "scenario", "s0.yaml, s1.yaml, s2.yaml, s3.yaml, s4.yaml and 2 more"),
        (["sweep", "--vary", "rate=1"], "scenario", "s0.yaml, s1.yaml, s2.yaml, s3.yaml, s4.yaml and 2 more"),
        (["drift"], "stack", "b/today.yaml"),
    ],
)
def test_a_folder_where_a_file_belongs_tells_which_files_are_in_it(
    quota_engine: Run, command: list[str], kind: str, named: str, tmp_path: Path
) -> None:
    """Those of the right kind, and no more than can be read; what can't be read is no concern here."""
    (tmp_path / "b").mkdir()
    write(tmp_path, "kind: [", "a.yaml")
    write(tmp_path / "b", "kind: scenario\n", "week.yaml")
    write(tmp_path / "b", "kind: stack\n", "today.yaml")
    for number in range(6):
        write(tmp_path, "kind: scenario\n", f"s{number}.yaml")
    run = quota_engine(*command, ".", cwd=tmp_path)
    assert run.returncode == 2
    assert f"it is a folder, where the file of a {kind} belongs" in run.stderr
    assert f"fix: name a {kind} in it: {named}\n" in run.stderr


BROKEN: dict[str, tuple[str | bytes, str, int | None]] = {
    "an empty file": ("", "QE1", 1),
    "broken YAML": ("kind: stack\nname: [a\n", "QE1", None),
    "a tab": ("kind: stack\n\tname: x\n", "QE1", 2),
    "Latin-1 bytes": (b"kind: stack\nname: caf\xe9\n", "QE1", 2),
    "a duplicate key": (GOOD.replace("region:", "name: again\nregion:", 1), "QE1", None),
    "an unknown key": (GOOD.replace("region:", "reggion: x\nregion:", 1), "QE2", None),
    "a wrong type": (GOOD.replace("{ml.g5.xlarge: 3}", "{ml.g5.xlarge: three}", 1), "QE2", None),
    "a text for a number": (GOOD.replace("{ml.g5.xlarge: 3}", '{ml.g5.xlarge: "3"}', 1), "QE", None),
    "an undefined reference": (GOOD.replace("service_environment: gpu", "service_environment: gpus", 1), "QE4", None),
    "a scalar on top": ("hello\n", "QE", 1),
    "a list on top": ("- a\n", "QE", 1),
}


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_a_broken_file_is_a_finding_of_validate_and_trouble_elsewhere(
    quota_engine: Run, what: str, tmp_path: Path
) -> None:
    """validate exits 1 and names file and line; every other command prints the same finding and exits 2."""
    text, rule, line = BROKEN[what]
    assert text not in (GOOD, GOOD.encode())
    path = write(tmp_path, text)
    validated = quota_engine("validate", str(path))
    assert validated.returncode == 1, validated.stderr
    assert f"{path}:{line or ''}" in validated.stdout
    assert rule in validated.stdout
    assert "fix:" in validated.stdout
    drift = quota_engine("drift", str(path), env=KEYS)
    assert drift.returncode == 2
    assert rule in drift.stdout + drift.stderr


def test_all_findings_of_all_files_come_in_one_run(quota_engine: Run, tmp_path: Path) -> None:
    """Two broken files, both reported, ordered by file and line, the same bytes every time."""
    write(tmp_path, BROKEN["an unknown key"][0], "a.yaml")
    write(tmp_path, BROKEN["a wrong type"][0], "b.yaml")
    runs = [quota_engine("validate", str(tmp_path), env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "7")]
    assert runs[0] == runs[1]
    assert runs[0].index("a.yaml") < runs[0].index("b.yaml")


def test_the_errors_of_a_scenario_stand_alone(quota_engine: Run, tmp_path: Path) -> None:
    """Warnings and notes of the stack that it names are no reason to refuse it: validate tells them."""
    write(tmp_path, GOOD)
    job = "{name: a, share: QS9, instances: {ml.g5.xlarge: 1}}"
    path = write(tmp_path, f"kind: scenario\nversion: 1\nstack: stack.yaml\njobs: [{job}]\n", "scenario.yaml")
    assert "note QE427" in quota_engine("validate", str(path)).stdout
    run = quota_engine("simulate", str(path))
    assert run.returncode == 2
    assert run.stderr.startswith(f"{path}:4:25: error QE504")
    assert "QE427" not in run.stderr
    assert "quota-engine validate shows them again, with a warning or note\n" in run.stderr


def test_wrong_usage_is_trouble(quota_engine: Run) -> None:
    """Exit 2 for an unknown command or option, with the nearest command."""
    assert quota_engine("simulat").returncode == 2
    assert "simulate" in quota_engine("simulat").stderr
    assert quota_engine("validate", "--frob").returncode == 2
    assert quota_engine("drift", "no-such-stack").returncode == 2


def test_no_credentials_is_trouble(quota_engine: Run) -> None:
    """Could not look is not "in sync" and not "drift"."""
    run = quota_engine("drift", "stacks/dev.yaml")
    assert run.returncode == 2
    assert "credentials" in run.stderr.lower() + run.stdout.lower()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def endpoint(port: int) -> dict[str, str]:
    return {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}


def test_an_endpoint_that_refuses_is_trouble(quota_engine: Run, free_port: int) -> None:
    """The endpoint is named, and the exit code is 2."""
    run = quota_engine("drift", "stacks/dev.yaml", env=endpoint(free_port))
    assert run.returncode == 2
    assert str(free_port) in run.stderr + run.stdout


class Garbage(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = b"<html>It works!</html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def garbage_port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Garbage)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint_that_answers_garbage_is_trouble(quota_engine: Run, garbage_port: int) -> None:
    """A captive portal's page must not read as "nothing is there"."""
    run = quota_engine("drift", "stacks/dev.yaml", env=endpoint(garbage_port))
    assert run.returncode == 2
    assert "in sync" not in run.stdout


def test_a_port_in_use_is_trouble(quota_engine: Run) -> None:
    """The message names the port and how to take another."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        run = quota_engine("serve", "--port", str(taken.getsockname()[1]))
    assert run.returncode == 2
    assert str(taken) not in run.stderr
    assert "--port" in run.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_emulator_stops_when_asked(stop: signal.Signals) -> None:
    """Ctrl-C and a service manager's stop end it at once and quietly."""
    process = subprocess.Popen(
        [sys.executable, "-m", "quota_engine", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert "AWS_ENDPOINT_URL_BATCH" in process.stdout.readline()
    process.send_signal(stop)
    out, err = process.communicate(timeout=20)
    assert process.returncode in (0, 130)
    assert "Traceback" not in out + err


def test_a_result_file_is_written_whole_or_not_at_all(quota_engine: Run, tmp_path: Path) -> None:
    """A folder that does not exist is trouble, and nothing is left behind."""
    good = tmp_path / "report.txt"
    assert quota_engine("validate", "stacks", "--output", str(good)).returncode == 0
    assert good.read_text(encoding="utf-8").endswith("\n")
    assert list(tmp_path.iterdir()) == [good]
    run = quota_engine("validate", "stacks", "--output", str(tmp_path / "no" / "report.txt"))
    assert run.returncode == 2
    assert list(tmp_path.iterdir()) == [good]


@pytest.mark.parametrize("command", ["rule", "assumptions", "--help"])
def test_a_closed_pipe_is_trouble_not_a_no(command: str) -> None:
    """`quota-engine rule | head -1` ends quietly; were the exit code 1, `pipefail` would read "findings"."""
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m quota_engine {command} | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.strip() in ("0", "2")


def test_what_is_no_regular_file_is_written_to_and_a_link_followed(quota_engine: Run, tmp_path: Path) -> None:
    """`--output /dev/null` as root must not replace the device; a link's target gets the text."""
    fifo, real, link = tmp_path / "fifo", tmp_path / "real", tmp_path / "link"
    os.mkfifo(fifo)
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    assert quota_engine("rule", "--output", str(link)).returncode == 0
    assert link.is_symlink()
    assert "QE304" in real.read_text(encoding="utf-8")
    assert real.stat().st_mode & 0o777 == 0o640
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text(encoding="utf-8")))
    reader.start()
    assert quota_engine("rule", "--output", str(fifo)).returncode == 0
    reader.join(timeout=20)
    assert "QE304" in read[0]
    assert fifo.is_fifo()
    assert quota_engine("rule", "--output", "/dev/full").returncode == 2


def test_a_password_in_an_endpoint_is_not_shown(quota_engine: Run, free_port: int) -> None:
    """Error messages end up in CI logs."""
    address = {"AWS_ENDPOINT_URL": f"http://user:very-secret-key@127.0.0.1:{free_port}"}
    run = quota_engine("drift", "stacks/dev.yaml", env={**KEYS, **address})
    assert run.returncode == 2
    assert "***@" in run.stderr


def test_text_of_users_can_not_begin_a_line(quota_engine: Run, tmp_path: Path) -> None:
    """A line that begins with :: is a command to a CI runner that reads the log."""
    path = write(tmp_path, GOOD.replace("region: us-west-2", 'region: "us-west-2\\n::error::pwned"', 1))
    for form in ("text", "github", "markdown"):
        run = quota_engine("validate", str(path), "--format", form)
        assert run.returncode == 1
        assert not [line for line in run.stdout.splitlines() if line.strip().startswith("::error::")]
    run = quota_engine("validate", str(tmp_path / "a\n::error::b"))
    assert not [line for line in run.stderr.splitlines() if line.strip().startswith("::error::")]


@pytest.mark.parametrize("wrong", [("--speed", "nan"), ("--speed", "1e300"), ("--region", "x y"), ("--power-safe",)])
def test_settings_that_can_not_be_are_wrong_usage(quota_engine: Run, wrong: tuple[str, ...]) -> None:
    """The emulator refuses to start rather than to answer every call with an error."""
    run = quota_engine("serve", "--port", "0", *wrong)
    assert run.returncode == 2
    assert wrong[0] in run.stderr


def test_closed_streams_are_no_internal_error() -> None:
    """A service manager may start a program with its standard output closed."""
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m quota_engine assumptions >&-"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
