"""This project's program on the emulator: up, preview, refresh, import and destroy through Pulumi's Automation API.

The program runs in this process; the engine is the real one. Everything the engine writes stands in a work folder of
its own (`workdir`), so neither the checkout nor the user's Pulumi login is touched.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO, cast
from urllib.parse import urlsplit

import yaml
from pulumi.automation import (
    CommandError,
    EngineEvent,
    LocalWorkspace,
    OutputMap,
    PulumiCommand,
    Stack,
    UpdateSummary,
)
from semver import VersionInfo

from quota_engine.model.stack import Stack as Declaration
from quota_engine.program import deploy, open_gates

from .emulator_info import EmulatorInfo, ask_emulator
from .engine import Engine, ensure_language_host, find_engine
from .errors import ImportFileUnusable, SettingsUnreadable
from .failures import failure, named
from .import_file import Entry, entries_for
from .import_output import ImportOutput, is_noise
from .plugin import lend, official_plugin
from .provider import serving
from .settings import emulator_config, left_out
from .workdir import WorkDir, opened

PROJECT = "quota-engine"
OnOutput = Callable[[str], None]

_PASSPHRASE = "local"  # noqa: S105 - it guards nothing: the state describes an emulator on this machine
_LOOPBACK = ("127.0.0.1", "localhost")
_ADVICE = ("The resources in the stack have been deleted", "If you want to remove the stack completely")
_OFFICIAL = "the official aws-native plugin"
_BUILT_IN = "the built-in provider"


@dataclass(frozen=True, slots=True)
class Target:
    """What to deploy where: a declaration under the name of a Pulumi stack, on the emulator at `endpoint`.

    `settings` is the user's Pulumi.<name>.yaml, read if it exists. `account` is where to deploy a declaration that
    names no account; without it, to the emulator's default one. `file` is the declaration's, for the gates.
    """

    declaration: Declaration
    name: str
    endpoint: str
    settings: Path | None = None
    account: str | None = None
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation did: `changes` {operation: resources} in Pulumi's words (create, update, same, …), sorted."""

    changes: Mapping[str, int]
    outputs: Mapping[str, Any]
    engine: Engine
    provider: str
    notes: tuple[str, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        return not set(self.changes) - {"same", "read"}


@dataclass(slots=True)
class _Session:
    """An open workspace, and what the engine has reported so far."""

    stack: Stack
    engine: Engine
    provider: str
    notes: tuple[str, ...]
    on_output: OnOutput | None
    color: bool
    errors: list[str]
    changes: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    unheard: Exception | None = None

    def run(self, operation: Callable[..., Any], **arguments: Any) -> Result:
        """Run an operation of the engine to its end, even when interrupted meanwhile: the state stays whole.

        On Ctrl-C the engine, which gets the signal too, finishes what it is at; only then does the interrupt go on.
        """
        color = "always" if self.color else "never"
        arguments |= {"on_output": self.show, "on_event": self.hear, "color": color, "suppress_progress": True}
        with ThreadPoolExecutor(max_workers=1) as worker:
            worker.submit(operation, **arguments).result()
        if self.unheard is not None:
            raise self.unheard
        return Result(dict(sorted(self.changes.items())), self.outputs, self.engine, self.provider, self.notes)

    def run_import(self, entries: list[Entry]) -> Result:
        """Import the entries. Of this command no events are told, so its output is heard instead."""
        heard = ImportOutput()

        def listen(line: str) -> None:
            heard.hear(line)
            if not is_noise(line):
                self.show(line)

        operation = partial(self.stack.import_resources, resources=cast(Any, entries), show_secrets=False)
        try:
            with ThreadPoolExecutor(max_workers=1) as worker:
                worker.submit(operation, protect=False, generate_code=False, on_output=listen).result()
        finally:
            self.errors.extend(heard.errors)
        if self.unheard is not None:
            raise self.unheard
        return Result(dict(sorted(heard.changes.items())), {}, self.engine, self.provider, self.notes)

    def show(self, line: str) -> None:
        """Hand on a line of the engine's output, but not its advice on how to remove a stack of a user's own.

        A reader that fails, a closed pipe say, must not stop the engine half-way: it is told at the end.
        """
        if self.on_output is None or line.startswith(_ADVICE):
            return
        try:
            self.on_output(line)
        except Exception as error:
            self.on_output, self.unheard = None, error

    def hear(self, event: EngineEvent) -> None:
        """Collect the engine's errors, its count of changes and the stack's outputs as they are reported."""
        diagnostic, summary, outputs = event.diagnostic_event, event.summary_event, event.res_outputs_event
        if diagnostic and diagnostic.severity == "error":
            self.errors.append(named(diagnostic.message, diagnostic.urn))
        if summary:
            self.changes = {str(getattr(op, "value", op)): count for op, count in summary.resource_changes.items()}
        if outputs and outputs.metadata.type == "pulumi:pulumi:Stack" and outputs.metadata.new:
            self.outputs = dict(outputs.metadata.new.outputs or {})


def up(target: Target, *, refresh: bool = False, **options: Any) -> Result:
    """Deploy; with `refresh` first look at what is really there, so that edits made elsewhere are repaired.

    Options of this and its three siblings: `on_output` gets the engine's output line by line, `color` has it coloured,
    `progress` (default stderr) shows a build of the engine. Raises EngineUnavailable, EmulatorUnavailable,
    WorkInProgress, DeploymentFailed.
    """
    with _session(target, **options) as session:
        return session.run(session.stack.up, refresh=refresh, show_secrets=False)


def preview(target: Target, *, refresh: bool = False, **options: Any) -> Result:
    """Say what `up` would do, and do nothing."""
    with _session(target, **options) as session:
        return session.run(session.stack.preview, refresh=refresh)


def refresh(target: Target, **options: Any) -> Result:
    """Take what is really there into the state; change nothing in the emulator."""
    with _session(target, **options) as session:
        return session.run(session.stack.refresh, show_secrets=False)


def take_over(target: Target, file: Path, **options: Any) -> Result:
    """Take what lives in the emulator, as the import file of `quota-engine import` names it, into the state.

    Nothing in the emulator is changed. The engine wants its Python language host for this, though no program is run.
    Raises ImportFileUnusable, besides what `up` raises.
    """
    emulator = ask_emulator(target.endpoint)
    entries = entries_for(_text_of(file), target.declaration, _account(target, emulator), emulator.endpoint)
    with _session(target, **options) as session:
        host = ensure_language_host(session.engine, options.get("progress"))
        workspace, path = session.stack.workspace, os.environ.get("PATH", os.defpath)
        workspace.env_vars = {**workspace.env_vars, "PATH": os.pathsep.join([str(host), path])}
        return session.run_import(entries)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFileUnusable(
            f"the import file {file} can't be read", why=reason, fix="quota-engine import --import-file FILE writes one"
        ) from error


def destroy(target: Target, **options: Any) -> Result:
    """Delete everything the state holds, shares first; their jobs end."""
    with _session(target, **options) as session:
        return session.run(session.stack.destroy, show_secrets=False)


@contextmanager
def _session(
    target: Target,
    *,
    on_output: OnOutput | None = None,
    color: bool = False,
    progress: TextIO | None = None,
) -> Iterator[_Session]:
    """Open the emulator's work folder with engine and provider; the engine's failure becomes DeploymentFailed."""
    emulator = ask_emulator(target.endpoint)
    engine = find_engine(progress)
    with ExitStack() as cleanup:
        cleanup.enter_context(_without_leftovers())
        work = cleanup.enter_context(opened(emulator))
        plugin = official_plugin()
        cleanup.enter_context(_own_environment(urlsplit(emulator.endpoint).hostname or "", _account(target, emulator)))
        variables = _variables(target, emulator, work)
        if plugin is None:
            port = cleanup.enter_context(serving(emulator.endpoint, _account(target, emulator)))
            variables["PULUMI_DEBUG_PROVIDERS"] = f"aws-native:{port}"
        else:
            lend(plugin, work.home)
        notes = _write_settings(target, emulator, work)
        if work.replaced:
            notes.insert(
                0, f"the emulator at {emulator.endpoint} is a new one; what was deployed to the former is gone"
            )
        workspace = LocalWorkspace(
            work_dir=str(work.path),
            pulumi_home=str(work.home),
            program=lambda: _program(target),
            env_vars=variables,
            pulumi_command=_Command(engine),
        )
        errors: list[str] = []
        try:
            stack = _stack(target.name, workspace, work)
            provider = _BUILT_IN if plugin is None else f"{_OFFICIAL} {plugin.name.rsplit('-v', 1)[1]}"
            yield _Session(stack, engine, provider, tuple(notes), on_output, color, errors)
        except CommandError as error:
            raise failure(errors, error) from error


def _stack(name: str, workspace: LocalWorkspace, work: WorkDir) -> Stack:
    """Return the stack, made if this emulator has not seen it, and free of a killed command's lock."""
    if not work.has_state(PROJECT, name):
        workspace.create_stack(name)
    stack = _Stack(name, workspace)
    if any(work.locks.rglob("*.json")):
        stack.cancel()  # The lock of the work folder is ours, so a lock of Pulumi's is left from a killed process.
    return stack


def _program(target: Target) -> None:
    if target.file is not None:
        open_gates(target.declaration, target.file)
    deploy(target.declaration, with_around=False)


class _Stack(Stack):
    """A stack that asks the engine for nothing it has told already, nor selects what every command names.

    The engine reports outputs and changes while it works (`_Session.hear`); asking for them afterwards, as the base
    class does, means starting it three times more.
    """

    def __init__(self, name: str, workspace: LocalWorkspace) -> None:
        self.name, self.workspace = name, workspace

    def outputs(self) -> OutputMap:
        return {}

    def info(self, show_secrets: bool = True) -> UpdateSummary:
        return UpdateSummary("update", datetime.min, "", {}, {}, "succeeded")


class _Command(PulumiCommand):
    """The engine that was found, taken as it is: its version is known, so it isn't asked again."""

    def __init__(self, engine: Engine) -> None:
        self.command = str(engine.command)
        self.version = VersionInfo.parse(engine.version)


def _variables(target: Target, emulator: EmulatorInfo, work: WorkDir) -> dict[str, str]:
    """Return the environment of the engine and of the plugins it starts."""
    return {
        "PULUMI_BACKEND_URL": f"file://{work.backend}",
        "PULUMI_CONFIG_PASSPHRASE": _PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        **_credentials(_account(target, emulator)),
    }


def _credentials(account: str) -> dict[str, str]:
    """Return the environment of one who works in an account of the emulator."""
    return {"AWS_ACCESS_KEY_ID": account, "AWS_SECRET_ACCESS_KEY": "local", "AWS_EC2_METADATA_DISABLED": "true"}


def _account(target: Target, emulator: EmulatorInfo) -> str:
    """Return the account to deploy to: the declared one, else the one the user's own clients of the emulator work in.

    The emulator takes an access key of 12 digits for the account, and any other as its own default account.
    """
    return target.declaration.account or target.account or emulator.account


@contextmanager
def _own_environment(host: str, account: str) -> Iterator[None]:
    """Hide the user's PULUMI_* and AWS_* settings for the time being: they are meant for other stacks and for AWS.

    What the program itself asks the emulator, it asks as `account`. A proxy must not come between engine, program and
    provider, which talk over loopback, nor before the emulator.
    """
    former = dict(os.environ)
    direct = ",".join([*filter(None, [former.get("no_proxy") or former.get("NO_PROXY")]), *_LOOPBACK, host])
    for name in former:
        if name.startswith(("PULUMI_", "AWS_")):
            del os.environ[name]
    ours = {"no_proxy": direct, "NO_PROXY": direct, **_credentials(account)}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
        os.environ.update(former)


def _write_settings(target: Target, emulator: EmulatorInfo, work: WorkDir) -> list[str]:
    """Write the project and the stack's settings into the work folder; return what the user should know of them."""
    user = _user_config(target.settings)
    settings: dict[str, Any] = {"config": emulator_config(user, target.declaration.region, emulator.endpoint)}
    path = work.path / f"Pulumi.{target.name}.yaml"
    if path.is_file():  # The engine keeps the salt of its passphrase there.
        settings = {**yaml.safe_load(path.read_text(encoding="utf-8")), **settings}
    path.write_text(yaml.safe_dump(settings, sort_keys=True), encoding="utf-8")
    (work.path / "Pulumi.yaml").write_text(json.dumps({"name": PROJECT, "runtime": "python"}), encoding="utf-8")
    dropped, around = left_out(user), target.declaration.around.sections()
    notes = [f"settings that don't apply to the emulator are left out: {', '.join(dropped)}"] if dropped else []
    return [*notes, f"the emulator has no {', '.join(around)}: only the queues are deployed"] if around else notes


def _user_config(path: Path | None) -> Mapping[str, Any]:
    """Return the `config` of the user's settings file, empty without one. Raises SettingsUnreadable."""
    if path is None or not path.exists():
        return {}
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return dict(settings.get("config") or {})
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise SettingsUnreadable(
            f"Pulumi's settings {path} can't be read", why=why, fix="see `pulumi config`"
        ) from error


@contextmanager
def _without_leftovers() -> Iterator[None]:
    """Let go of a program that a failed deployment left hanging, without the noise its coroutine would make at exit."""
    try:
        yield
    finally:
        former, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            gc.collect()
        finally:
            sys.unraisablehook = former
