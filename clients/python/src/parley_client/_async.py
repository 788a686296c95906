"""The client for asyncio. The one without is made from it: see test.sh."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Any

import httpx

from . import _core as core
from ._errors import Cut, failure
from ._types import (
    Answer, Chatbot, Conversation, Document, Event, FileKind, Format, Message, Rating, Removal, State, StoppedAnswer, TextKind,
)


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
        self._headers = core.headers(token, "0.3.0")
        self._end_user = external_user_id
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
        self,
        message: str,
        *,
        conversation_id: int | None = None,
        metadata: Mapping[str, str] | None = None,
        format: Format | None = None,
        include: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Asks a question and returns the whole answer.

        metadata: up to 16 pairs of your own for the conversation that begins.
        include: "suggestions", for questions that may follow.
        """
        return await self._data(core.question("/chat", message, conversation_id, format, idempotency_key, include=include, metadata=metadata))  # type: ignore[no-any-return]

    async def stream(
        self,
        message: str,
        *,
        conversation_id: int | None = None,
        metadata: Mapping[str, str] | None = None,
        format: Format | None = None,
        include: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncIterator[Event]:
        """Asks a question and returns its answer while it is written.

        include: any of "usage", "sources" and "suggestions".
        When the connection breaks, it resumes by itself where it was. Leaving the loop closes the
        connection; the answer goes on without you: stop stops it.
        """
        wanted = ["ids", *(include or [])]
        begin = core.question("/chat/stream", message, conversation_id, format, idempotency_key, include=wanted, metadata=metadata)
        async for event in self._events(core.Position(begin)):
            yield event

    async def resume(
        self, conversation_id: int, last_event_id: str | None = None, *, format: Format | None = None, include: list[str] | None = None
    ) -> AsyncIterator[Event]:
        """Returns the events of a conversation's last answer that come after one, or the whole answer."""
        async for event in self._events(core.Position(core.resumed(conversation_id, format, include), conversation_id, last_event_id)):
            yield event

    async def stop(self, conversation_id: int) -> StoppedAnswer:
        """Stops the answer that is being written in a conversation."""
        return await self._data(core.post(f"/conversations/{conversation_id}/stop"))  # type: ignore[no-any-return]

    async def chatbot(self) -> Chatbot:
        """Says what a page shows before the first question: name, greeting, suggestions, and the token's limits."""
        return await self._data(core.Call("GET", "/chatbot"))  # type: ignore[no-any-return]

    async def create_conversation(self, *, external_user_id: str | None = None, metadata: Mapping[str, str] | None = None) -> Conversation:
        """Creates a conversation without a question.

        metadata: up to 16 pairs of your own, with keys of up to 40 and values of up to 500 characters.
        """
        return await self._data(core.new_conversation(external_user_id, metadata))  # type: ignore[no-any-return]

    async def conversations(
        self, *, external_user_id: str | None = None, created_after: datetime | None = None, status: str | None = None
    ) -> AsyncIterator[Conversation]:
        """Lists conversations, newest first, in pages as they are needed.

        The token needs the scope conversations:read, as for all that reads conversations.
        """
        async for conversation in self._list(core.conversations(external_user_id, created_after, status), "conversations"):
            yield conversation

    async def conversation(self, conversation_id: int) -> Conversation:
        """Gets a conversation."""
        return await self._data(core.Call("GET", core.conversation(conversation_id)))  # type: ignore[no-any-return]

    async def change_conversation(
        self,
        conversation_id: int,
        *,
        title: str | None = None,
        metadata: Mapping[str, str | None] | None = None,
        clear_metadata: bool = False,
    ) -> Conversation:
        """Changes a conversation, and returns it as it is then. What you leave out stays.

        metadata: pairs to add or replace; None as a value removes a pair.
        clear_metadata: removes all pairs.
        The token needs the scope conversations:write.
        """
        return await self._data(core.change(conversation_id, title, metadata, clear_metadata))  # type: ignore[no-any-return]

    async def delete_conversation(self, conversation_id: int) -> None:
        """Deletes a conversation with its messages and their feedback.

        While an answer is being written it fails with the reason "conversation_busy": stop the answer first, or wait.
        The token needs the scope conversations:write.
        """
        await self._data(core.Call("DELETE", core.conversation(conversation_id), deletes=True))

    async def messages(self, conversation_id: int, *, include: list[str] | None = None) -> AsyncIterator[Message]:
        """Reads the messages of a conversation, oldest first, in pages as they are needed.

        include: "sources", "usage", or both.
        """
        async for message in self._list(core.messages(conversation_id, include), "messages"):
            yield message

    async def rate(self, message_id: int, rating: Rating | None, comment: str | None = None) -> None:
        """Stores what an end user thinks of an answer; None takes it back. The last rating of an answer stands."""
        await self._data(core.feedback(message_id, rating, comment))

    async def add_text(
        self, content: str, *, title: str | None = None, kind: TextKind | None = None, external_id: str | None = None
    ) -> Document:
        """Adds a text of up to 5 MiB, or replaces the one with the same external_id.

        title: one line. Without it the document gets the first heading of the text, or its first words.
        kind: "pairs" are questions with their answers: CSV with the columns question and answer, or JSON objects with these names.
        external_id: your own name for the document, unique for the chatbot. Without it, what the chatbot has already is not added again.
        Questions find a text of up to 256 KiB at once; for others see wait_until_ready. The token needs the scope knowledge:write.
        """
        body = core.given(content=content, title=title, kind=kind, external_id=external_id)
        return await self._data(core.post(core.DOCUMENTS, body))  # type: ignore[no-any-return]

    async def add_page(self, url: str, *, external_id: str | None = None) -> Document:
        """Adds a page of the web, as add_text does. One that is there already is read again."""
        return await self._data(core.post(core.DOCUMENTS, core.given(url=url, external_id=external_id)))  # type: ignore[no-any-return]

    async def add_file(
        self,
        file: str | PathLike[str] | bytes,
        *,
        name: str | None = None,
        title: str | None = None,
        kind: FileKind | None = None,
        external_id: str | None = None,
    ) -> Document:
        """Adds a file of up to 20 MiB, as add_text does: Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, CSV, EPUB or pairs.

        file: its path, or what is in it; then give it a name.
        title: without it the document gets the title inside the file, or its name.
        kind: without it the server detects the type.
        """
        call = core.file(file, name, title=title, kind=kind, external_id=external_id)
        return await self._data(call)  # type: ignore[no-any-return]

    async def documents(self, *, external_id: str | None = None, state: State | None = None) -> AsyncIterator[Document]:
        """Lists documents, newest first, in pages as they are needed.

        The token needs the scope knowledge:read, as for all that reads documents.
        """
        call = core.Call("GET", core.DOCUMENTS, params=core.given(external_id=external_id, state=state))
        async for document in self._list(call, "documents"):
            yield document

    async def document(self, document_id: str) -> Document:
        """Gets a document by its id."""
        return await self._data(core.Call("GET", core.within(core.DOCUMENTS, document_id)))  # type: ignore[no-any-return]

    async def document_by_external_id(self, external_id: str) -> Document:
        """Gets a document by the name that you gave it."""
        path = core.within(f"{core.DOCUMENTS}/external", external_id)
        return await self._data(core.Call("GET", path))  # type: ignore[no-any-return]

    async def wait_until_ready(self, document_id: str, *, timeout: float | None = None) -> Document:
        """Waits until answers use the current content of a document.

        timeout: how long to wait at most, in seconds; then it raises a TimeoutError. The server may try for hours to read a page.
        It raises a DocumentError if the document cannot be read.
        """
        looks = core.Looks(timeout)
        while not core.settled(document := await self.document(document_id)):
            await asyncio.sleep(looks.wait())
        return document

    async def remove_document(self, document_id: str) -> Removal:
        """Removes a document from every answer at once, and returns the receipt.

        Removing it again returns the same receipt. The token needs the scope knowledge:write.
        """
        return await self._data(core.Call("DELETE", core.within(core.DOCUMENTS, document_id)))  # type: ignore[no-any-return]

    async def remove_document_by_external_id(self, external_id: str) -> Removal:
        """Finds a document by the name that you gave it, and removes it.

        The token needs the scopes knowledge:read and knowledge:write.
        """
        # By its id it can be removed again when the answer is lost.
        return await self.remove_document((await self.document_by_external_id(external_id))["id"])

    async def removals(self) -> AsyncIterator[Removal]:
        """Lists the receipts of removed documents, the latest first, in pages as they are needed."""
        async for removal in self._list(core.Call("GET", "/knowledge/removals"), "removals"):
            yield removal

    async def removal(self, removal_id: str) -> Removal:
        """Gets the receipt of a removed document."""
        return await self._data(core.Call("GET", core.within("/knowledge/removals", removal_id)))  # type: ignore[no-any-return]

    async def _list(self, call: core.Call, name: str) -> AsyncIterator[Any]:
        pages = core.Pages(call, name)
        while pages.call is not None:
            for entry in pages.entries(await self._data(pages.call)):
                yield entry

    async def _data(self, call: core.Call) -> Any:
        call = call.for_end_user(self._end_user)
        tried, lost = 1, False
        while True:
            try:
                response = await self._client.request(
                    call.method, self._base_url + call.path, headers=self._headers | call.headers, **call.arguments()
                )
                if response.status_code != 200:
                    raise failure(response)
                return response.json()["data"]
            except Exception as error:
                if core.deleted(call, lost, error):
                    return None
                lost = lost or isinstance(error, httpx.TransportError)
                if tried >= self._tries or not core.may_retry(error):
                    raise
                await asyncio.sleep(core.pause(self._pause, tried, error))
            tried += 1

    async def _events(self, at: core.Position) -> AsyncIterator[Event]:
        while True:
            try:
                async for event in self._connection(at.call().for_end_user(self._end_user)):
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
            call.method, self._base_url + call.path, headers=self._headers | call.headers, **call.arguments()
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
