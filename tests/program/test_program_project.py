"""The Pulumi project around the program: its files fit each other and the declarations."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from quota_engine.config import load_stack
from quota_engine.local.workspace import PROJECT

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))


def read(path: Path) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def test_pulumi_finds_the_settings_beside_the_declarations_and_installs_the_project() -> None:
    """Without requirements.txt `pulumi install` makes an environment that lacks the project itself."""
    project = read(ROOT / "Pulumi.yaml")
    assert project["name"] == PROJECT
    assert project["stackConfigDir"] == "stacks"
    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}
    assert (ROOT / "requirements.txt").read_text().split("\n")[0] == "-e .[pulumi]"


def test_the_program_itself_stays_short() -> None:
    """What it does belongs in the package, where it can be tested."""
    assert len((ROOT / "__main__.py").read_text().splitlines()) < 40


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda path: path.name)
def test_settings_and_declaration_name_the_same_region(settings: Path) -> None:
    """Otherwise the program refuses to deploy the stack as it is shipped."""
    declaration = load_stack(settings.with_name(settings.name.removeprefix("Pulumi."))).value
    assert declaration is not None
    config = read(settings)["config"]
    assert isinstance(config, dict)
    assert config["aws-native:region"] == declaration.region
    assert not {"encryptionsalt", "encryptedkey"} & read(settings).keys()
