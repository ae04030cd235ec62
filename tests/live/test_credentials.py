"""Credentials that can't be had or are refused: what is wrong and what to do, for each way in which it goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quota_engine.cli.main import run
from tests.live.conftest import CASE, StartAccount
from tests.live.recorded_account import Fault

Capture = pytest.CaptureFixture[str]
StartTold = Callable[[str], str]
STACK = str(CASE / "stack.yaml")
ROLE = "role_arn = arn:aws:iam::123456789012:role/x"
SSO = "sso_start_url = https://example.awsapps.com/start\nsso_region = us-east-1\nsso_account_id = 1\nsso_role_name = r"
LOGIN = "sign in again: aws sso login --profile p"
CONFIG = "correct it in ~/.aws/config"

SESSION = """sso_session = s
sso_account_id = 1
sso_role_name = r
[sso-session s]
sso_start_url = https://example.awsapps.com/start
sso_region = us-east-1"""
IN_A_RING = f"{ROLE}\nsource_profile = q\n[profile q]\n{ROLE}\nsource_profile = p"
WITH_MFA = f"""{ROLE}
source_profile = q
mfa_serial = arn:aws:iam::123456789012:mfa/me
[profile q]
aws_access_key_id = x
aws_secret_access_key = y"""

PROFILES = {
    "SSO, never signed in": (SSO, "SSOTokenLoadError", LOGIN),
    "an SSO session, never signed in": (SESSION, "SSOTokenLoadError", LOGIN),
    "an SSO session that is not there": ("sso_session = s\nsso_account_id = 1\nsso_role_name = r", '"s"', CONFIG),
    "a program that fails": ("credential_process = /bin/false", "custom-process", CONFIG),
    "a program that is not there": ("credential_process = /no/such/program", "/no/such/program", CONFIG),
    "a program that talks": (f"credential_process = {sys.executable} --version", "can't be read", CONFIG),
    "a role of nobody": (ROLE, "source_profile", CONFIG),
    "a role of an unknown profile": (f"{ROLE}\nsource_profile = nope", "nope", CONFIG),
    "a role of itself by another": (IN_A_RING, "loop", CONFIG),
    "a role of the environment's keys": (f"{ROLE}\ncredential_source = Environment", "Environment", CONFIG),
    "a source of no known kind": (f"{ROLE}\ncredential_source = Wherever", "Wherever", CONFIG),
    "a token file that is not there": (f"{ROLE}\nweb_identity_token_file = /no/such/token", "/no/such/token", ""),
    "half a pair of keys": ("aws_access_key_id = x", "aws_secret_access_key", CONFIG),
    "a role that wants a code": (WITH_MFA, "an MFA code is needed", ""),
}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Capture) -> StartTold:
    """Return a function that runs drift with a profile p of these lines, and returns what it says."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def run_with(lines: str) -> str:
        (tmp_path / "no-config").write_text(f"[profile p]\n{lines}\n", encoding="utf-8")
        assert run(["drift", STACK, "--profile", "p"]) == 2
        return capfd.readouterr().err

    return run_with


@pytest.mark.filterwarnings("ignore::getpass.GetPassWarning")
@pytest.mark.parametrize("case", list(PROFILES))
def test_a_profile_that_leads_to_no_credentials_says_why_and_what_to_do(
    case: str, told: StartTold, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run in a new place fails here; the second should not."""
    start_account()
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115 - nobody to ask
    lines, why, fix = PROFILES[case]
    error = told(lines)
    assert why in error
    assert "  fix: " + fix in error
    assert "internal error" not in error


REFUSALS = {
    "ExpiredToken": "have expired",
    "SignatureDoesNotMatch": "clock",
    "InvalidClientTokenId": "does not know it",
}


@pytest.mark.parametrize("code", list(REFUSALS))
def test_each_refusal_has_its_own_remedy(
    code: str, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """Renewing a token, setting a clock and replacing a key are three different things."""
    body = f"<ErrorResponse><Error><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>".encode()
    start_account(faults={"getcalleridentity": Fault(403, body)})
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    assert run(["drift", STACK]) == 2
    error = capfd.readouterr().err
    assert "sts:GetCallerIdentity at http://127.0.0.1" in error
    assert REFUSALS[code] in error


@pytest.mark.parametrize("code", ["AccessDenied", "ExpiredToken"])
def test_a_role_that_is_refused_says_so_of_the_role(
    code: str, start_account: StartAccount, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """It is not Batch's permissions that are to be changed."""
    body = f"<ErrorResponse><Error><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>".encode()
    start_account(faults={"assumerole": Fault(403, body)})
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    assert run(["drift", STACK, "--role-arn", "arn:aws:iam::123456789012:role/reader"]) == 2
    error = capfd.readouterr().err
    assert "sts:AssumeRole" in error
    assert ("trust policy" if code == "AccessDenied" else "have expired") in error


def test_what_is_no_role_is_refused_before_any_call(start_account: StartAccount, capfd: Capture) -> None:
    """AWS would be asked for a role by a name that can't be one."""
    account, _ = start_account()
    assert run(["drift", STACK, "--role-arn", "reader"]) == 2
    assert "'reader' is not the ARN of a role" in capfd.readouterr().err
    assert account.keys == []
