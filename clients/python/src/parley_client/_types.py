"""What the API sends. Later versions may add keys and values: ignore those that you don't know."""

from __future__ import annotations

from typing import Literal, TypedDict

Format = Literal["markdown", "plain_text", "html"]
Outcome = Literal["answered", "no_answer", "stopped", "interrupted", "failed"]
Rating = Literal["up", "down"]
TextKind = Literal["markdown", "text", "pairs"]
FileKind = Literal["markdown", "text", "html", "pdf", "docx", "pptx", "xlsx", "csv", "epub", "pairs"]
State = Literal["pending", "fetching", "extracting", "indexing", "ready", "failed", "removing"]


class Source(TypedDict, total=False):
    """A passage that an answer was made from. The text cites it by its number, from 1."""

    number: int
    cited: bool
    document_id: str
    title: str
    heading_path: list[str]
    url: str
    place: str
    start: int
    end: int
    content_hash: str
    version: int


class Usage(TypedDict, total=False):
    """What an answer took, in tokens. What follows total_tokens is in streams and messages only."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool
    model: str
    first_token_ms: int
    total_ms: int
    passages: int
    status: str
    outcome: Outcome
    finish_reason: str


class Answer(TypedDict, total=False):
    """A whole answer. The outcome "no_answer" says that the chatbot does not know: hand over to a person.

    status is there only if the answer lacks its end: "stopped" or "incomplete".
    suggestions are questions that may follow, when included.
    """

    message: str
    conversation_id: int
    message_id: int
    format: Format
    outcome: Outcome
    status: str
    finish_reason: str
    usage: Usage
    sources: list[Source]
    suggestions: list[str]


class Conversation(TypedDict, total=False):
    """A conversation. One that was just created has neither title nor external_user_id."""

    conversation_id: int
    chatbot_id: str
    status: str
    created_at: str
    external_user_id: str | None
    title: str
    metadata: dict[str, str]


class Limits(TypedDict, total=False):
    """The limits of a token. None is no limit."""

    message_chars: int | None
    requests_per_minute: int | None
    messages_per_month: int | None


class Chatbot(TypedDict, total=False):
    """What a page shows before the first question. welcome and suggestions are the owner's, or made from the documents, in their language."""

    chatbot_id: str
    name: str
    welcome: str
    suggestions: list[str]
    separate_end_users: bool
    limits: Limits


class Message(TypedDict, total=False):
    """A message of a conversation. status, outcome and finish_reason are those of an answer.

    sources and usage are there when included.
    """

    id: int
    role: str
    content: str
    format: Format
    created_at: str
    status: str
    outcome: Outcome
    finish_reason: str
    sources: list[Source]
    usage: Usage


class StoppedAnswer(TypedDict, total=False):
    """The last answer of a conversation when it was stopped."""

    conversation_id: int
    message_id: int | None
    status: str | None


class Event(TypedDict, total=False):
    """A part of a streamed answer.

    type: "conversation" comes first, then "waiting" (a sentence for people) and "delta" (a piece, in
    Markdown), and then "sources", "usage", "suggestions" and "formatted". "restarted" says that the answer failed
    and begins again: drop the pieces so far.
    id: names the event, for resume.
    """

    type: str
    id: str
    conversation_id: int
    content: str
    format: Format
    sources: list[Source]
    usage: Usage
    suggestions: list[str]


class DocumentNote(TypedDict):
    """How many things of a kind were not read, such as 3 of kind "chart"."""

    kind: str
    count: int


class Document(TypedDict, total=False):
    """Something that a chatbot answers from.

    state: "ready" and "failed" are the end; reason says why it failed, and what you can do.
    answered: whether answers use it, if only in its previous version.
    next_attempt_at: when the server tries again.
    notes: what of its file or page was not read, so that answers don't use it.
    original: "kept" if its file is kept as it was uploaded, and "no_room" if the plan's storage had no room for it.
    reader_outdated: whether an older version of the server read its file or page.
    result: what became of a document that was added: "created", "replaced", "unchanged" or "read_again". It is
    "unchanged" too when the client had to send it again because the first answer was lost.
    """

    id: str
    external_id: str
    source_id: str
    url: str
    title: str
    kind: str
    state: State
    reason: str
    chars: int
    passages: int
    indexed: int
    attempts: int
    next_attempt_at: str
    answered: bool
    notes: list[DocumentNote]
    original: str
    reader_outdated: bool
    created_at: str
    updated_at: str
    result: str


class Removal(TypedDict, total=False):
    """The receipt of a document that was removed.

    confirmed_at: when the index confirmed that it holds nothing of the document any more. While it is None, get it again.
    answers: how many answers had been given the document; message_ids has the first 1,000 of them.
    """

    id: str
    document_id: str
    title: str
    url: str
    content_hash: str
    passages: int
    requested_at: str
    confirmed_at: str | None
    answers: int
    message_ids: list[int]
