"""What an emulator is started with. Plain values: nothing here reads a file, a clock or the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ..model.stack import Stack
from ..model.work import Scenario
from ..scheduler.assumptions import Assumptions

DEFAULT_PORT: Final = 4577
DEFAULT_ACCOUNT: Final = "000000000000"
DEFAULT_REGION: Final = "us-east-1"
DEFAULT_JOB_DURATION_MS: Final = 30_000
DEFAULT_STEP_MS: Final = 1_000
MANUAL_CLOCK_START_MS: Final = 1_767_225_600_000
"""Where the manual clock starts: 2026-01-01T00:00:00Z, so that two runs give the same answers."""

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "::1")


class ClockKind(StrEnum):
    """Whether time passes by itself or only by POST /_emulator/clock."""

    REAL = "real"
    MANUAL = "manual"


class RepeatedToken(StrEnum):
    """What a second SubmitServiceJob with the same client token and request gets (assumption A-42)."""

    REJECT = "reject"
    SAME_JOB = "same"


@dataclass(frozen=True, slots=True)
class LifecycleDelays:
    """How long (ms) a resource stays CREATING, UPDATING and DELETING, and a Cloud Control request PENDING.

    All zero by default: clients attach an environment to a queue right after creating it (assumption A-31).
    """

    create_ms: int = 0
    update_ms: int = 0
    delete_ms: int = 0
    pending_ms: int = 0
    progress_ms: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything `serve` can be told.

    `account` and `region` are used where a request does not say: an access key id of 12 digits is the account, the
    credential scope of the signature names the region. `only_account` and `only_region` win over both.
    `job_duration_ms` None means: until something ends the job. `scheduled_ms` and `starting_ms` are what a job spends
    in those statuses. `stack` (without one, that of `scenario`) is deployed before the first request and `scenario` is
    played from then on, unless the state file holds a world already. `events` is where events are published: a file,
    `-` for standard output, or an http:// address of this machine.
    `seed` None: ids differ between lives with the real clock, and are the same for the manual one.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    account: str = DEFAULT_ACCOUNT
    region: str = DEFAULT_REGION
    only_account: str | None = None
    only_region: str | None = None
    clock: ClockKind = ClockKind.REAL
    speed: float = 1.0
    start_ms: int | None = None
    seed: str | None = None
    job_duration_ms: int | None = DEFAULT_JOB_DURATION_MS
    scheduled_ms: int = DEFAULT_STEP_MS
    starting_ms: int = DEFAULT_STEP_MS
    stopping_ms: int = 0
    delays: LifecycleDelays = field(default_factory=LifecycleDelays)
    assumptions: Assumptions = field(default_factory=Assumptions)
    repeated_token: RepeatedToken = RepeatedToken.REJECT
    share_filter_status: str | None = None
    stack: Stack | None = None
    scenario: Scenario | None = None
    state_file: str | None = None
    survives_power_loss: bool = False
    events: str | None = None
    request_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        if not self.speed > 0:
            raise ValueError(f"the emulator's speed must be above 0, not {self.speed}")
        for name in ("scheduled_ms", "starting_ms", "stopping_ms"):
            if getattr(self, name) < 0:
                raise ValueError(f"the emulator's {name} must not be negative, not {getattr(self, name)}")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the emulator."""
        return self.host in LOOPBACK_HOSTS or self.host.startswith("127.")
