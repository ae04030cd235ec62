"""What every command shares: output options, naming stacks, and writing a result whole or not at all."""

from __future__ import annotations

import functools
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from ..model.replay import MaxBad, parse_max_bad
from ..model.trouble import Trouble

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command's result goes. Progress and notes go to stderr, unless quiet."""

    format: str
    path: Path | None
    quiet: bool
    verbose: bool
    stream: TextIO = field(default_factory=lambda: sys.stdout)

    @property
    def is_terminal(self) -> bool:
        return self.path is None and self.stream.isatty()

    @property
    def colour(self) -> bool:
        """Colour only on a terminal, and not where NO_COLOR is set (no-color.org)."""
        return self.is_terminal and not os.environ.get("NO_COLOR")

    @property
    def ascii_only(self) -> bool:
        """Whether the terminal can't show more than ASCII; files and pipes get UTF-8 always."""
        encoding = (self.stream.encoding or "").lower().replace("-", "")
        return self.is_terminal and not encoding.startswith("utf")

    @property
    def width(self) -> int:
        """Columns to draw in; 100 where there is no terminal, so that a pipe's bytes don't depend on one."""
        return min(os.get_terminal_size(self.stream.fileno()).columns, 160) if self.is_terminal else 100

    def check(self, size: int = 4096) -> None:
        """Raise Trouble where a result of this size can't be written, before work is done for it."""
        if self.path is not None:
            check_room(self.path, size)

    def emit(self, text: str) -> None:
        """Write the result: to stdout, or to the file as a whole (an interrupted write leaves the old file)."""
        body = text if text.endswith("\n") or not text else text + "\n"
        self.emit_parts((body.encode("utf-8"),))

    def emit_parts(self, parts: Iterable[bytes]) -> None:
        """Write a result that is too large to be held, part by part; to a file as `emit` does."""
        if self.path is None:
            for part in parts:
                sys.stdout.buffer.write(part)
            sys.stdout.flush()
            return
        write_parts(self.path, parts)

    def note(self, text: str) -> None:
        if not self.quiet:
            click.echo(text, err=True)

    def style(self, text: str, kind: str) -> str:
        """Colour `text` by what it is (see STYLES); plain where colour is off."""
        return click.style(text, **STYLES.get(kind, {})) if self.colour else text


STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "blue", "bold": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "own": {"fg": "blue"},
    "borrowed": {"fg": "yellow"},
    "in-share": {"fg": "magenta"},
    "dim": {"dim": True},
    "bold": {"bold": True},
}


def write_whole(path: Path, content: str | bytes) -> None:
    """Give the file at `path` this content: whole or not at all. A symbolic link is followed, a file's mode is kept.

    What is no regular file (a pipe, a terminal, /dev/null) is written to, never replaced.
    """
    write_parts(path, (content.encode("utf-8") if isinstance(content, str) else content,))


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Give the file at `path` a content that comes in parts, as `write_whole` does."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with target.open("wb") as special:
                special.writelines(parts)
        else:
            _replace(target, parts)
    except OSError as error:
        raise Trouble(f"can't write {path}", why=error.strerror or str(error)) from error


def check_room(path: Path, size: int) -> None:
    """Raise Trouble where a file of `size` bytes can't be put at `path`, before work is done for it.

    The room is taken beside the file and given back at once. What is no regular file has no size.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            _take_room(handle, size)
        finally:
            os.close(handle)
            os.unlink(temporary)
    except OSError as error:
        raise Trouble(f"can't write {path}", why=error.strerror or str(error)) from error


def _take_room(handle: int, size: int) -> None:
    """Give an empty file `size` bytes on the disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
        return
    left = size
    while left > 0:
        left -= os.write(handle, bytes(min(left, 1 << 20)))


def write_all(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Put files {name: content} into a directory, made where it is missing: all of them or none."""
    temporaries: dict[Path, str] = {}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        try:
            for name, body in contents.items():
                temporaries[directory / name] = _written(directory / name, (body,))
            for target in list(temporaries):
                os.replace(temporaries.pop(target), target)
        finally:
            for temporary in temporaries.values():
                os.unlink(temporary)
    except OSError as error:
        raise Trouble(f"can't write to {directory}", why=error.strerror or str(error)) from error


def _replace(target: Path, parts: Iterable[bytes]) -> None:
    """Write a new file beside `target` and put it in its place; an interrupted write leaves nothing behind."""
    temporary = _written(target, parts)
    try:
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _written(target: Path, parts: Iterable[bytes]) -> str:
    """Write what is to become `target`, with its mode, to a file beside it, whose path is returned."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _umask() -> int:
    """Return the process's umask; it can be read only by setting it."""
    umask = os.umask(0)
    os.umask(umask)
    return umask


def output_options(*formats: str) -> Callable[[F], F]:
    """Add `--format` (the first is the default), `--output`, `-q`, `-v`; the function receives `output: Output`."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            output = Output(
                format=kwargs.pop("format"),
                path=kwargs.pop("output_path"),
                quiet=kwargs.pop("quiet"),
                verbose=kwargs.pop("verbose"),
            )
            output.check()
            return function(*args, output=output, **kwargs)

        for option in (
            click.option("-v", "--verbose", is_flag=True, help="Say more; tracebacks of internal errors."),
            click.option("-q", "--quiet", is_flag=True, help="No notes and no progress."),
            click.option(
                "--output",
                "output_path",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Write the result to FILE, whole or not at all.",
            ),
            click.option(
                "--format",
                type=click.Choice(formats),
                default=formats[0],
                show_default=True,
                help="How to write the result.",
            ),
        ):
            wrapper = option(wrapper)
        return wrapper  # type: ignore[return-value]

    return decorate


class NamedPath(click.Path):
    """A path that says something: an empty one, of a script's empty variable, would stand for the whole folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty path names nothing", param, ctx)
        return super().convert(value, param, ctx)


def stack_path(argument: str) -> Path:
    """Return the file a STACK argument names: a path, or a name meaning stacks/NAME.yaml."""
    if not argument:
        raise click.BadParameter("an empty name names nothing", param_hint="STACK")
    path = Path(argument)
    if path.exists() or path.suffix or os.sep in argument:
        return path
    named = Path("stacks") / f"{argument}.yaml"
    if not named.exists():
        known = sorted(p.stem for p in Path("stacks").glob("*.yaml") if not p.name.startswith("Pulumi."))
        raise Trouble(
            f"there is no stack {argument!r}",
            why=f"neither {path} nor {named} exists",
            fix=f"name one of {', '.join(known)}, or give a path" if known else "give the path of a stack file",
        )
    return named


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says in place of a scenario's own values: {parameter: value as written}, the seed, and how
    many lines of a history may be bad."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    max_bad: MaxBad | None = None
    is_quiet: bool = field(default=True, compare=False)
    """Whether nothing is to be shown of how the reading of a history goes on."""


class _MaxBadType(click.ParamType[MaxBad]):
    """`20` or `0.5%`."""

    name = "N|P%"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> MaxBad:
        limit = value if isinstance(value, MaxBad) else parse_max_bad(str(value))
        if limit is None:
            self.fail(f"{value!r} is neither a number of lines nor a percentage, such as 20 or 0.5%", param, ctx)
        return limit


max_bad_option = click.option(
    "--max-bad",
    type=_MaxBadType(),
    metavar="N|P%",
    help="How many lines of a replayed history may be unusable: a number, or a percentage and at least 10.",
)
"""Adds `--max-bad N|P%`, where a command's other options for a scenario are its own."""


def scenario_options(function: F) -> F:
    """Add `--set NAME=VALUE`, `--seed N` and `--max-bad N|P%`; the function receives `given: Given`."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        given = Given(
            read_pairs(kwargs.pop("parameters"), "--set"),
            kwargs.pop("seed"),
            kwargs.pop("max_bad"),
            is_quiet=bool(kwargs.get("quiet")),
        )
        return function(*args, given=given, **kwargs)

    for option in (
        max_bad_option,
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            metavar="N",
            help="Generate the scenario's workloads from this seed, in place of its own.",
        ),
        click.option(
            "--set",
            "parameters",
            multiple=True,
            metavar="NAME=VALUE",
            help="Give a parameter of the scenario another value; may be repeated.",
        ),
    ):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


def read_switches(assumed: Sequence[str]) -> dict[str, str]:
    """Return {assumption: value as written} of the `--assume NAME=VALUE` given; the last of a name wins."""
    return read_pairs(assumed, "--assume")


def read_pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """Return {name: value as written} of an option's NAME=VALUE; the last of a name wins."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=option)
        pairs[name.strip()] = value.strip()
    return pairs


def worst(codes: Sequence[int]) -> int:
    """Return the exit code of several answers: trouble before "no" before all well."""
    return max(codes, default=0)
