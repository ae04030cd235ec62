"""A policy evaluator that is not ours: the npm package @cloud-copilot/iam-simulate, run by node.

It is installed once, by its exact version, to the user's cache directory. Where there is no node or npm the tests that
ask it skip, saying so; with CI=true they fail instead.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "@cloud-copilot/iam-simulate"
VERSION = "0.1.173"
ACCOUNT = "123456789012"
_SCRIPT = Path(__file__).with_name("evaluate.mjs")


class NoEvaluator(Exception):
    """The evaluator can't be had here; the text says why."""


@dataclass(frozen=True)
class Request:
    """Something somebody tries: an action on all of some resources, with the keys that the service would fill in."""

    action: str
    resources: tuple[str, ...]
    context: Mapping[str, str | Sequence[str]]


class Evaluator:
    """Answers whether a policy document, and nothing else, allows requests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def allows(self, document: Mapping[str, Any], requests: Sequence[Request]) -> list[bool]:
        """Return for each request whether the document allows it on every one of its resources."""
        simulations = [
            _simulation(document, request, resource) for request in requests for resource in request.resources
        ]
        command = ["node", str(_SCRIPT), str(self._folder)]
        run = subprocess.run(command, input=json.dumps(simulations), capture_output=True, text=True, check=True)
        outcomes = iter(json.loads(run.stdout))
        answers = []
        for request in requests:
            results = [next(outcomes) for _ in request.resources]
            problems = [result["errors"] for result in results if result["errors"]]
            assert not problems, f"{request}: {problems}"
            answers.append(all(result["result"] == "Allowed" for result in results))
        return answers


def _simulation(document: Mapping[str, Any], request: Request, resource: str) -> dict[str, Any]:
    return {
        "request": {
            "principal": f"arn:aws:iam::{ACCOUNT}:role/somebody",
            "action": request.action,
            "resource": {"resource": resource, "accountId": ACCOUNT},
            "contextVariables": dict(request.context),
        },
        "identityPolicies": [{"name": "policy", "policy": document}],
        "serviceControlPolicies": [],
        "resourceControlPolicies": [],
    }


def installed() -> Path:
    """Return the folder the evaluator is installed in, installing it if need be. Raises NoEvaluator."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NoEvaluator(f"{PACKAGE} needs {program}, which is not on PATH")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quota-engine" / "npm"
    target = base / f"iam-simulate-{VERSION}"
    base.mkdir(parents=True, exist_ok=True)
    with (base / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.is_dir():
            _install(base, target)
    return target


def _install(base: Path, target: Path) -> None:
    """Install completely or not at all. No script of any package is run."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        command = ["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        run = subprocess.run([*command, f"{PACKAGE}@{VERSION}"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise NoEvaluator(f"npm can't install {PACKAGE}@{VERSION}: {run.stderr.strip() or run.stdout.strip()}")
        done = Path(folder) / "done"
        done.mkdir()
        shutil.move(Path(folder) / "node_modules", done / "node_modules")
        done.rename(target)
