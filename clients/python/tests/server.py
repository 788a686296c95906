"""The server that these tests run against."""

from __future__ import annotations

import os
from typing import Any

from parley_client import Parley

MANUAL = "Hold the button of the router for ten seconds [1]."  # what the chatbot answers
QUESTION = "How do I reset the router?"
ORDER = ["conversation", "delta", "sources", "usage"]


def setting(name: str) -> str:
    value = os.environ.get(name)
    assert value, f"{name} is not set: these tests need a server. Run `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder."
    return value


def client(address: str = "PARLEY_URL", **options: Any) -> Parley:
    return Parley(setting(address), options.pop("token", setting("PARLEY_TOKEN")), pause=0.01, **options)
