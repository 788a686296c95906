"""Talk with a Parley chatbot from Python.

>>> from parley_client import Parley
>>> with Parley("https://parley.example.com/api/v1", token) as parley:
...     answer = parley.ask("When do you open?")

:class:`AsyncParley` does the same with ``await``. Both try again what may be tried again, with an
Idempotency-Key, so that no question is asked twice; and they resume streams that were cut off.
Failures that the server reports are :class:`ParleyError`; those of the network are httpx's.
"""

from ._async import AsyncParley
from ._errors import DocumentError, ParleyError
from ._sync import Parley
from ._types import (
    Answer, Chatbot, Conversation, Document, Event, FileKind, Format, Limits, Message, Outcome, Rating, Removal, Source, State, StoppedAnswer,
    TextKind, Usage,
)

__all__ = [
    "Answer", "AsyncParley", "Chatbot", "Conversation", "Document", "DocumentError", "Event", "FileKind", "Format", "Limits", "Message",
    "Outcome", "Parley", "ParleyError", "Rating", "Removal", "Source", "State", "StoppedAnswer", "TextKind", "Usage",
]
__version__ = "0.3.0"
