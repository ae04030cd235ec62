"""How the emulator says no: a value with code, text and HTTP status, raised by operations and rendered by the wire.

Texts come from `texts.py` only. A refusal is always the caller's mistake, so never 5xx.
"""

from __future__ import annotations


class Refusal(Exception):
    """A request that is refused. `code` is the AWS error code, `wrapped` whether Batch puts its request id around."""

    def __init__(self, text: str, code: str = "ClientException", status: int = 400, *, wrapped: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.status = status
        self.wrapped = wrapped

    def message(self, request_id: str) -> str:
        """Return the text as the client sees it: raw field validation carries the request id (seen in live calls)."""
        if self.wrapped:
            return f"Error executing request, Exception : {self.text}, RequestId: {request_id}"
        return self.text
