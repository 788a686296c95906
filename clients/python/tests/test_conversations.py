"""These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from parley_client import Answer, AsyncParley, Conversation, Parley, ParleyError

from server import QUESTION, client, setting

HOUR = timedelta(hours=1)
USER = f"python/{uuid4()}"


@pytest.fixture(scope="module")
def parley() -> Iterator[Parley]:
    """A client that loses the first answer to each request."""
    with client("PARLEY_LOSS_URL") as parley:
        yield parley


@pytest.fixture(scope="module")
def created(parley: Parley) -> Conversation:
    return parley.create_conversation(external_user_id=USER, metadata={"order": "4711", "old": "x"})


@pytest.fixture(scope="module")
def asked(created: Conversation) -> Answer:
    with client("PARLEY_LOSS_URL", external_user_id=USER) as parley:
        return parley.ask(QUESTION, metadata={"page": "help"})


def test_one_without_a_question_has_no_answer_to_stop(parley: Parley, created: Conversation) -> None:
    assert parley.stop(created["conversation_id"])["message_id"] is None
    assert created["metadata"] == {"order": "4711", "old": "x"}


def test_those_of_an_end_user_are_listed_newest_first(parley: Parley, created: Conversation, asked: Answer) -> None:
    all = list(parley.conversations(external_user_id=USER, status="active", created_after=datetime.now() - HOUR))
    assert [c["conversation_id"] for c in all] == [asked["conversation_id"], created["conversation_id"]]
    assert all[0]["title"] == QUESTION and all[0]["external_user_id"] == USER and all[0]["metadata"] == {"page": "help"}
    assert list(parley.conversations(external_user_id=USER, created_after=datetime.now() + HOUR)) == []


def test_one_gets_a_title_and_other_metadata(parley: Parley, created: Conversation) -> None:
    id = created["conversation_id"]
    parley.change_conversation(id, title="Opening hours", metadata={"order": "4712", "old": None})
    changed = parley.conversation(id)
    assert changed["title"] == "Opening hours" and changed["metadata"] == {"order": "4712"}
    cleared = parley.change_conversation(id, clear_metadata=True)
    assert cleared["title"] == "Opening hours" and cleared["metadata"] == {}
    with pytest.raises(ValueError):
        parley.change_conversation(id, metadata={}, clear_metadata=True)


def test_messages_include_sources_and_usage(parley: Parley, asked: Answer) -> None:
    all = list(parley.messages(asked["conversation_id"], include=["sources", "usage"]))
    assert len(all) == 2 and all[1]["sources"] and all[1]["usage"]["outcome"] == "answered"


def test_one_is_deleted_and_not_found_twice(parley: Parley) -> None:
    id = parley.create_conversation()["conversation_id"]
    parley.delete_conversation(id)
    with client() as direct, pytest.raises(ParleyError) as failed:
        direct.delete_conversation(id)
    assert failed.value.status == 404


def test_an_end_users_name_may_be_in_any_script() -> None:
    name = f"Zoë 李 {uuid4()}"
    with client(external_user_id=name) as parley:
        created = parley.create_conversation()
        assert parley.conversation(created["conversation_id"])["external_user_id"] == name
        assert len(list(parley.conversations())) == 1


def test_lists_have_several_pages() -> None:
    user = f"python/{uuid4()}"
    with client() as parley:
        for _ in range(101):
            parley.create_conversation(external_user_id=user)
        assert len({c["conversation_id"] for c in parley.conversations(external_user_id=user)}) == 101


def test_a_page_gets_what_it_shows_before_the_first_question() -> None:
    with client() as parley:
        chatbot = parley.chatbot()
    assert chatbot["name"] and chatbot["welcome"] and (chatbot["limits"]["message_chars"] or 0) > 0


def test_async_does_the_same() -> None:
    async def all() -> None:
        async with AsyncParley(setting("PARLEY_LOSS_URL"), setting("PARLEY_TOKEN"), external_user_id=f"python/{uuid4()}", pause=0.01) as parley:
            created = await parley.create_conversation(metadata={"order": "4711"})
            id = created["conversation_id"]
            assert (await parley.change_conversation(id, title="Hours"))["title"] == "Hours"
            assert [c["conversation_id"] async for c in parley.conversations()] == [id]
            await parley.delete_conversation(id)
            assert [c async for c in parley.conversations(created_after=datetime.now() - HOUR)] == []

    asyncio.run(all())
