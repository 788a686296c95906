"""These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from parley_client import AsyncParley, Event, ParleyError

from server import MANUAL, ORDER, QUESTION, client, setting

def whole(events: Iterator[Event]) -> tuple[str, list[str], list[Event]]:
    text, kinds, all = "", [], []
    for event in events:
        if event["type"] == "waiting":
            continue
        all.append(event)
        if not kinds or kinds[-1] != event["type"]:
            kinds.append(event["type"])
        if event["type"] == "delta":
            text += event["content"]
        if event["type"] == "restarted":
            text = ""
    return text, kinds, all


def test_a_question_is_answered_and_the_conversation_goes_on() -> None:
    with client() as parley:
        answer = parley.ask(QUESTION)
        assert answer["message"] == MANUAL and answer["outcome"] == "answered" and answer["sources"]
        then = parley.ask("And then?", conversation_id=answer["conversation_id"], format="html")
        assert then["conversation_id"] == answer["conversation_id"] and then["message"].startswith("<p>")
        assert [m["role"] for m in parley.messages(answer["conversation_id"])] == ["user", "assistant"] * 2
        parley.rate(answer["message_id"], "up", "Thanks.")
        parley.rate(answer["message_id"], None)


def test_a_question_is_asked_once_however_often_a_busy_server_is_asked() -> None:
    with client("PARLEY_BUSY_URL") as parley:
        answer = parley.ask(QUESTION)
        assert len(list(parley.messages(answer["conversation_id"]))) == 2
    with client("PARLEY_BUSY_URL", tries=1) as parley, pytest.raises(ParleyError) as failed:
        parley.ask(QUESTION)
    assert failed.value.code == 8


@pytest.mark.parametrize(
    ("options", "arguments", "status", "code"),
    [
        ({"token": "parley_wrong"}, {"message": QUESTION}, 401, 1),
        ({}, {"message": "?", "conversation_id": 1}, 404, 3),
        ({}, {"message": "Please fail."}, 500, 5),
    ],
)
def test_a_failure_of_the_server_has_its_code_name_sentence_and_request(
    options: dict[str, Any], arguments: dict[str, Any], status: int, code: int
) -> None:
    with client(**options) as parley, pytest.raises(ParleyError) as failed:
        parley.ask(**arguments)
    error = failed.value
    assert (error.status, error.code) == (status, code) and error.reason and error.message and error.request_id


def test_a_failure_at_the_beginning_of_a_stream() -> None:
    with client() as parley, pytest.raises(ParleyError) as failed:
        whole(parley.stream("?", conversation_id=1))
    assert failed.value.status == 404


def test_a_failure_of_the_network_is_that_of_httpx() -> None:
    with client("PARLEY_GONE_URL", tries=2) as parley, pytest.raises(httpx.ConnectError):
        parley.ask(QUESTION)


def test_pieces_make_the_whole() -> None:
    with client() as parley:
        text, kinds, all = whole(parley.stream(QUESTION, include=["usage", "sources"]))
    assert text == MANUAL and kinds == ORDER and all[-1]["usage"]["outcome"] == "answered"


def test_the_whole_answer_in_another_format_comes_last() -> None:
    with client() as parley:
        _, _, all = whole(parley.stream(QUESTION, format="plain_text"))
    assert all[-1]["type"] == "formatted" and all[-1]["content"] == MANUAL


def test_a_stream_that_is_cut_again_and_again_is_resumed_with_the_scope_chat_alone_without_a_piece_twice() -> None:
    with client("PARLEY_CUT_URL", token=setting("PARLEY_CHAT_TOKEN")) as parley:
        text, kinds, _ = whole(parley.stream(QUESTION, include=["usage", "sources"]))
    assert text == MANUAL and kinds == ORDER


def test_a_stream_is_read_again_left_and_stopped_from_elsewhere() -> None:
    with client() as parley:
        answer = parley.ask(QUESTION)
        assert whole(parley.resume(answer["conversation_id"]))[0] == MANUAL
        for event in parley.stream(QUESTION):
            if event["type"] == "delta":
                break
        conversation, stopped, outcome = 0, None, None
        for event in parley.stream("Talk slowly.", include=["usage"]):
            if event["type"] == "conversation":
                conversation = event["conversation_id"]
            if event["type"] == "delta" and stopped is None:
                stopped = parley.stop(conversation)
            if event["type"] == "usage":
                outcome = event["usage"]["outcome"]
        assert stopped is not None and stopped["status"] == "stopped" and outcome == "stopped"


def test_async_does_the_same() -> None:
    async def text_of(events: AsyncIterator[Event]) -> str:
        return "".join([event["content"] async for event in events if event["type"] == "delta"])

    async def all() -> None:
        async with AsyncParley(setting("PARLEY_URL"), setting("PARLEY_TOKEN"), pause=0.01) as parley:
            answer, text = await asyncio.gather(parley.ask(QUESTION), text_of(parley.stream(QUESTION)))
            assert answer["message"] == MANUAL and text == MANUAL
            assert [m["role"] async for m in parley.messages(answer["conversation_id"])] == ["user", "assistant"]
            with pytest.raises(ParleyError):
                await parley.ask("?", conversation_id=1)
        async with AsyncParley(setting("PARLEY_CUT_URL"), setting("PARLEY_TOKEN"), pause=0.01) as parley:
            assert await text_of(parley.stream(QUESTION)) == MANUAL

    asyncio.run(all())
