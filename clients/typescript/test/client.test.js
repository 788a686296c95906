// These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { ParleyError } from "../dist/index.js";
import { client, manual, question, setting } from "./server.js";

async function whole(stream) {
  let text = "";
  const all = [];
  for await (const event of stream) {
    if (event.type === "waiting") continue;
    all.push(event);
    if (event.type === "delta") text += event.content;
    if (event.type === "restarted") text = "";
  }
  return { text, all, types: all.map((e) => e.type).filter((type, i, types) => type !== types[i - 1]) };
}

describe("a question", () => {
  test("is answered, and the conversation goes on", async () => {
    const parley = client();
    const answer = await parley.ask(question);
    assert.equal(answer.message, manual);
    assert.equal(answer.outcome, "answered");
    assert.ok(answer.sources.length > 0);
    const next = await parley.ask("And then?", { conversationId: answer.conversation_id, format: "html" });
    assert.equal(next.conversation_id, answer.conversation_id);
    assert.match(next.message, /^<p>/);
    const roles = [];
    for await (const m of parley.messages(answer.conversation_id)) roles.push(m.role);
    assert.deepEqual(roles, ["user", "assistant", "user", "assistant"]);
    await parley.rate(answer.message_id, "up", "Thanks.");
    await parley.rate(answer.message_id, null);
  });

  test("is asked once, however often a busy server is asked", async () => {
    const parley = client("PARLEY_BUSY_URL");
    const answer = await parley.ask(question);
    const messages = [];
    for await (const m of parley.messages(answer.conversation_id)) messages.push(m);
    assert.equal(messages.length, 2);
    await assert.rejects(client("PARLEY_BUSY_URL", { tries: 1 }).ask(question), (e) => e instanceof ParleyError && e.code === 8);
  });
});

describe("a failure", () => {
  test("of the server has its code, name, sentence and request", async () => {
    await assert.rejects(client("PARLEY_URL", { token: "parley_wrong" }).ask(question), (e) => {
      return e instanceof ParleyError && e.status === 401 && e.code === 1 && e.reason !== "" && e.message !== "" && e.requestId !== "";
    });
    await assert.rejects(client().ask("?", { conversationId: 1 }), (e) => e instanceof ParleyError && e.status === 404 && e.code === 3);
    await assert.rejects(whole(client().stream("?", { conversationId: 1 })), (e) => e instanceof ParleyError && e.status === 404);
    await assert.rejects(client().ask("Please fail."), (e) => e instanceof ParleyError && e.code === 5);
  });

  test("of the network is what fetch throws", async () => {
    await assert.rejects(client("PARLEY_GONE_URL", { tries: 2 }).ask(question), (e) => e instanceof TypeError);
    await assert.rejects(client("PARLEY_GONE_URL").ask(question, { signal: AbortSignal.abort() }), (e) => e.name === "AbortError");
  });
});

describe("a stream", () => {
  const order = ["conversation", "delta", "sources", "usage"];

  test("has pieces that make the whole", async () => {
    const { text, types, all } = await whole(client().stream(question, { include: ["usage", "sources"] }));
    assert.equal(text, manual);
    assert.deepEqual(types, order);
    assert.equal(all.at(-1).usage.outcome, "answered");
  });

  test("ends with the whole answer in another format", async () => {
    const { all } = await whole(client().stream(question, { format: "plain_text" }));
    assert.equal(all.at(-1).type, "formatted");
    assert.equal(all.at(-1).content, manual);
  });

  test("that is cut again and again is resumed with the scope chat alone, without a piece twice", async () => {
    const { text, types } = await whole(client("PARLEY_CUT_URL", { token: setting("PARLEY_CHAT_TOKEN") }).stream(question, { include: ["usage", "sources"] }));
    assert.equal(text, manual);
    assert.deepEqual(types, order);
  });

  test("can be read again", async () => {
    const parley = client();
    const answer = await parley.ask(question);
    assert.equal((await whole(parley.resume(answer.conversation_id))).text, manual);
  });

  test("can be left, and stopped from elsewhere", async () => {
    const parley = client();
    for await (const event of parley.stream(question)) {
      if (event.type === "delta") break;
    }
    let conversation = 0;
    let stopped;
    let outcome;
    for await (const event of parley.stream("Talk slowly.", { include: ["usage"] })) {
      if (event.type === "conversation") conversation = event.conversation_id;
      if (event.type === "delta") stopped ??= await parley.stop(conversation);
      if (event.type === "usage") outcome = event.usage.outcome;
    }
    assert.equal(stopped.status, "stopped");
    assert.equal(outcome, "stopped");
  });

  test("of a conversation that was created before", async () => {
    const parley = client();
    const created = await parley.createConversation();
    assert.equal((await parley.stop(created.conversation_id)).message_id, null);
    assert.equal((await whole(parley.stream(question, { conversationId: created.conversation_id }))).text, manual);
  });
});
