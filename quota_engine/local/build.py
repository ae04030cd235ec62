"""Pulumi built from the Go module proxy, for networks in which the official download can't be reached.

The Go modules that name the versions stand in the checkout's `tools/`; their go.sum files pin every byte. Nothing is
written there. Raises BuildFailed, an OSError, with the toolchain's own last words.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from .progress import ProgressLine

TOOLS = Path(__file__).resolve().parents[2] / "tools"
_ENGINE_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_HOST_PACKAGE = "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
_SDK_MODULE = "github.com/pulumi/pulumi/sdk/v3"
_TAGS = "osusergo,grpcnotrace"
_FLAGS = ("-mod=readonly", "-buildvcs=false")
_LAST_WORDS = 5
_LOOK_INTERVAL_S = 0.2


class BuildFailed(OSError):
    """The build could not be done; the text says why."""


def build_engine(into: Path, version: str, progress: TextIO, environ: Mapping[str, str]) -> None:
    """Build the Pulumi CLI into the folder `into`: about 3 minutes on 2 cores."""
    what = f"Pulumi {version} (once, about 3 minutes)"
    _build(_module("pulumi", environ), _ENGINE_PACKAGE, into / "pulumi", version, what, progress, environ)


def build_language_host(into: Path, version: str, progress: TextIO, environ: Mapping[str, str]) -> None:
    """Build the Python language host into `into` and put the script it runs beside it, where it looks for it."""
    what = "Pulumi's Python language host (once, a minute)"
    target = into / "pulumi-language-python"
    _build(_module("pulumi-language-python", environ), _HOST_PACKAGE, target, version, what, progress, environ)
    script = into / "pulumi-language-python-exec"
    shutil.copyfile(_sdk_folder(environ) / "python" / "cmd" / script.name, script)
    script.chmod(0o755)


def _module(name: str, environ: Mapping[str, str]) -> Path:
    folder = TOOLS / name
    if not (folder / "go.mod").is_file():
        raise BuildFailed(f"the Go module {folder} is not there; it is part of a checkout of this project")
    if shutil.which("go", path=environ.get("PATH")) is None:
        raise BuildFailed("no go on PATH; Go 1.26.6 or newer is needed")
    return folder


def _build(
    module: Path,
    package: str,
    target: Path,
    version: str,
    what: str,
    progress: TextIO,
    environ: Mapping[str, str],
) -> None:
    """Run `go build -v`, which names each package as it is compiled, and show the count until it ends."""
    stamp = f"-s -w -X {_SDK_MODULE}/go/common/version.Version=v{version}"
    command = ["go", "build", *_FLAGS, "-v", "-tags", _TAGS, "-ldflags", stamp, "-o", str(target), package]
    line = ProgressLine(progress)
    output: list[str] = []
    with subprocess.Popen(command, cwd=module, env=_env(environ), stderr=subprocess.PIPE, text=True) as go:
        reader = threading.Thread(target=_copy_lines, args=(go.stderr, output), daemon=True)
        reader.start()
        try:
            line.update(f"building {what}: {_how_far(output)}")
            while reader.is_alive():
                reader.join(_LOOK_INTERVAL_S)
                line.update(f"building {what}: {_how_far(output)}")
        except BaseException:
            go.kill()
            raise
    if go.returncode != 0:
        raise BuildFailed(f"go build failed: {' / '.join(text.strip() for text in output[-_LAST_WORDS:])}")
    line.finish(f"built {what}")


def _how_far(output: list[str]) -> str:
    """Say what go has named so far: modules while it fetches them, then packages as they are compiled."""
    fetched = sum(text.startswith("go: downloading") for text in output)
    compiled = sum(not text.startswith("go: ") for text in output)
    return f"{compiled} packages" if compiled else f"{fetched} modules"


def _copy_lines(source: Iterable[str], target: list[str]) -> None:
    for text in source:
        target.append(text)  # noqa: PERF402 - one by one, so that the count can be shown meanwhile


def _sdk_folder(environ: Mapping[str, str]) -> Path:
    """Return where the toolchain keeps the SDK module of the engine's version, fetching it if need be."""
    command = ["go", "mod", "download", "-json", _SDK_MODULE]
    module = _module("pulumi", environ)
    run = subprocess.run(command, cwd=module, env=_env(environ), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise BuildFailed(f"{' '.join(command)} failed: {run.stderr.strip() or run.stdout.strip()}")
    return Path(json.loads(run.stdout)["Dir"])


def _env(environ: Mapping[str, str]) -> dict[str, str]:
    """Leave the toolchain its own settings, but let no workspace file around us redirect the build."""
    return {**environ, "GOWORK": "off"}
