"""The import table of docs/architecture.md, enforced: data flows one way, and the pure packages stay pure."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "quota_engine"

ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "config": {"model", "yaml", "jsonschema", "referencing"},
    "rules": {"model"},
    "scheduler": {"model", "msgspec"},
    "drift": {"model"},
    "workloads": {"model"},
    "history": {"model"},
    "simulate": {"model", "scheduler"},
    "forecast": {"model", "scheduler", "simulate"},
    "explain": {"model", "scheduler", "simulate"},
    "calibrate": {"model", "scheduler", "simulate"},
    "live": {"model", "boto3", "botocore"},
    "program": {
        "model",
        "config",
        "rules",
        "history",
        "workloads",
        "simulate",
        "live",
        "forecast",
        "report",
        "pulumi",
        "pulumi_aws_native",
        "pulumi_aws",
        "boto3",
        "botocore",
    },
    "emulator": {"model", "rules", "scheduler", "botocore", "starlette", "uvicorn", "jsonpatch", "orjson"},
    "local": {
        "program",
        "emulator",
        "config",
        "model",
        "pulumi",
        "semver",
        "grpc",
        "google",
        "boto3",
        "botocore",
        "yaml",
    },
    "sweep": {"model", "scheduler", "simulate", "workloads", "distributed", "pyarrow"},
    "report": {
        "model",
        "scheduler",
        "simulate",
        "drift",
        "forecast",
        "explain",
        "calibrate",
        "sweep",
        "rich",
        "altair",
        "vl_convert",
    },
}
"""Package → what it may import besides the standard library and itself. `cli` may import everything."""

PURE = ("model", "rules", "scheduler", "workloads", "simulate", "drift", "forecast", "explain", "calibrate", "report")
IMPURE_MODULES = {
    "asyncio", "concurrent", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "shutil", "socket", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
SEEDED = {"workloads": "random.Random"}
"""Package → the one class it may take from an impure module: it gives the same numbers for the same seed."""
IMPURE_CALLS = {"open", "print", "input", "hash", "id"}
FIRST_PARTY = "quota_engine"


def modules(package: str) -> list[Path]:
    return sorted((PACKAGE / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Yield each import of a module: `quota_engine.<package>` for our own, the top-level name for others."""
    package_parts = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield node.module or ""
            else:
                base = package_parts[: len(package_parts) - node.level + 1]
                if node.module or len(base) > 1:
                    yield ".".join([*base, *([node.module] if node.module else [])])
                else:
                    yield from (f"{FIRST_PARTY}.{alias.name}" for alias in node.names)


def top_level(name: str) -> tuple[bool, str]:
    """Return (is ours, the package name the table uses)."""
    parts = name.split(".")
    if parts[0] == FIRST_PARTY:
        return True, parts[1] if len(parts) > 1 else ""
    return False, parts[0]


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_package_imports_only_what_the_table_allows(package: str) -> None:
    """An import against the flow is how a part starts to depend on those that should depend on it."""
    wrong = []
    for path in modules(package):
        for name in imports(path):
            ours, top = top_level(name)
            if top == package or (ours and top == "") or (not ours and top in sys.stdlib_module_names):
                continue
            if top not in ALLOWED[package]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_the_table_names_every_package() -> None:
    """A new package has to say what it may import."""
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert found <= {*ALLOWED, "cli"}


def seeded_modules(package: str, tree: ast.Module) -> set[str]:
    """Return the module that a package draws from, where this file takes nothing else from it, and with a seed."""
    module, _, name = SEEDED.get(package, "").partition(".")
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == module]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name]
    taken = [alias.name for node in froms for alias in node.names]
    return {module} if taken == [name] and all(call.args for call in calls) else set()


@pytest.mark.parametrize("package", PURE)
def test_a_pure_package_touches_no_clock_file_socket_thread_or_logger(package: str) -> None:
    """Same values in, same values out: what the predictions' determinism rests on."""
    wrong = []
    for path in modules(package):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wrong += [
            f"{path.relative_to(ROOT)} imports {name}"
            for name in imports(path)
            if name.split(".")[0] in IMPURE_MODULES - seeded_modules(package, tree)
        ]
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno} calls {node.func.id}()"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS
        ]
    assert wrong == []


HEAVY = (
    "boto3",
    "botocore",
    "pulumi",
    "starlette",
    "uvicorn",
    "altair",
    "vl_convert",
    "grpc",
    "rich",
    "jsonschema",
    "yaml",
    "distributed",
    "pyarrow",
)


@pytest.mark.parametrize("command", [["-c", "import quota_engine"], ["-m", "quota_engine", "--help"]])
def test_help_and_import_load_nothing_heavy(command: list[str]) -> None:
    """`quota-engine --help` answers in the time Python and click take to start."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True, cwd=ROOT, check=True
    )
    loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in run.stderr.splitlines() if "|" in line}
    assert sorted(loaded & set(HEAVY)) == []
