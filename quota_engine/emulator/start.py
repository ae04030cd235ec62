"""The beginning of a world: its clock, and the declaration it starts with."""

from __future__ import annotations

from ..model.arns import Scope
from ..model.shapes import environment_to_api, policy_to_api, queue_to_api, share_to_api
from ..model.stack import Stack
from .clock import make_clock
from .cloudcontrol.requests import RequestBook
from .dispatch import carry_out
from .operations import BATCH
from .refusal import Refusal
from .settings import Settings
from .store import Region, World


class StackRefused(ValueError):
    """The declaration the emulator was to start with is not one the service would take; `text` is what it says."""

    def __init__(self, resource: str, text: str) -> None:
        super().__init__(f"{resource}: {text}")
        self.resource = resource
        self.text = text


def new_world(settings: Settings) -> World:
    """Return a new world with `settings.stack` deployed. Raises StackRefused."""
    world = World(settings, make_clock(settings), lambda scope: Region(scope, RequestBook()))
    if settings.stack is not None:
        deploy(world, settings.stack)
    return world


def deploy(world: World, stack: Stack) -> None:
    """Create everything a stack declares, in the order in which things need each other. Raises StackRefused."""
    settings = world.settings
    scope = Scope(stack.account or settings.only_account or settings.account, stack.region)
    steps = [("CreateSchedulingPolicy", name, policy_to_api(p)) for name, p in stack.scheduling_policies.items()]
    steps += [
        ("CreateServiceEnvironment", name, environment_to_api(e)) for name, e in stack.service_environments.items()
    ]
    steps += [("CreateJobQueue", name, queue_to_api(q, scope)) for name, q in stack.job_queues.items()]
    steps += [
        ("CreateQuotaShare", f"{queue.name}/{share.name}", share_to_api(share, scope.job_queue(queue.name)))
        for queue, share in stack.shares()
    ]
    for operation, name, request in steps:
        try:
            carry_out(world, scope, BATCH, operation, request)
        except Refusal as refusal:
            raise StackRefused(name, refusal.text) from None
