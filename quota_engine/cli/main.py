"""The entry point: lazy commands, and the one wrapper that turns every outcome into an exit code.

Nothing but click is imported here, so that `--help` answers at once; a command's module is imported when it runs.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from .. import __version__
from ..model.trouble import Trouble

COMMANDS = {
    "validate": "Check declarations and scenarios; report every finding.",
    "rule": "Print a rule's page: what, why, example, fix, source.",
    "schema": "Print the JSON Schema of a kind of file.",
    "assumptions": "List what the scheduling model assumes, and why.",
    "simulate": "Predict what a workload would borrow and preempt.",
    "compare": "Run the same work under two declarations; judge the difference.",
    "sweep": "Simulate many times, over seeds and values; tell the means.",
    "drift": "Compare declarations with the live account.",
    "snapshot": "Write what lives in a declaration's account to a file.",
    "import": "Write what lives as a declaration, and the file with which Pulumi adopts it.",
    "forecast": "Tell what deploying now would do to the jobs that are live.",
    "explain": "Tell why a job waits, runs or was preempted, and what would change it.",
    "calibrate": "Compare what a queue did with the model, and find what explains the difference.",
    "history": "Write the jobs of live queues, ended ones too, as JSON Lines.",
    "serve": "Run the local emulator of AWS Batch.",
    "local": "Deploy this project's program to the emulator with the real Pulumi engine.",
}
"""Name → one line for `--help`; the module `cli/<name>.py` holds `command`, but for those in MODULES."""

MODULES = {"import": "import_"}
"""Command whose name is a keyword of Python → its module."""

EXTRAS = {
    "pulumi": "pulumi",
    "pulumi_aws_native": "pulumi",
    "pulumi_aws": "pulumi",
    "grpc": "pulumi",
    "google": "pulumi",
    "starlette": "emulator",
    "uvicorn": "emulator",
    "jsonpatch": "emulator",
    "orjson": "emulator",
    "altair": "report",
    "vl_convert": "report",
    "distributed": "sweep",
    "pyarrow": "sweep",
}
"""Optional library → the extra of this package that brings it."""

PROGRAM = "quota-engine"
COMPLETION = "_QUOTA_ENGINE_COMPLETE"
_PASSWORD = re.compile(r"(\w+://)[^/@\s]+@")
"""The user and password in a URL."""

TROUBLE = 2
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{__package__}.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 all well; 1 findings, drift or a failed expectation; 2 trouble; 130 interrupted.",
)
@click.version_option(__version__, prog_name=PROGRAM)
def cli() -> None:
    """AWS Batch quota management as code: validate, predict, deploy, check drift."""


def _say(what: str, why: str = "", fix: str = "") -> None:
    """Print what could not be done. One line each, and no password: both may come from a URL or a path."""
    lines = [f"quota-engine: error: {what}"]
    lines += [f"  why: {why}"] if why else []
    lines += [f"  fix: {fix}"] if fix else []
    shown = (_PASSWORD.sub(r"\1***@", line.replace("\n", "\\n").replace("\r", "\\r")) for line in lines)
    click.echo("\n".join(shown), err=True)


def _show_findings(error: Trouble) -> None:
    """Print what was found in a declaration that has errors, on stderr, before the command is refused."""
    from .options import Output

    found = getattr(error, "found", None)
    if found is not None:
        click.echo(found.as_text(Output("text", None, quiet=False, verbose=False, stream=sys.stderr)), err=True)


def _internal_error(error: Exception, *, verbose: bool) -> None:
    """Say in one line that the tool itself is at fault; the traceback is for `-v`."""
    if verbose:
        traceback.print_exception(error)
    _say(
        f"internal error: {type(error).__name__}: {error}".splitlines()[0],
        fix="" if verbose else "run it again with -v for the traceback, and report it",
    )


def _silence_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush can't fail on a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _invoke(args: list[str]) -> object:
    """Parse and run a command line; not by click's own `main`, which makes a closed pipe exit 1, our "no"."""
    if COMPLETION in os.environ:
        cli.main(args, prog_name=PROGRAM, complete_var=COMPLETION)
    with cli.make_context(PROGRAM, args) as context:
        return cli.invoke(context)


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; every exception ends here."""
    verbose = any(arg in ("-v", "-vv", "--verbose") for arg in args)
    try:
        result = _invoke(list(args))
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return TROUBLE
    except Trouble as error:
        _show_findings(error)
        _say(error.what, error.why, error.fix)
        return TROUBLE
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra is None:
            _internal_error(error, verbose=verbose)
        else:
            _say(
                f"this command needs {error.name}, which is not installed",
                fix=f"pip install -e '.[{extra}]' in a checkout of quota-engine",
            )
        return TROUBLE
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return TROUBLE
    except OSError as error:
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return TROUBLE
    except Exception as error:
        _internal_error(error, verbose=verbose)
        return TROUBLE
    return result if isinstance(result, int) else 0


def main() -> NoReturn:
    """Console script. Standard streams that the caller closed lead nowhere, instead of being missing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    sys.exit(run(sys.argv[1:]))
