"""Every finding `config` can make: id, name and page, in one table; and `finding`, which builds one.

Ids are stable for ever: QE1xx text, QE2xx shape, QE5xx scenarios. The pages are what `quota-engine rule ID` prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Final

from ..model.diagnostic import Diagnostic, Severity, Span
from ..model.stack import Path
from .tree import VALUES_MAX


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of finding. `page` explains it with the headings that rules have too."""

    id: str
    name: str
    page: str
    severity: Severity = Severity.ERROR


def _page(checks: str, wrong: str, example: str, instead: str, source: str) -> str:
    """Lay out a page with the fixed headings."""
    return (
        f"What it checks\n  {checks}\n\nWhy it is wrong\n  {wrong}\n\nExample\n{_indent(example)}\n\n"
        f"Use instead\n{_indent(instead)}\n\nSource\n  {source}\n"
    )


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


_YAML = "YAML 1.2.2"
_FORMAT = "docs/declaration.md"
_SCENARIO = "docs/scenario.md"
_REPLAY = "docs/replay.md"

_ROWS: Final = (
    # id, name, what it checks, why it is wrong, example, use instead, source
    (
        "QE101",
        "not-utf8",
        "The bytes of the file are UTF-8 (a byte order mark is accepted).",
        "Other encodings read differently from one machine to the next.",
        "a file saved as UTF-16 or Latin-1",
        "the same file saved as UTF-8",
        f"{_YAML}, 5.2; RFC 8259, 8.1",
    ),
    (
        "QE102",
        "file-too-large",
        "A file has at most 1 MiB.",
        "A larger one is a mistake, and would take long to read.",
        "a job history renamed to prod.yaml",
        "several files joined with extends",
        _FORMAT,
    ),
    (
        "QE103",
        "empty-document",
        "The file holds a document.",
        "Nothing is declared, which is rarely meant.",
        "# only comments",
        "kind: stack\nversion: 1",
        _FORMAT,
    ),
    (
        "QE104",
        "control-character",
        "The text holds no control characters, no lone surrogates and no line separators but LF and CR LF.",
        "They can't be seen, and tools disagree about the lines and names they make.",
        'name: "ml\\0training"',
        "name: ml-training",
        f"{_YAML}, 5.1",
    ),
    (
        "QE105",
        "tab",
        "No tab stands where YAML wants spaces.",
        "YAML forbids tabs in indentation: how far a tab indents is anybody's guess.",
        "job_queues:\n\ttraining:",
        "job_queues:\n  training:",
        f"{_YAML}, 6.1",
    ),
    (
        "QE106",
        "yaml-syntax",
        "The text is YAML.",
        "It can't be read.",
        "tags: {team: a",
        "tags: {team: a}",
        _YAML,
    ),
    (
        "QE107",
        "json-syntax",
        "A file named *.json is JSON: no comments, no trailing commas, no NaN.",
        "It can't be read by other JSON readers.",
        '{"version": 1,}',
        '{"version": 1}',
        "RFC 8259",
    ),
    (
        "QE108",
        "second-document",
        "The file holds one document.",
        "What stands after a second `---` would be ignored.",
        "kind: stack\n---\nkind: stack",
        "two files",
        _FORMAT,
    ),
    (
        "QE109",
        "duplicate-key",
        "A key stands once in its map.",
        "One of the two values would silently be lost.",
        "ml.g5.xlarge: 8\nml.g5.xlarge: 80",
        "ml.g5.xlarge: 80",
        f"{_YAML}, 3.2.1.3; RFC 8259, 4",
    ),
    (
        "QE110",
        "alias-cycle",
        "An alias does not stand inside the value that it names.",
        "The value would contain itself without end.",
        "tags: &t {more: *t}",
        "tags: &t {team: a}",
        f"{_YAML}, 7.1",
    ),
    (
        "QE111",
        "alias-expansion",
        "Aliases add at most 100,000 values to a document.",
        "A few lines of nested aliases can expand to billions of values.",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]  # and so on",
        "the values written out",
        _FORMAT,
    ),
    (
        "QE112",
        "nesting-too-deep",
        "Maps and lists are nested at most 50 deep.",
        "No declaration needs a tenth of it.",
        "[[[[[[[[ and so on",
        "a flat document",
        _FORMAT,
    ),
    (
        "QE113",
        "key-not-text",
        "Every key is one word or text.",
        "A list or map as a key has no meaning here.",
        "[a, b]: 1",
        "a: 1\nb: 1",
        _FORMAT,
    ),
    (
        "QE114",
        "yaml-tag",
        "No value carries a YAML tag.",
        "Values are read as they stand; CloudFormation's !Ref and !Sub have no meaning here.",
        "scheduling_policy: !Ref Policy",
        "scheduling_policy: quota-fifo",
        _FORMAT,
    ),
    (
        "QE115",
        "merge-key",
        "`<<` takes a map or a list of maps.",
        "There is nothing to merge in anything else.",
        "<<: ENABLED",
        "<<: *defaults",
        "YAML merge key, working draft 2005-01-18",
    ),
    (
        "QE116",
        "too-many-findings",
        "A file has at most 500 findings about its text, and as many about its shape.",
        "It is hardly the kind of file that it says it is, and nobody reads so many.",
        "a spreadsheet saved as YAML under kind: stack",
        "a declaration",
        _FORMAT,
    ),
    (
        "QE117",
        "too-many-values",
        "A file has at most 60,000 keys and values.",
        "The largest stack that an account has room for takes a third of it; more would take long to read.",
        "a job history with a hundred thousand entries under jobs",
        "count: 100000 in one entry, or several files",
        _FORMAT,
    ),
    (
        "QE118",
        "unused-ignore",
        "A comment `# quota-engine: ignore[...]` names a rule, and silences a finding of it in its line.",
        "It hides nothing today, and may hide tomorrow what nobody has thought of.",
        "borrow_limit: 200 # quota-engine: ignore[QE426] meant so",
        "borrow_limit: 200",
        _FORMAT,
    ),
    (
        "QE201",
        "unknown-key",
        "Every key is one that the format knows.",
        "A misspelt key would be ignored, and its value with it.",
        "capacity_limit: {ml.g5.xlarge: 1}",
        "capacity_limits: {ml.g5.xlarge: 1}",
        _FORMAT,
    ),
    (
        "QE202",
        "missing-key",
        "Every key that has no default is there.",
        "The value can't be guessed.",
        "QS1:\n  capacity_limits: {ml.g5.xlarge: 1}",
        "QS1:\n  capacity_limits: {ml.g5.xlarge: 1}\n  resource_sharing: {strategy: RESERVE}",
        _FORMAT,
    ),
    (
        "QE203",
        "wrong-type",
        "Every value has the type that belongs there.",
        "It can't be read as anything meaningful.",
        "quota_shares: [QS1]",
        "quota_shares:\n  QS1: {capacity_limits: {ml.g5.xlarge: 1}}",
        _FORMAT,
    ),
    (
        "QE204",
        "not-an-integer",
        "An integer is written in decimal digits: no leading zero, no sign, no point, no exponent, no quotes.",
        '0777, 1_000, 1e3, 4.0 and "4" are read differently by different tools.',
        "capacity_limits: {ml.g5.xlarge: 010}",
        "capacity_limits: {ml.g5.xlarge: 10}",
        f"{_YAML}, 10.3.2 against YAML 1.1",
    ),
    (
        "QE205",
        "unknown-value",
        "A value from a fixed list is one of the list, in its exact spelling.",
        "The Batch API refuses any other.",
        "strategy: BORROW",
        "strategy: LEND_AND_BORROW",
        "Batch API Reference",
    ),
    (
        "QE206",
        "out-of-range",
        "A number, text or list keeps within its bounds.",
        "The service or the model can't take it.",
        "attempts: 11",
        "attempts: 10",
        "Batch API Reference",
    ),
    (
        "QE207",
        "not-a-duration",
        "A duration has a unit: d, h, m, s or ms.",
        "A bare number could be seconds, minutes or milliseconds.",
        "max_time: 3600",
        "max_time: 1h",
        _FORMAT,
    ),
    (
        "QE208",
        "text-needs-quotes",
        "Where text belongs, a value that YAML reads as a number, a boolean or nothing is in quotes.",
        "Its spelling would be lost: 00420 would become 420.",
        "account: 012345670123",
        'account: "012345670123"',
        f"{_YAML}, 10.3.2",
    ),
    (
        "QE209",
        "unknown-kind",
        "The document says what it is: kind: stack, fragment or scenario.",
        "Without it nobody knows what to check it for.",
        "kind: Stack",
        "kind: stack",
        _FORMAT,
    ),
    (
        "QE210",
        "unknown-version",
        "The document says version: 1.",
        "Another version may mean other things by the same words.",
        "version: 2",
        "version: 1",
        _FORMAT,
    ),
    (
        "QE211",
        "extends-unreadable",
        "A file named by extends can be read.",
        "The declaration is incomplete without it.",
        "extends: bsae.yaml",
        "extends: base.yaml",
        _FORMAT,
    ),
    (
        "QE212",
        "extends-outside",
        "A file named by extends lies in the folder of the stack or below it.",
        "What is deployed must not depend on files that a reviewer of the folder can't see.",
        "extends: ../../other/base.yaml",
        "extends: base.yaml",
        _FORMAT,
    ),
    (
        "QE213",
        "extends-cycle",
        "No file extends itself, directly or through others.",
        "There is no first value to begin from.",
        "extends: dev.yaml  # in dev.yaml",
        "extends: base.yaml",
        _FORMAT,
    ),
    (
        "QE214",
        "not-in-this-format",
        "The declaration holds only what quota management knows, once and in one place.",
        "Queue and environment types, policies and names are fixed by this format, and the rest would be ignored.",
        "scheduling_policies: {p: {fairshare_policy: {}}}",
        "scheduling_policies: {p: {}}",
        _FORMAT,
    ),
    (
        "QE215",
        "policy-schema",
        "The schema of an organisation's own policy is a JSON Schema (2020-12) that stands on its own.",
        "What is no schema judges nothing, and a $ref would let the judgement depend on another file.",
        "schema: {properties: {state: {enum: ENABLED}}}",
        "schema: {properties: {state: {enum: [ENABLED]}}}",
        "JSON Schema 2020-12; docs/policies.md",
    ),
    (
        "QE216",
        "policy-id",
        "A policy's id is one of QE700 to QE799, and no other policy has it.",
        "The other ids are this project's own, and two policies of one id hide each other.",
        "id: QE304",
        "id: QE701",
        "docs/policies.md",
    ),
    (
        "QE501",
        "scenario-stack-unreadable",
        "The stack that a scenario names can be read.",
        "Without its shares nothing can be simulated.",
        "stack: ../stacks/dve.yaml",
        "stack: ../stacks/dev.yaml",
        _SCENARIO,
    ),
    (
        "QE502",
        "scenario-stack-invalid",
        "The stack that a scenario names is valid.",
        "A simulation of something that can't be deployed means nothing.",
        "stack: broken.yaml",
        "stack: ../stacks/dev.yaml",
        _SCENARIO,
    ),
    (
        "QE503",
        "scenario-queue",
        "The scenario's queue is one of the stack's, and is named where the stack has several.",
        "The jobs would have nowhere to go.",
        "queue: trianing",
        "queue: training",
        _SCENARIO,
    ),
    (
        "QE504",
        "unknown-share",
        "A share named in a scenario is one of its queue's.",
        "Batch refuses a job for a share that doesn't exist.",
        "share: QS9",
        "share: QS1",
        _SCENARIO,
    ),
    (
        "QE505",
        "duplicate-job",
        "Every job's name is unique, those of its copies included.",
        "Events and expectations could not tell them apart.",
        "- {name: train}\n- {name: train}",
        "- {name: train-1}\n- {name: train-2}",
        _SCENARIO,
    ),
    (
        "QE506",
        "unknown-job",
        "A job or workload named by an event or an expectation is one of the scenario's.",
        "The event would do nothing; the expectation would be about nothing.",
        "terminate: {job: trian}",
        "terminate: {job: train}",
        _SCENARIO,
    ),
    (
        "QE507",
        "job-out-of-range",
        "What a job asks for keeps within the limits of SubmitServiceJob.",
        "Batch refuses the submission.",
        "priority: 10000",
        "priority: 9999",
        "Batch API Reference, SubmitServiceJob",
    ),
    (
        "QE508",
        "unknown-unit",
        "Jobs and events ask for instance types that the queue's environment has.",
        "A job of another type never runs: the service environment has none of it.",
        "instances: {ml.g5.2xlarge: 1}",
        "instances: {ml.g5.xlarge: 1}",
        "AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration",
    ),
    (
        "QE509",
        "event-out-of-order",
        "An event about a job comes at or after the job's submission; nothing comes or is expected after `until`.",
        "It would have no effect, or be about what is not known.",
        "submit_at: 1h, and an event at: 30m",
        "an event at: 1h",
        _SCENARIO,
    ),
    (
        "QE510",
        "expectation-bounds",
        "An expectation about an amount has a bound, and at_least is not above at_most.",
        "It would hold whatever happens, or never.",
        "wait: {share: research, p95: {}}",
        "wait: {share: research, p95: {at_most: 2h}}",
        _SCENARIO,
    ),
    (
        "QE511",
        "include-unreadable",
        "A file named by include can be read.",
        "The scenario lacks work without it.",
        "include: comon.yaml",
        "include: common.yaml",
        _SCENARIO,
    ),
    (
        "QE512",
        "include-outside",
        "A file named by include lies in the folder of the scenario or below it.",
        "What is predicted must not depend on files that a reviewer of the folder can't see.",
        "include: ../../other/load.yaml",
        "include: load.yaml",
        _SCENARIO,
    ),
    (
        "QE513",
        "include-cycle",
        "No file includes itself, directly or through others.",
        "There is no first list to begin from.",
        "include: day.yaml  # in day.yaml",
        "include: load.yaml",
        _SCENARIO,
    ),
    (
        "QE514",
        "unknown-parameter",
        "A parameter that a value uses is stated under parameters.",
        "There is no value to put in its place.",
        'parameters: {rate: 6}\nper_hour: "${rat}"',
        'parameters: {rate: 6}\nper_hour: "${rate}"',
        _SCENARIO,
    ),
    (
        "QE515",
        "unused-parameter",
        "A parameter is used somewhere.",
        "Giving it another value changes nothing, though it looks as if it did.",
        "parameters: {rate: 6}\nper_hour: 6",
        'parameters: {rate: 6}\nper_hour: "${rate}"',
        _SCENARIO,
    ),
    (
        "QE516",
        "distribution",
        "What a workload is drawn from can be drawn from: bounds in order, weights that add up, hours of a day.",
        "There is no such distribution.",
        "priority: {uniform: [5, 1]}",
        "priority: {uniform: [1, 5]}",
        _SCENARIO,
    ),
    (
        "QE517",
        "workload-without-end",
        "Something ends a workload: until of the scenario or of its arrivals, or a number of jobs.",
        "It would go on for ever.",
        "arrivals: {poisson: {per_hour: 6}}  # in a scenario without until",
        "arrivals: {poisson: {per_hour: 6}, until: 24h}",
        _SCENARIO,
    ),
    (
        "QE518",
        "durations-file",
        "A file of observed durations can be read, and holds at least one; each has a unit, or its column says which.",
        "There is nothing to draw from.",
        "duration: {empirical: durations.csv}  # 40 in line 1",
        "duration: {empirical: durations.csv}  # 40m in line 1",
        _SCENARIO,
    ),
    (
        "QE519",
        "start",
        "A scenario's start is a date and time with the offset of its zone, and is there where a profile needs it.",
        "Nobody knows which hour of which day it is otherwise.",
        "start: 2026-12-01",
        "start: 2026-12-01T00:00:00+01:00",
        "ISO 8601; docs/scenario.md",
    ),
    (
        "QE530",
        "replay-unreadable",
        "The history that a scenario replays can be read, and it is known how it is written.",
        "Its jobs would be missing.",
        "replay: {file: hsitory.swf}",
        "replay: {file: history.swf}",
        _REPLAY,
    ),
    (
        "QE531",
        "replay-column",
        "A column that a scenario names is one of the history's.",
        "Nothing could be taken from it.",
        "share: {column: que}",
        "share: {column: queue}",
        _REPLAY,
    ),
    (
        "QE532",
        "replay-bad-line",
        (
            "A line of the history tells of a job that can be submitted. "
            "An error where there are more other lines than max_bad allows, else a warning; one for each reason."
        ),
        "The job is left out, and the queue of the simulation is emptier than the real one was.",
        'share: {column: queue, map: {"0": interactive}}  # and a line of queue 1',
        'share: {column: queue, map: {"0": interactive, "1": normal}}',
        _REPLAY,
    ),
    (
        "QE533",
        "replay-without-jobs",
        "A history has jobs that can be replayed.",
        "Nothing would be simulated.",
        "replay: {file: history.swf, from: 90d}  # of a history of 30 days",
        "replay: {file: history.swf, from: 20d}",
        _REPLAY,
    ),
)

_SEVERITIES: Final = dict.fromkeys(("QE118", "QE508", "QE509", "QE515", "QE533"), Severity.WARNING)

FINDINGS: Final = {
    row[0]: Kind(row[0], row[1], _page(*row[2:]), _SEVERITIES.get(row[0], Severity.ERROR)) for row in _ROWS
}
"""Every kind of finding of this package by id."""


def finding(
    rule: str,
    message: str,
    *,
    span: Span | None = None,
    path: Path = (),
    why: str = "",
    fix: str = "",
    related: Iterable[tuple[Span, str]] = (),
    replacement: str | None = None,
) -> Diagnostic:
    """Build the finding of kind `rule`; an id that is not in the table is our bug and raises KeyError."""
    kind = FINDINGS[rule]
    return Diagnostic(kind.id, kind.name, kind.severity, message, path, span, why, fix, tuple(related), replacement)


FINDINGS_MAX: Final = 500
"""Findings of one kind of check about one file. A file with more is not what it says it is."""


def too_many(span: Span | None = None, path: Path = ()) -> Diagnostic:
    """Say that the rest of a file's findings is left out."""
    message = f"more than {FINDINGS_MAX} findings; the rest is not shown"
    return finding("QE116", message, span=span, path=path, fix="correct these first")


def too_many_values(span: Span) -> Diagnostic:
    """Say that a file was not read further."""
    message = f"the file has more than {VALUES_MAX:,} keys and values"
    fix = "split it, and join the parts with extends; many jobs take one entry with count"
    return finding("QE117", message, span=span, fix=fix)


WORD_MAX: Final = 200
"""Letters of a word for which a similar one is looked for; no name of AWS is longer."""

CHOICES_MAX: Final = 1000
"""Known words among which a similar one is looked for: each look costs time, and a file may ask for hundreds."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most like `word` (case aside), None where none is near or there are too many."""
    known = list(islice(known, CHOICES_MAX + 1))
    if len(known) > CHOICES_MAX or len(word) > WORD_MAX:
        return None
    by_folded = {candidate.casefold(): candidate for candidate in sorted(known, reverse=True)}
    matches = get_close_matches(word.casefold(), sorted(by_folded), n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def respelt(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` is in another spelling: other case, hyphens, camelCase, blanks around."""
    matches = [candidate for candidate in known if _letters(candidate) == _letters(word)]
    return matches[0] if len(matches) == 1 else None


def _letters(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?", or what there is to choose from."""
    choices = sorted(islice(known, CHOICES_MAX + 1))
    match = nearest(word, choices)
    if match:
        return f"did you mean '{match}'?"
    if not choices:
        return "there is none to name"
    if len(choices) > CHOICES_MAX:
        return "name one that is declared"
    shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    return f"known here: {shown}"
