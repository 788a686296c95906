"""What both clients share: requests, when to try again, and how a stream is read. It does no I/O."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

import httpx

from ._errors import ParleyError
from ._types import Event

MESSAGES_PAGE = 100
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
    headers: dict[str, str] = field(default_factory=dict)


def post(path: str, body: dict[str, Any] | None = None, key: str | None = None) -> Call:
    return Call("POST", path, body=body, headers={"Idempotency-Key": key or uuid.uuid4().hex})


def question(path: str, message: str, conversation_id: int | None, format: str | None, key: str | None, **more: Any) -> Call:
    body: dict[str, Any] = {"message": message, **more}
    if conversation_id is not None:
        body["conversation_id"] = conversation_id
    if format is not None:
        body["format"] = format
    return post(path, body, key)


def feedback(message_id: int, rating: str | None, comment: str | None) -> Call:
    body: dict[str, Any] = {"rating": rating}
    if comment is not None:
        body["comment"] = comment
    return post(f"/messages/{message_id}/feedback", body)


def messages_after(conversation_id: int, after: int) -> Call:
    return Call("GET", f"/conversations/{conversation_id}/messages", params={"limit": str(MESSAGES_PAGE), "after": str(after)})


def headers(token: str, external_user_id: str | None, version: str) -> dict[str, str]:
    all = {"Authorization": f"Bearer {token}", "User-Agent": f"parley-python/{version}"}
    if external_user_id:
        all["X-External-User-Id"] = external_user_id
    return all


def may_retry(error: Exception) -> bool:
    return error.may_retry if isinstance(error, ParleyError) else isinstance(error, httpx.TransportError)


def pause(first: float, tried: int, error: Exception) -> float:
    """Twice as long each time, with jitter, or as long as the server asks for."""
    asked = error.retry_after if isinstance(error, ParleyError) else 0
    return min(asked or first * 2 ** (tried - 1) * random.uniform(0.5, 1.5), MAX_PAUSE)


class Position:
    """Where a reader is in an answer."""

    def __init__(self, begin: Call | None, conversation: int | None, last: str | None, include: list[str] | None, format: str | None) -> None:
        self.begin, self.conversation, self.last, self.include, self.format = begin, conversation, last, include, format
        self.tried = 0

    def call(self) -> Call:
        """The call that gets what is still missing."""
        if self.conversation is None:
            assert self.begin is not None
            return self.begin
        call = Call("GET", f"/conversations/{self.conversation}/stream")
        if self.include is not None:
            call.params["include"] = ",".join(self.include)
        if self.format is not None:
            call.params["format"] = self.format
        if self.last:
            call.headers["Last-Event-ID"] = self.last
        return call

    def saw(self, event: Event) -> None:
        if event["type"] == "conversation":
            self.conversation = event["conversation_id"]
        self.last, self.tried = event["id"], 0

    def restarted(self, error: Exception) -> Event | None:
        """The event that stands for an answer that failed and was begun again."""
        if not (isinstance(error, ParleyError) and error.status == 409 and self.last and self.conversation is not None):
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
