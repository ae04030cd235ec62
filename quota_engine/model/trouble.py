"""The one kind of exception a user may meet: something outside the files could not be done.

A file's content is never trouble (that is a `Diagnostic`). Trouble is a path that can't be read, a call that failed, a
port in use, an engine that can't be had. It carries what, why and fix, and becomes exit code 2 in
one place, `cli/main.py`.
"""

from __future__ import annotations


class Trouble(Exception):
    """`what` happened, `why`, and the `fix`: one sentence each, no trailing full stop; why and fix may be empty."""

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.fix = fix
