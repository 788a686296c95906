"""Talk with a Parley chatbot from Python.

>>> from parley_client import Parley
>>> with Parley("https://parley.example.com/api/v1", token) as parley:
...     answer = parley.ask("When do you open?")

:class:`AsyncParley` does the same with ``await``. Both try again what may be tried again, with an
Idempotency-Key, so that no question is asked twice; and they resume streams that were cut off.
Failures that the server reports are :class:`ParleyError`; those of the network are httpx's.
"""

from ._async import AsyncParley
from ._errors import ParleyError
from ._sync import Parley
from ._types import Answer, Chatbot, Conversation, Event, Format, Limits, Message, Outcome, Rating, Source, StoppedAnswer, Usage

__all__ = [
    "Answer", "AsyncParley", "Chatbot", "Conversation", "Event", "Format", "Limits", "Message", "Outcome", "Parley", "ParleyError", "Rating",
    "Source", "StoppedAnswer", "Usage",
]
__version__ = "0.3.0"
