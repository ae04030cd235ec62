"""The official aws-native plugin, if the user has it: found where Pulumi installs plugins, lent to our Pulumi home."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

_FOLDER = re.compile(r"resource-aws-native-v(\d+)\.(\d+)\.(\d+)")
_PROGRAM = "pulumi-resource-aws-native"


def official_plugin(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of an installed plugin the SDK can work with: its own version, else the next newer one.

    A plugin of another major version, or older than the SDK, may lack what the SDK asks for.
    """
    wanted = tuple(int(part) for part in version("pulumi-aws-native").split(".")[:3])
    home = Path(environ.get("PULUMI_HOME") or Path(environ.get("HOME") or Path.home()) / ".pulumi")
    found = []
    for folder in home.glob("plugins/resource-aws-native-v*"):
        match = _FOLDER.fullmatch(folder.name)
        if match and os.access(folder / _PROGRAM, os.X_OK):
            numbers = tuple(int(part) for part in match.groups())
            if numbers >= wanted and numbers[0] == wanted[0]:
                found.append((numbers, folder))
    return min(found)[1] if found else None


def lend(plugin: Path, home: Path) -> None:
    """Let a Pulumi home of ours see the plugin, without copying it and without a way to write to the user's."""
    plugins = home / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    link = plugins / plugin.name
    if not link.is_symlink():
        link.symlink_to(plugin)
