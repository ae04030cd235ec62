"""Fleets, baselines and policies."""

from __future__ import annotations

from tools.schema_parts.keywords import NAME, Schema, choice, document, header, listing, record, text


def fleet() -> Schema:
    entry = record(
        "One declaration.",
        {
            "stack": text("Its file, relative to this one."),
            "profile": text("AWS profile to look at its account with."),
            "role_arn": text("IAM role to assume for looking at it."),
        },
        ("stack",),
    )
    return document(
        "Declarations of several accounts, looked at in one run",
        {**header("fleet"), "stacks": listing("The declarations.", entry)},
        ("kind", "version", "stacks"),
    )


def baseline() -> Schema:
    entry = record(
        "One difference.",
        {
            "path": text("Where it is, as a drift report writes it."),
            "live": {"description": "The live value that is accepted. Without it, any."},
            "reason": text("Why it is accepted."),
            "until": text("The last day on which it is, such as 2027-01-31."),
            "stack": text("The name of the declaration it holds for. Without it, all."),
        },
        ("path", "reason", "until"),
    )
    return document(
        "Differences between declaration and account that are accepted for a while",
        {**header("baseline"), "accept": listing("What is accepted.", entry)},
        ("kind", "version", "accept"),
    )


def own_policy() -> Schema:
    globs = {
        key: listing(f"Names of {key}, with * and ? as in file names. Without it, all.", text("A name or a pattern."))
        for key in ("stacks", "queues", "shares")
    }
    return document(
        "An organisation's own rule about what it declares",
        {
            **header("policy"),
            "id": text("QE700 to QE799, one policy each."),
            "name": text("A short name in lower case with hyphens, which says the bad pattern.", pattern=NAME),
            "severity": choice("How bad it is. Default error.", ["error", "warning", "note"], default="error"),
            "applies_to": choice("What the schema is for.", ["stack", "environment", "queue", "share"]),
            "only": record("Where it applies; everywhere without it.", globs),
            "message": text("What is wrong, in a line.", minLength=1),
            "why": text("Why it matters."),
            "fix": text("What to do."),
            "schema": {
                "description": "The JSON Schema (2020-12) that the object must meet. No $ref.",
                "type": "object",
            },
        },
        ("kind", "version", "id", "name", "applies_to", "message", "schema"),
    )
