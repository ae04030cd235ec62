"""From the file of a stack to a `Stack` that is fit to be deployed, or to one failure that shows every finding.

Nothing of Pulumi's engine is needed here: a declaration with errors stops the program before it registers a resource.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pulumi

from quota_engine.config import Unreadable, load_stack, policies_in, read_policies
from quota_engine.model.diagnostic import Diagnostic, Severity
from quota_engine.model.stack import Stack
from quota_engine.model.trouble import Trouble
from quota_engine.rules import check_stack


class DeclarationInvalid(pulumi.RunError):
    """The declaration can't be deployed. Pulumi shows the text of a RunError without a traceback."""


def declare(path: Path) -> tuple[Stack, list[Diagnostic]]:
    """Read and judge the declaration at `path`; return it with its warnings and notes, ordered by position.

    The organisation's policies are those of the folder `policies` beside the declaration's own folder. Raises
    DeclarationInvalid, naming every error, when it can't be read or has any.
    """
    try:
        loaded = load_stack(path)
        own = read_policies(policies_in(path.absolute().parent.parent))
        judged = [*loaded.judged(check_stack), *own.judge(loaded)]
    except Unreadable as error:
        raise DeclarationInvalid(f"the declaration of this stack can't be read: {error}") from error
    except Trouble as trouble:
        raise DeclarationInvalid(f"{trouble.what}: {trouble.why}\n  fix: {trouble.fix}") from trouble
    findings = sorted([*loaded.silence(judged)[0], *own.diagnostics], key=lambda one: one.sort_key)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if loaded.value is None or errors:
        raise DeclarationInvalid(f"{path} can't be deployed, it has errors:\n{as_text(errors)}")
    return loaded.value, findings


def as_text(findings: Iterable[Diagnostic]) -> str:
    """Return the findings as plain lines: where, what, why, fix."""
    return "\n".join(_lines(finding) for finding in findings)


def _lines(finding: Diagnostic) -> str:
    span = finding.span
    place = f"{span.file}:{span.line}:{span.column}: " if span else ""
    head = f"{place}{finding.severity} {finding.rule} {finding.name}"
    details = [finding.message]
    details += [f"why: {finding.why}"] if finding.why else []
    details += [f"fix: {finding.fix}"] if finding.fix else []
    return "\n  ".join([head, *details])
