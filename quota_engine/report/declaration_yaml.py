"""A stack as the text of a declaration: what `config` reads back as an equal stack.

Every value is stated, also one that the service would have taken anyway; a comment says so there. Text that YAML could
read as anything else is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..model.durations import format_duration
from ..model.service_facts import TAG_RESERVED_PREFIX
from ..model.stack import (
    UNLIMITED,
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    Stack,
    State,
    TimeLimitAction,
)

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.:-][A-Za-z0-9_]+)*")
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_UNIT_WIDTH = 70
DEFAULT = "  # the service's default"


def render(stack: Stack, heading: Iterable[str] = ()) -> str:
    """Return the declaration. `heading` are lines of comment above it."""
    lines = [f"# {line}".rstrip() for line in heading]
    lines += ["kind: stack", "version: 1", f"name: {text(stack.name)}", f"region: {text(stack.region)}"]
    if stack.account is not None:
        lines.append(f'account: "{stack.account}"')
    lines += _section("service_environments", map(_environment, stack.service_environments.values()))
    lines += _section("scheduling_policies", map(_policy, stack.scheduling_policies.values()))
    lines += _section("job_queues", map(_queue, stack.job_queues.values()))
    return "\n".join(lines) + "\n"


def _section(name: str, resources: Iterable[list[str]]) -> list[str]:
    lines = [f"  {line}" for resource in resources for line in resource]
    return ["", f"{name}:", *lines] if lines else []


def _environment(environment: ServiceEnvironment) -> list[str]:
    return [
        f"{text(environment.name)}:",
        *_capacity(environment.capacity_limits),
        _state(environment.state),
        *_tags(environment.tags),
    ]


def _policy(policy: SchedulingPolicy) -> list[str]:
    return [
        f"{text(policy.name)}:",
        f"  idle_resource_assignment: {policy.idle_resource_assignment}  # the only value there is",
        *_tags(policy.tags),
    ]


def _queue(queue: JobQueue) -> list[str]:
    lines = [
        f"{text(queue.name)}:",
        f"  service_environment: {text(queue.service_environment or '')}",
        f"  scheduling_policy: {text(queue.scheduling_policy or '')}",
        f"  priority: {queue.priority}",
        _state(queue.state),
    ]
    if queue.time_limit_actions:
        lines += ["  job_state_time_limit_actions:", *(_action(action) for action in queue.time_limit_actions)]
    lines += _tags(queue.tags)
    if queue.quota_shares:
        lines += ["  quota_shares:"]
        lines += [f"    {line}" for share in queue.quota_shares.values() for line in _share(share)]
    return lines


def _action(action: TimeLimitAction) -> str:
    max_time = format_duration(action.max_time_seconds * 1000)
    return (
        f"    - {{reason: {text(action.reason)}, state: {action.state}, max_time: {max_time}, action: {action.action}}}"
    )


def _share(share: QuotaShare) -> list[str]:
    return [
        f"{text(share.name)}:",
        *_capacity(share.capacity_limits),
        _sharing(share),
        f"  preemption: {{in_share: {share.in_share_preemption.value}}}",
        _state(share.state),
        *_tags(share.tags),
    ]


def _sharing(share: QuotaShare) -> str:
    limit = share.borrow_limit_percent
    comment = ""
    if share.strategy.can_borrow and limit is None:
        comment = "  # no borrow_limit: unlimited, the service's default"
    elif limit == UNLIMITED:
        comment = "  # -1: unlimited, the service's default"
    elif limit is not None:
        comment = "  # percent of its own limit"
    stated = "" if limit is None else f", borrow_limit: {limit}"
    return f"  resource_sharing: {{strategy: {share.strategy.value}{stated}}}{comment}"


def _state(state: State) -> str:
    return f"  state: {state.value}{DEFAULT if state is State.ENABLED else ''}"


def _capacity(capacity: Mapping[str, int]) -> list[str]:
    return _mapping("capacity_limits", {unit: str(count) for unit, count in capacity.items()})


def _tags(tags: Mapping[str, str]) -> list[str]:
    own = {key: text(tags[key]) for key in sorted(tags) if not key.lower().startswith(TAG_RESERVED_PREFIX)}
    return _mapping("tags", own) if own else []


def _mapping(name: str, values: Mapping[str, str]) -> list[str]:
    """Return a map in one line where it is short, else one entry a line."""
    entries = [f"{text(key)}: {value}" for key, value in values.items()]
    line = f"  {name}: {{{', '.join(entries)}}}"
    return [line] if len(line) <= _UNIT_WIDTH else [f"  {name}:", *(f"    {entry}" for entry in entries)]


def text(value: str) -> str:
    """Return a text as YAML reads it back: plain where nothing else could be meant, else in double quotes."""
    if _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return '"' + "".join(_escaped(character) for character in value) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
