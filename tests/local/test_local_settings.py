"""Which of a user's Pulumi settings go with a stack to the emulator."""

from __future__ import annotations

from quota_engine.local.settings import emulator_config, left_out

ENDPOINT = "http://127.0.0.1:4577"
USER = {
    "aws-native:region": "eu-west-1",
    "aws-native:profile": "prod",
    "aws-native:assumeRole": {"roleArn": "arn:aws:iam::123456789012:role/deploy"},
    "aws-native:defaultTags": {"tags": {"a": "b"}},
    "other:password": {"secure": "AAAB"},
    "other:plain": {"nested": "value"},
}


def test_keys_roles_and_profiles_stay_behind() -> None:
    """They are for AWS: at best they would fail, at worst something would be sent there."""
    config = emulator_config(USER, "us-west-2", ENDPOINT)
    assert "aws-native:profile" not in config
    assert "aws-native:assumeRole" not in config
    assert config["aws-native:endpoints"] == {"cloudcontrol": ENDPOINT, "sts": ENDPOINT}


def test_a_region_that_contradicts_the_declaration_stays_to_be_found() -> None:
    """`local` must stop where a real deployment would."""
    assert emulator_config(USER, "us-west-2", ENDPOINT)["aws-native:region"] == "eu-west-1"
    assert emulator_config({}, "us-west-2", ENDPOINT)["aws-native:region"] == "us-west-2"


def test_encrypted_values_are_left_out_and_all_others_kept() -> None:
    """The passphrase they were encrypted with is the user's and not known here."""
    config = emulator_config(USER, "us-west-2", ENDPOINT)
    assert config["other:plain"] == {"nested": "value"}
    assert config["aws-native:defaultTags"] == {"tags": {"a": "b"}}
    assert left_out(USER) == ["aws-native:assumeRole", "aws-native:profile", "other:password"]
