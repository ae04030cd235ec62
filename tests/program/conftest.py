"""Runs the program against Pulumi's mocks and keeps every registration exactly as the engine would have received it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pytest
from google.protobuf.json_format import MessageToDict
from pulumi.runtime import mocks

from quota_engine.model.stack import Stack
from quota_engine.program import QuotaManagedStack, deploy

ARNS = {
    "aws-native:batch:SchedulingPolicy": ("arn", "arn:aws:batch:us-west-2:123456789012:scheduling-policy/"),
    "aws-native:batch:ServiceEnvironment": (
        "serviceEnvironmentArn",
        "arn:aws:batch:us-west-2:123456789012:service-environment/",
    ),
    "aws-native:batch:JobQueue": ("jobQueueArn", "arn:aws:batch:us-west-2:123456789012:job-queue/"),
    "aws-native:batch:QuotaShare": ("quotaShareArn", "arn:share:"),
    "aws:iam/policy:Policy": ("arn", "arn:aws:iam::123456789012:policy/"),
    "aws:iam/role:Role": ("arn", "arn:aws:iam::123456789012:role/"),
    "aws:sns/topic:Topic": ("arn", "arn:aws:sns:us-west-2:123456789012:"),
    "aws:cloudwatch/logGroup:LogGroup": ("arn", "arn:aws:logs:us-west-2:123456789012:log-group:"),
}


class Answers(mocks.Mocks):
    """Answers a registration with the inputs and, for what has one, an ARN made of the logical name."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        member, prefix = ARNS.get(args.typ, ("", ""))
        state = {**args.inputs, **({member: prefix + args.name} if member else {})}
        return f"{args.name}-id", state

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        raise AssertionError(f"the program must call no function, but called {args.token}")


class Recorder(mocks.MockMonitor):
    """Keeps the requests, in the order of registration, by resource type and logical name."""

    def __init__(self) -> None:
        super().__init__(Answers())
        self.requests: dict[tuple[str, str], Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        if request.type != "pulumi:pulumi:Stack":
            self.requests[request.type.split(":")[-1], request.name] = request
        return super().RegisterResource(request)  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Run:
    """What a run of the program registered: requests by (type, logical name), and the component itself."""

    requests: Mapping[tuple[str, str], Any]
    deployed: QuotaManagedStack | None
    log: list[str] = field(default_factory=list)

    def inputs(self, kind: str, name: str) -> dict[str, Any]:
        """Return the properties sent for a resource, spelled as on the wire."""
        plain: dict[str, Any] = MessageToDict(self.requests[kind, name].object)
        return plain

    def depends_on(self, kind: str, name: str) -> set[str]:
        """Return the logical names of the resources this one waits for."""
        return {urn.split("::")[-1] for urn in self.requests[kind, name].dependencies}


@pytest.fixture
def record() -> Iterator[Callable[..., Run]]:
    """Return a function that runs any program, with the given stack settings."""

    def run_program(program: Callable[[], QuotaManagedStack | None], settings: Mapping[str, str] | None = None) -> Run:
        recorder, log = Recorder(), Log()
        mocks.set_mocks(Answers(), project="quota-engine", stack="dev", monitor=recorder, logger=log.logger)
        pulumi.runtime.set_all_config(dict(settings or {}))
        deployed: list[QuotaManagedStack | None] = []
        pulumi.runtime.test(lambda: deployed.append(program()))()  # type: ignore[no-untyped-call]
        return Run(recorder.requests, deployed[0], log.lines)

    yield run_program
    pulumi.runtime.set_all_config({})


@pytest.fixture
def run(record: Callable[..., Run]) -> Callable[..., Run]:
    """Return a function that runs the program for a stack, with the given stack settings."""

    def run_program(stack: Stack, settings: Mapping[str, str] | None = None) -> Run:
        return record(lambda: deploy(stack), settings)

    return run_program


class Log:
    """A logger whose lines can be looked at."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.logger = logging.Logger("program")
        handler = logging.Handler()
        handler.emit = lambda record: self.lines.append(record.getMessage())  # type: ignore[method-assign]
        self.logger.addHandler(handler)


@pytest.fixture
def value() -> Callable[[Any], Any]:
    """Return a function that waits for an output's value."""

    def wait(output: Any) -> Any:
        seen: list[Any] = []
        pulumi.runtime.test(lambda: pulumi.Output.from_input(output).apply(seen.append))()  # type: ignore[no-untyped-call]
        return seen[0]

    return wait
