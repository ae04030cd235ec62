"""Where the Pulumi engine is looked for, in which order, and what is said when it can't be had."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from quota_engine.local.engine import DOWNLOAD_SWITCH, PULUMI_VERSION, Origin, ensure_language_host, find_engine
from quota_engine.local.errors import EngineUnavailable

FAKE_GO = """#!/bin/sh
echo "go: downloading example.org/module v1.0.0" >&2
echo "example.org/package" >&2
while [ "$1" != "-o" ]; do shift; done
printf '#!/bin/sh\\necho v0.0.0\\n' > "$2"
chmod +x "$2"
"""
FAILING_GO = """#!/bin/sh
echo "go: go.mod requires go >= 1.26.6 (running go 1.22.1; GOTOOLCHAIN=local)" >&2
exit 1
"""


class Machine:
    """A user's machine: a home of its own and a PATH that holds only what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.bin, self.home = root / "bin", root / "home"
        self.bin.mkdir()
        self.home.mkdir()
        self.environ = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), DOWNLOAD_SWITCH: "never"}

    @property
    def cache(self) -> Path:
        return self.home / ".cache" / "quota-engine" / "pulumi"

    def install(self, name: str, script: str) -> Path:
        path = self.bin / name
        path.write_text(script)
        path.chmod(0o755)
        return path

    def install_pulumi(self, version: str) -> Path:
        return self.install("pulumi", f"#!/bin/sh\necho v{version}\n")

    def put_into_cache(self) -> Path:
        path = self.cache / PULUMI_VERSION / "bin" / "pulumi"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_recent_pulumi_on_path_is_used(machine: Machine) -> None:
    """A user's own installation comes first, whatever else there is."""
    command = machine.install_pulumi("3.290.1")
    machine.put_into_cache()
    engine = find_engine(io.StringIO(), machine.environ)
    assert (engine.command, engine.version, engine.origin) == (command, "3.290.1", Origin.PATH)


@pytest.mark.parametrize("version", ["3.199.9", "2.25.2", "not-a-version"])
def test_a_pulumi_too_old_for_the_sdk_is_passed_over(machine: Machine, version: str) -> None:
    """It would fail in the middle of a deployment, with words about protocols."""
    machine.install_pulumi(version)
    cached = machine.put_into_cache()
    engine = find_engine(io.StringIO(), machine.environ)
    assert (engine.command, engine.origin) == (cached, Origin.CACHE)


def test_a_pulumi_that_does_not_start_is_passed_over(machine: Machine) -> None:
    """A broken installation is a reason to look further, not to stop."""
    machine.install("pulumi", "#!/bin/sh\nexit 3\n")
    machine.put_into_cache()
    assert find_engine(io.StringIO(), machine.environ).origin is Origin.CACHE


def test_the_engine_is_built_once_and_then_cached(machine: Machine) -> None:
    """Minutes of building must not be spent twice, and a pipe must see that something goes on."""
    machine.install("go", FAKE_GO)
    progress = io.StringIO()
    built = find_engine(progress, machine.environ)
    assert (built.origin, built.command) == (Origin.BUILD, machine.cache / PULUMI_VERSION / "bin" / "pulumi")
    assert re.search(rf"building Pulumi {PULUMI_VERSION} .*\(0 s\)\n", progress.getvalue())
    (machine.bin / "go").unlink()
    assert find_engine(io.StringIO(), machine.environ).origin is Origin.CACHE


def test_a_failed_build_leaves_nothing_in_the_cache_and_says_why(machine: Machine) -> None:
    """Half an engine in the cache would be found, and fail, the next time."""
    machine.install("go", FAILING_GO)
    with pytest.raises(EngineUnavailable) as caught:
        find_engine(io.StringIO(), machine.environ)
    assert "requires go >= 1.26.6" in caught.value.why
    assert [path for path in machine.cache.iterdir() if not path.name.endswith(".lock")] == []


def test_every_place_that_was_tried_is_named_with_its_reason(machine: Machine) -> None:
    """Whoever has to fix it needs to know which of the four ways is the nearest to working."""
    with pytest.raises(EngineUnavailable) as caught:
        find_engine(io.StringIO(), machine.environ)
    reasons = {attempt.source: attempt.reason for attempt in caught.value.attempts}
    assert list(reasons) == ["PATH", "cache", "download", "build"]
    assert "no pulumi there" in reasons["PATH"]
    assert f"{DOWNLOAD_SWITCH}=never" in reasons["download"]
    assert "no go on PATH" in reasons["build"]
    assert "install Pulumi" in caught.value.fix


def test_the_cache_follows_xdg_cache_home(machine: Machine, tmp_path: Path) -> None:
    """A user who moves caches elsewhere expects half a gigabyte there and not in the home directory."""
    machine.install("go", FAKE_GO)
    engine = find_engine(io.StringIO(), {**machine.environ, "XDG_CACHE_HOME": str(tmp_path / "caches")})
    assert engine.command.is_relative_to(tmp_path / "caches")
    assert not (machine.home / ".cache").exists()


def test_the_language_host_beside_the_engine_is_used(machine: Machine) -> None:
    """Every official installation has it there."""
    machine.install_pulumi("3.290.1")
    for name in ("pulumi-language-python", "pulumi-language-python-exec"):
        machine.install(name, "#!/bin/sh\n")
    engine = find_engine(io.StringIO(), machine.environ)
    assert ensure_language_host(engine, io.StringIO(), machine.environ) == machine.bin


def test_a_language_host_that_can_not_be_had_is_said_so(machine: Machine) -> None:
    """`pulumi up` without it fails with a message about plugins that helps nobody."""
    machine.install_pulumi("3.290.1")
    engine = find_engine(io.StringIO(), machine.environ)
    with pytest.raises(EngineUnavailable, match="language host"):
        ensure_language_host(engine, io.StringIO(), machine.environ)
