"""The stack's Pulumi settings, turned to the emulator: which of the user's apply there, and what replaces the others.

Pure: mapping in, mapping out. The user's file is read, never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "aws-native:"
_INAPPLICABLE = frozenset(
    NAMESPACE + name
    for name in (
        "accessKey",
        "allowedAccountIds",
        "assumeRole",
        "endpoints",
        "forbiddenAccountIds",
        "maxRetries",
        "profile",
        "roleArn",
        "secretKey",
        "sharedCredentialsFile",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "token",
    )
)
"""Who to be and where to go on AWS: none of it means anything to the emulator."""


def emulator_config(user: Mapping[str, Any], region: str, endpoint: str) -> dict[str, Any]:
    """Return the `config` of the stack's settings for the emulator at `endpoint`, sorted by key.

    `user` is the `config` of the user's own settings. Encrypted values are left out, as their passphrase is the user's.
    The keys of the account are not part of it: they reach the provider by its environment, so that nothing needs
    encrypting. A region the user has set stays, for the program to compare with the declaration's.
    """
    kept = {
        key: value
        for key, value in user.items()
        if key not in _INAPPLICABLE and not (isinstance(value, Mapping) and "secure" in value)
    }
    ours = {
        f"{NAMESPACE}region": kept.get(f"{NAMESPACE}region", region),
        f"{NAMESPACE}endpoints": endpoints(endpoint),
        f"{NAMESPACE}skipMetadataApiCheck": "true",
    }
    return dict(sorted({**kept, **ours}.items()))


def endpoints(endpoint: str) -> dict[str, str]:
    """Return where the provider finds an emulator's services, sorted."""
    return {"cloudcontrol": endpoint, "sts": endpoint}


def left_out(user: Mapping[str, Any]) -> list[str]:
    """Return the user's settings that `emulator_config` does not keep, sorted."""
    kept = emulator_config(user, "", "")
    return sorted(key for key in user if key in _INAPPLICABLE or key not in kept)
