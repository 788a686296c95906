"""What both clients share: requests, when to try again, and how a stream is read. It does no I/O."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from ._errors import DocumentError, ParleyError
from ._types import Document, Event

# How many entries of a list one request reads.
PAGE = 100
# The longest wait before a try, also when the server asks for a longer one, in seconds.
MAX_PAUSE = 60.0
# Streams send something every ten seconds.
TIMEOUT = httpx.Timeout(10.0, read=45.0)


@dataclass
class Call:
    """One call of the API."""

    method: str
    path: str
    params: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    # In place of a body: a file with its name, and the other fields of its form.
    file: tuple[str, bytes] | None = None
    fields: dict[str, str] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    # What is not found after an answer was lost has been deleted.
    deletes: bool = False

    def arguments(self) -> dict[str, Any]:
        """What httpx takes for it, without its headers."""
        files = None if self.file is None else {"file": self.file}
        return {"params": self.params, "json": self.body, "files": files, "data": self.fields}

    def for_end_user(self, name: str | None) -> Call:
        """The call for a user of yours. A name that a header cannot carry stands in the query."""
        if not name:
            return self
        if re.fullmatch(r"[!-~]([ -~]*[!-~])?", name):
            return replace(self, headers={"X-External-User-Id": name, **self.headers})
        return replace(self, params={"external_user_id": name, **self.params})


def post(path: str, body: dict[str, Any] | None = None, key: str | None = None) -> Call:
    return Call("POST", path, body=body, headers={"Idempotency-Key": key or uuid.uuid4().hex})


def question(path: str, message: str, conversation_id: int | None, format: str | None, key: str | None, **more: Any) -> Call:
    return post(path, given(message=message, conversation_id=conversation_id, format=format, **more), key)


def feedback(message_id: int, rating: str | None, comment: str | None) -> Call:
    body: dict[str, Any] = {"rating": rating}
    if comment is not None:
        body["comment"] = comment
    return post(f"/messages/{message_id}/feedback", body)


def conversation(conversation_id: int) -> str:
    return f"/conversations/{conversation_id}"


def new_conversation(external_user_id: str | None, metadata: Mapping[str, str] | None) -> Call:
    return post("/conversations", given(external_user_id=external_user_id, metadata=metadata))


def conversations(external_user_id: str | None, created_after: datetime | None, status: str | None) -> Call:
    after = None if created_after is None else created_after.astimezone(timezone.utc).isoformat()
    return Call("GET", "/conversations", params=given(external_user_id=external_user_id, created_after=after, status=status))


def change(conversation_id: int, title: str | None, metadata: Mapping[str, str | None] | None, clear_metadata: bool) -> Call:
    if clear_metadata and metadata is not None:
        raise ValueError("A change has either metadata or clear_metadata.")
    body = given(title=title, metadata=metadata)
    if clear_metadata:
        body["metadata"] = None
    return Call("PATCH", conversation(conversation_id), body=body)


def messages(conversation_id: int, include: list[str] | None) -> Call:
    return Call("GET", f"{conversation(conversation_id)}/messages", params=given(include=",".join(include) if include else None))


DOCUMENTS = "/knowledge/documents"
# How long to wait before a document is looked at again, and how long at most, in seconds.
FIRST_LOOK, LAST_LOOK = 0.25, 5.0


def file(content: str | PathLike[str] | bytes, name: str | None, **fields: str | None) -> Call:
    if not isinstance(content, bytes):
        path = Path(content)
        name, content = name or path.name, path.read_bytes()
    return replace(post(DOCUMENTS), file=(name or "file", content), fields=given(**fields))


def within(folder: str, name: str) -> str:
    """The path of what has a name in a folder."""
    if name in ("", ".", ".."):
        raise ValueError('An id that is empty, "." or ".." cannot be part of an address.')
    return f"{folder}/{quote(name, safe='')}"


def settled(document: Document) -> bool:
    """Whether a document is ready. One that failed raises a DocumentError."""
    if document["state"] == "failed":
        raise DocumentError(document)
    return document["state"] == "ready"


class Looks:
    """How long to wait between looks at a document. A wait raises a TimeoutError when all of it has taken too long."""

    def __init__(self, timeout: float | None) -> None:
        self.end = None if timeout is None else time.monotonic() + timeout
        self.next = FIRST_LOOK

    def wait(self) -> float:
        wait = self.next
        if self.end is not None:
            left = self.end - time.monotonic()
            if left <= 0:
                raise TimeoutError("The document is not ready yet.")
            wait = min(wait, left)
        self.next = min(self.next * 1.5, LAST_LOOK)
        return wait


def given(**values: Any) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


class Pages:
    """Where a reader is in a list. call is what gets the next page, or None after the last."""

    def __init__(self, call: Call, name: str) -> None:
        self.call: Call | None = replace(call, params={**call.params, "limit": str(PAGE)})
        self.name = name

    def entries(self, page: dict[str, Any]) -> list[Any]:
        """The entries of a page that was read."""
        assert self.call is not None
        after = page.get("next")
        self.call = None if after is None else replace(self.call, params={**self.call.params, "after": str(after)})
        return page[self.name]  # type: ignore[no-any-return]


def headers(token: str, version: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "User-Agent": f"parley-python/{version}"}


def deleted(call: Call, lost: bool, error: Exception) -> bool:
    """Whether a failure says that an earlier try, whose answer was lost, has deleted what the call deletes."""
    return call.deletes and lost and isinstance(error, ParleyError) and error.status == 404


def may_retry(error: Exception) -> bool:
    return error.may_retry if isinstance(error, ParleyError) else isinstance(error, httpx.TransportError)


def pause(first: float, tried: int, error: Exception) -> float:
    """Twice as long each time, with jitter, or as long as the server asks for."""
    asked = error.retry_after if isinstance(error, ParleyError) else 0
    return min(asked or first * 2 ** (tried - 1) * random.uniform(0.5, 1.5), MAX_PAUSE)


def resumed(conversation_id: int, format: str | None, include: list[str] | None) -> Call:
    wanted = None if include is None else ",".join(include)
    return Call("GET", f"{conversation(conversation_id)}/stream", params=given(format=format, include=wanted))


class Position:
    """Where a reader is in an answer."""

    def __init__(self, begin: Call, conversation: int | None = None, last: str | None = None) -> None:
        self.begin, self.conversation, self.last = begin, conversation, last
        self.tried = 0

    def call(self) -> Call:
        """The call that gets what is still missing. A question that is sent with the id of an event is not asked again."""
        if not self.last:
            return self.begin
        return replace(self.begin, headers={**self.begin.headers, "Last-Event-ID": self.last})

    def saw(self, event: Event) -> None:
        if event["type"] == "conversation":
            self.conversation = event["conversation_id"]
        self.last, self.tried = event["id"], 0

    def restarted(self, error: Exception) -> Event | None:
        """The event that stands for an answer that failed and was begun again."""
        if not (isinstance(error, ParleyError) and error.reason == "answer_restarted" and self.last and self.conversation is not None):
            return None
        self.last = None
        return {"type": "restarted", "conversation_id": self.conversation, "id": ""}


class Lines:
    """Reads the lines of a stream. ended says that the answer is whole."""

    def __init__(self) -> None:
        self.id = ""
        self.ended = False

    def event(self, line: str) -> Event | None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self.id = value
        if name != "data":
            return None
        if value == "[DONE]":
            self.ended = True
            return None
        event: Any = json.loads(value)
        if event["type"] == "error":
            raise ParleyError(event["error_message"], code=event["error"], reason=event.get("error_code", ""))
        event["id"] = self.id
        return event  # type: ignore[no-any-return]
