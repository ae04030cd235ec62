"""Pages of a list: cut by key, so that what is created or deleted between two pages neither repeats nor hides others.

A token is opaque text holding the last key given out and a digest of the request it belongs to; with another request it
is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, TypeVar

import orjson

from ...model.service_facts import PAGE_SIZE_MAX
from ..texts import refuse

T = TypeVar("T")
Key = tuple[int | str, ...]


Start = Callable[[Key | None], Iterable[T]]
"""(the last key of the page before, None for the first page) → the items after it, in ascending order of key."""


def page(
    items: Iterable[T], key: Callable[[T], Key], request: dict[str, Any], what: str
) -> tuple[list[T], dict[str, str]]:
    """Return one page and `{"nextToken": …}`, empty on the last page.

    `items` come in ascending order of `key`; `what` names the operation. Raises Refusal for a bad size or token.
    """
    return page_from(lambda after: (item for item in items if after is None or key(item) > after), key, request, what)


def page_from(
    start: Start[T], key: Callable[[T], Key], request: dict[str, Any], what: str
) -> tuple[list[T], dict[str, str]]:
    """Return one page as `page` does, of items that can be sought."""
    size = request.get("maxResults", PAGE_SIZE_MAX)
    if not 1 <= size <= PAGE_SIZE_MAX:
        raise refuse("max-results")
    after = _after(request, what)
    try:
        found = list(islice(start(after), size + 1))
    except TypeError:  # a forged token whose key is of other types
        raise refuse("next-token") from None
    if len(found) <= size:
        return found, {}
    return found[:size], {"nextToken": _token(key(found[size - 1]), request, what)}


def _digest(request: dict[str, Any], what: str) -> str:
    asked = {name: value for name, value in request.items() if name not in ("nextToken", "maxResults")}
    return hashlib.sha256(what.encode() + orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _token(last: Key, request: dict[str, Any], what: str) -> str:
    return base64.b64encode(orjson.dumps([_digest(request, what), *last])).decode()


def _after(request: dict[str, Any], what: str) -> Key | None:
    token = request.get("nextToken")
    if not token:
        return None
    try:
        digest, *last = orjson.loads(base64.b64decode(token.encode(), validate=True))
    except (ValueError, TypeError, binascii.Error):
        raise refuse("next-token") from None
    if digest != _digest(request, what) or not all(isinstance(part, int | str) for part in last):
        raise refuse("next-token")
    return tuple(last)
