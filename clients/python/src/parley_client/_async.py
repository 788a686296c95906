"""The client for asyncio. The one without is made from it: see test.sh."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import httpx

from . import _core as core
from ._errors import Cut, failure
from ._types import Answer, Conversation, Event, Format, Message, Rating, StoppedAnswer


class AsyncParley:
    """Talks with one chatbot: the one that the token belongs to.

    base_url: a server's address and "/api/v1".
    token: begins with "parley_"; keep it out of programs that run on other people's machines.
    external_user_id: your own name for the user of your system, for all requests.
    tries: how often a request is sent at most. 1 never tries again, and resumes no stream.
    pause: the wait before the second try in seconds; later ones are longer.
    client: another httpx client, which stays yours to close.
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        external_user_id: str | None = None,
        tries: int = 4,
        pause: float = 0.5,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = core.headers(token, external_user_id, "0.3.0")
        self._tries, self._pause = max(tries, 1), pause
        self._own = client is None
        self._client = client or httpx.AsyncClient(timeout=core.TIMEOUT)

    async def __aenter__(self) -> AsyncParley:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._own:
            await self._client.aclose()

    async def ask(
        self, message: str, *, conversation_id: int | None = None, format: Format | None = None, idempotency_key: str | None = None
    ) -> Answer:
        """Asks a question and returns the whole answer."""
        return await self._data(core.question("/chat", message, conversation_id, format, idempotency_key))  # type: ignore[no-any-return]

    async def stream(
        self,
        message: str,
        *,
        conversation_id: int | None = None,
        format: Format | None = None,
        include: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncIterator[Event]:
        """Asks a question and returns its answer while it is written.

        include: "usage", "sources", or both.
        When the connection breaks, it resumes by itself where it was. Leaving the loop closes the
        connection; the answer goes on without you: stop stops it.
        """
        wanted = ["ids", *(include or [])]
        begin = core.question("/chat/stream", message, conversation_id, format, idempotency_key, include=wanted)
        async for event in self._events(core.Position(begin, None, None, wanted, format)):
            yield event

    async def resume(
        self, conversation_id: int, last_event_id: str | None = None, *, format: Format | None = None, include: list[str] | None = None
    ) -> AsyncIterator[Event]:
        """Returns the events of a conversation's last answer that come after one, or the whole answer."""
        async for event in self._events(core.Position(None, conversation_id, last_event_id, include, format)):
            yield event

    async def stop(self, conversation_id: int) -> StoppedAnswer:
        """Stops the answer that is being written in a conversation."""
        return await self._data(core.post(f"/conversations/{conversation_id}/stop"))  # type: ignore[no-any-return]

    async def create_conversation(self) -> Conversation:
        """Creates a conversation without a question."""
        return await self._data(core.post("/conversations"))  # type: ignore[no-any-return]

    async def messages(self, conversation_id: int) -> AsyncIterator[Message]:
        """Reads the messages of a conversation, oldest first, in pages as they are needed."""
        after = 0
        while True:
            page = await self._data(core.messages_after(conversation_id, after))
            for message in page["messages"]:
                yield message
            if not page.get("has_more"):
                return
            after = page["next"]

    async def rate(self, message_id: int, rating: Rating | None, comment: str | None = None) -> None:
        """Stores what an end user thinks of an answer; None takes it back. The last rating of an answer stands."""
        await self._data(core.feedback(message_id, rating, comment))

    async def _data(self, call: core.Call) -> Any:
        tried = 1
        while True:
            try:
                response = await self._client.request(
                    call.method, self._base_url + call.path, params=call.params, json=call.body, headers=self._headers | call.headers
                )
                if response.status_code != 200:
                    raise failure(response)
                return response.json()["data"]
            except Exception as error:
                if tried >= self._tries or not core.may_retry(error):
                    raise
                await asyncio.sleep(core.pause(self._pause, tried, error))
            tried += 1

    async def _events(self, at: core.Position) -> AsyncIterator[Event]:
        while True:
            try:
                async for event in self._connection(at.call()):
                    at.saw(event)
                    yield event
                return
            except Exception as error:
                if restarted := at.restarted(error):
                    yield restarted
                    continue
                at.tried += 1
                if at.tried >= self._tries or not core.may_retry(error):
                    raise
                await asyncio.sleep(core.pause(self._pause, at.tried, error))

    async def _connection(self, call: core.Call) -> AsyncIterator[Event]:
        """The events of one connection."""
        lines = core.Lines()
        async with self._client.stream(
            call.method, self._base_url + call.path, params=call.params, json=call.body, headers=self._headers | call.headers
        ) as response:
            if response.status_code != 200:
                await response.aread()
                raise failure(response)
            async for line in response.aiter_lines():
                event = lines.event(line)
                if event is not None:
                    yield event
                if lines.ended:
                    return
        raise Cut("The stream ended before the answer did.")
