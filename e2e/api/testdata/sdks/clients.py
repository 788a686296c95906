"""Talks with Parley through OpenAI's library for Python and through LangChain.

Each line of the input is a request of the test, as JSON, and gets one line of output.
The first argument is the base URL, and the second the token.
"""

import asyncio
import json
import sys
import traceback

import openai

BASE, TOKEN = sys.argv[1:3]
client = openai.OpenAI(base_url=BASE, api_key=TOKEN, max_retries=0)
QUESTION = [{"role": "user", "content": "When does the bakery open?"}]


def completion(answer):
    choice = answer.choices[0]
    cited = [a.url_citation for a in choice.message.annotations or []]
    return {
        "text": choice.message.content,
        "finish": choice.finish_reason,
        "cited": [choice.message.content[c.start_index : c.end_index] + " " + c.title for c in cited],
        "urls": [c.url for c in cited],
        "usage": answer.usage.total_tokens if answer.usage else 0,
        "model": answer.model,
    }


def response(answer):
    text = answer.output[0].content[0]
    cited = text.annotations
    return {
        "text": answer.output_text,
        "finish": answer.status,
        "cited": [text.text[c.start_index : c.end_index] + " " + c.title for c in cited if c.type == "url_citation"],
        "urls": [c.url for c in cited],
        "usage": answer.usage.total_tokens,
        "model": answer.model,
        "conversation": answer.metadata["conversation_id"],
    }


def whole(_):
    return completion(client.chat.completions.create(model="chatbot", messages=QUESTION))


def streamed(_):
    events = []
    with client.chat.completions.stream(model="chatbot", messages=QUESTION, stream_options={"include_usage": True}) as stream:
        for event in stream:
            events.append(event.type)
        return completion(stream.get_final_completion()) | {"events": events}


def whole_response(_):
    return response(client.responses.create(model="chatbot", input="When does the bakery open?"))


def streamed_response(_):
    events = []
    with client.responses.stream(model="chatbot", input="When does the bakery open?") as stream:
        for event in stream:
            events.append(event.type)
        return response(stream.get_final_response()) | {"events": events}


def followed(_):
    first = client.responses.create(model="chatbot", input="When does the bakery open?")
    second = client.responses.create(model="chatbot", input="And on Sunday?", previous_response_id=first.id)
    return {"same": first.metadata["conversation_id"] == second.metadata["conversation_id"], "previous": second.previous_response_id == first.id}


def raw(_):
    """What programs do that use no helper."""
    text = ""
    for chunk in client.chat.completions.create(model="chatbot", messages=QUESTION, stream=True):
        text += chunk.choices[0].delta.content or ""
    return {"text": text}


def canceled(_):
    stream = client.chat.completions.create(model="chatbot", messages=QUESTION, stream=True)
    for chunk in stream:
        if chunk.choices[0].delta.content:
            break
    stream.close()
    return {"text": chunk.choices[0].delta.content}


def canceled_response(_):
    async def ask():
        async with openai.AsyncOpenAI(base_url=BASE, api_key=TOKEN, max_retries=0) as asking:
            async with asking.responses.stream(model="chatbot", input="When does the bakery open?") as stream:
                async for event in stream:
                    if event.type == "response.output_text.delta":
                        return event.delta

    return {"text": asyncio.run(ask())}


def thrown(call):
    try:
        call()
    except openai.APIError as error:
        return f"{type(error).__name__} {getattr(error, 'status_code', '')} {error.code} {error.param}"
    return "nothing"


def errors(_):
    ask = client.chat.completions.create
    stranger = openai.OpenAI(base_url=BASE, api_key="parley_wrong", max_retries=0)
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]}]
    return {
        "thrown": [
            thrown(lambda: stranger.chat.completions.create(model="chatbot", messages=QUESTION)),
            thrown(lambda: ask(model="gpt-5", messages=QUESTION)),
            thrown(lambda: ask(model="chatbot", messages=QUESTION, metadata={"conversation_id": "4711"})),
            thrown(lambda: client.responses.create(model="chatbot", input="Hi", previous_response_id="resp_1_2")),
            thrown(lambda: ask(model="chatbot", messages=image)),
            thrown(lambda: client.models.retrieve("gpt-5")),
        ]
    }


def limited(request):
    hurried = openai.OpenAI(base_url=BASE, api_key=request["token"], max_retries=0)
    return {"thrown": [thrown(hurried.models.list), thrown(hurried.models.list)]}


def used_up(request):
    patient = openai.OpenAI(base_url=BASE, api_key=request["token"])  # tries again by itself
    return {"thrown": [thrown(lambda: patient.chat.completions.create(model="chatbot", messages=QUESTION))]}


def broken(_):
    def read():
        for _ in client.chat.completions.create(model="chatbot", messages=QUESTION, stream=True):
            pass

    return {"thrown": [thrown(read)]}


def broken_response(_):
    def read():
        for _ in client.responses.create(model="chatbot", input="When does the bakery open?", stream=True):
            pass

    return {"thrown": [thrown(read)]}


def models(_):
    return {"models": [m.id for m in client.models.list()], "model": client.models.retrieve("baker's chatbot").id}


def langchain(_):
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI

    chatbot = ChatOpenAI(model="chatbot", base_url=BASE, api_key=TOKEN, max_retries=0, stream_usage=True)
    said = [SystemMessage("The customer is called Ada."), HumanMessage("Is it open?"), AIMessage("It is closed."), HumanMessage("When does the bakery open?")]
    answer = chatbot.invoke(said)
    pieces = None
    for piece in chatbot.stream(said):
        pieces = piece if pieces is None else pieces + piece
    responding = ChatOpenAI(model="chatbot", base_url=BASE, api_key=TOKEN, max_retries=0, use_responses_api=True, output_version="responses/v1")
    responded = responding.invoke(said)
    streamed = None
    for piece in responding.stream(said):
        streamed = piece if streamed is None else streamed + piece
    stranger = ChatOpenAI(model="chatbot", base_url=BASE, api_key="parley_wrong", max_retries=0)
    return {
        "text": answer.content,
        "finish": answer.response_metadata["finish_reason"],
        "usage": answer.usage_metadata["total_tokens"],
        "texts": [pieces.content, responded.text, streamed.text],
        "usages": [pieces.usage_metadata["total_tokens"], responded.usage_metadata["total_tokens"], streamed.usage_metadata["total_tokens"]],
        "cited": [a["type"] + " " + a["title"] for m in (responded, streamed) for block in m.content for a in block.get("annotations", [])],
        "thrown": [thrown(lambda: stranger.invoke("Hi"))],
    }


for line in sys.stdin:
    request = json.loads(line)
    try:
        result = globals()[request["do"]](request)
    except Exception:
        result = {"failed": traceback.format_exc()}
    print(json.dumps(result), flush=True)
