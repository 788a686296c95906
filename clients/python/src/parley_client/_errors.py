"""Failures."""

from __future__ import annotations

import httpx

from ._types import Document


class ParleyError(Exception):
    """A failure that the server reports.

    status: of HTTP; 0 for an error in the middle of a stream.
    code: the code of the API, 1 to 8; 0 for a failure that is not the API's, such as a proxy's.
    reason: names the failure precisely, such as "conversation_busy". Later versions may add names.
    request_id: names the request in the server's log.
    retry_after: when the server wants to be asked again, in seconds; 0 if it did not say.
    """

    def __init__(
        self, message: str, *, status: int = 0, code: int = 0, reason: str = "", request_id: str = "", retry_after: float = 0
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.reason = reason
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def may_retry(self) -> bool:
        """Whether the same request may succeed later. An error within a stream is its end."""
        return self.status != 0 and self.code in (7, 8)


class DocumentError(Exception):
    """A document could not be read. The text says why, and what you can do."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.get("reason") or "The document could not be read.")
        self.document = document


class Cut(httpx.TransportError):
    """A stream that ended before the answer did."""


def failure(response: httpx.Response) -> ParleyError:
    """Reads what a server, or a proxy in front of it, says of a failure. The response has been read."""
    code, message = 0, f"The server answered {response.status_code}."
    try:
        body = response.json()
        if isinstance(body, dict) and isinstance(body.get("error"), int) and isinstance(body.get("error_message"), str):
            code, message = body["error"], body["error_message"]
    except ValueError:
        pass  # not the API's answer
    if code == 0:
        code = {429: 7, 502: 8, 503: 8, 504: 8}.get(response.status_code, 0)
    after = response.headers.get("Retry-After", "")
    return ParleyError(
        message,
        status=response.status_code,
        code=code,
        reason=response.headers.get("X-Error-Code", ""),
        request_id=response.headers.get("X-Request-Id", ""),
        retry_after=float(after) if after.isdigit() else 0,
    )
