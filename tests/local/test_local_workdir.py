"""The work folder: one per emulator instance, gone when the emulator is, never shared by two commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.local.emulator_info import EmulatorInfo, ask_emulator
from quota_engine.local.errors import EmulatorUnavailable, WorkInProgress
from quota_engine.local.plugin import lend, official_plugin
from quota_engine.local.workdir import opened, state_dir

NOWHERE = "http://127.0.0.1:1"


def emulator(instance: str, endpoint: str = NOWHERE) -> EmulatorInfo:
    return EmulatorInfo(endpoint, instance, "123456789012", "us-west-2")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path / "home")}


def test_a_new_emulator_at_the_same_address_starts_from_an_empty_state(environ: dict[str, str]) -> None:
    """The resources died with the former emulator; a state that still lists them would make every command fail."""
    with opened(emulator("one"), environ) as first:
        (first.backend / "kept").touch()
        assert not first.replaced
    with opened(emulator("one"), environ) as again:
        assert (again.backend / "kept").exists()
    with opened(emulator("two"), environ) as second:
        assert second.replaced, "and the user is told"
        assert list(second.backend.iterdir()) == []
    assert [path.name for path in state_dir(environ).iterdir()] == ["two"]


def test_folders_of_emulators_that_answer_no_more_are_removed(environ: dict[str, str]) -> None:
    """Otherwise every run of the demo would leave one behind."""
    with opened(emulator("gone", "http://127.0.0.1:2"), environ):
        pass
    with opened(emulator("here"), environ) as work:
        assert not work.replaced
    assert [path.name for path in state_dir(environ).iterdir()] == ["here"]


def test_two_commands_do_not_work_on_one_emulator_at_once(environ: dict[str, str]) -> None:
    """The second would find the first one's lock and, taking it for a leftover, break it."""
    with opened(emulator("one"), environ), pytest.raises(WorkInProgress), opened(emulator("one"), environ):
        pass


def test_an_instance_id_can_not_name_a_folder_elsewhere(environ: dict[str, str]) -> None:
    """The id comes from whatever answers at the address."""
    with opened(emulator("../../etc"), environ) as work:
        assert work.path.parent == state_dir(environ)


@pytest.mark.parametrize("endpoint", [NOWHERE, "127.0.0.1:4577", "ftp://127.0.0.1", "nonsense"])
def test_no_emulator_is_one_clear_failure(endpoint: str) -> None:
    """Most likely it was not started, and the message says how to."""
    with pytest.raises(EmulatorUnavailable) as caught:
        ask_emulator(endpoint)
    assert "quota-engine serve" in caught.value.fix


def test_the_official_plugin_is_used_if_it_fits_the_sdk(tmp_path: Path) -> None:
    """An older plugin may lack the resource types, one of another major version may have changed them."""
    plugins = tmp_path / ".pulumi" / "plugins"
    for name in ("v0.1.0", "v1.999.1", "v1.999.0", "v2.0.0", "v1.999.0.lock"):
        folder = plugins / f"resource-aws-native-{name}"
        folder.mkdir(parents=True)
        (folder / "pulumi-resource-aws-native").touch(mode=0o755)
    found = official_plugin({"HOME": str(tmp_path)})
    assert found == plugins / "resource-aws-native-v1.999.0"
    lend(found, tmp_path / "ours")
    lend(found, tmp_path / "ours")
    assert (tmp_path / "ours" / "plugins" / found.name / "pulumi-resource-aws-native").exists()
    assert official_plugin({"HOME": str(tmp_path / "nobody")}) is None
