"""The wheel with a compiled scheduler: mypyc over the same source, when QUOTA_ENGINE_COMPILED=1; pure Python otherwise.

The compiled modules stand beside their source in the wheel, so that Python without them runs the same code. The build
happens in a copy: nothing compiled is ever left in the checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH: Final = "QUOTA_ENGINE_COMPILED"
MODULES: Final = (
    "advance",
    "blocked",
    "claims",
    "ends",
    "ledger",
    "life",
    "order",
    "preempt",
    "settings",
    "state",
    "status",
    "step",
    "stopping",
)
"""Of `quota_engine/scheduler`: all that runs per event. Events and inputs are msgspec's structs, which are compiled."""


def compile_into(folder: Path, package: Path) -> list[Path]:
    """Copy the package into `folder`, compile the scheduler there and return the extension modules, sorted."""
    shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    sources = [f"{package.name}/scheduler/{name}.py" for name in MODULES]
    environment = {**os.environ, "MYPYC_OPT_LEVEL": "3"}
    subprocess.run([sys.executable, "-m", "mypyc", *sources], cwd=folder, env=environment, check=True)
    return sorted(
        path for path in (*folder.glob("*.*"), *folder.glob(f"{package.name}/scheduler/*.*")) if _is_built(path)
    )


def _is_built(path: Path) -> bool:
    return path.suffix in {".so", ".pyd"}


class CompiledScheduler(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the extension modules to a wheel; does nothing unless asked to."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return ["mypy==2.4.1", "setuptools>=77"] if os.environ.get(SWITCH) == "1" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or os.environ.get(SWITCH) != "1":
            return
        self.folder = Path(tempfile.mkdtemp())
        for path in compile_into(self.folder, Path(self.root) / "quota_engine"):
            build_data["force_include"][str(path)] = path.relative_to(self.folder).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)
