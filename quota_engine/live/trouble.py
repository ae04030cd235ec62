"""What makes looking at an account impossible as a whole."""

from __future__ import annotations

from ..model.observation import Problem
from ..model.trouble import Trouble


class LiveTrouble(Trouble):
    """The live account can't be looked at as a whole; `problem` is the failed call, if one failed."""

    def __init__(self, what: str, *, why: str = "", fix: str = "", problem: Problem | None = None) -> None:
        super().__init__(what, why=why, fix=fix)
        self.problem = problem


class NotAuthenticated(LiveTrouble):
    """There are no credentials, or AWS refuses them."""
