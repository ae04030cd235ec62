"""Who calls, and where: account and region from the request's signature. Signatures are not verified.

The Authorization header is read for its Credential only and never logged.
"""

from __future__ import annotations

import re
from typing import Final

from ...model.arns import Scope
from ...model.service_facts import ACCOUNT_PATTERN
from ..settings import Settings
from ..texts import refuse

_CREDENTIAL: Final = re.compile(r"Credential=([^,\s]+)")
_REGION: Final = re.compile(r"[a-z0-9-]{1,32}")
_V4_PARTS: Final = 5
_V4A_PARTS: Final = 4


def scope_of(authorization: str | None, settings: Settings) -> Scope:
    """Return account and region of a request.

    The access key id is the account where it is 12 digits, the credential scope names the region
    (`AKID/date/region/service/aws4_request`); what is missing comes from the settings. Raises Refusal when malformed.
    """
    key_id, region = _parse(authorization) if authorization else ("", "")
    account = key_id if ACCOUNT_PATTERN.fullmatch(key_id) else settings.account
    return Scope(settings.only_account or account, settings.only_region or region or settings.region)


def _parse(authorization: str) -> tuple[str, str]:
    """Return (access key id, region); region is "" for a signature of version 4a, whose scope has none."""
    match = _CREDENTIAL.search(authorization)
    if match is None:
        return "", ""
    parts = match[1].split("/")
    if len(parts) == _V4A_PARTS and authorization.startswith("AWS4-ECDSA"):
        return parts[0], ""
    if len(parts) != _V4_PARTS or not _REGION.fullmatch(parts[2]):
        raise refuse("bad-credential")
    return parts[0], parts[2]
