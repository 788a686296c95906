// These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";

import { ParleyError } from "../dist/index.js";
import { client, collect, question } from "./server.js";

const hour = 3_600_000;

// The first answer to each request is lost.
describe("conversations", () => {
  const parley = client("PARLEY_LOSS_URL");
  const externalUserId = `ts/${randomUUID()}`;
  let created;
  let asked;
  before(async () => {
    created = await parley.createConversation({ externalUserId, metadata: { order: "4711", old: "x" } });
    asked = await client("PARLEY_LOSS_URL", { externalUserId }).ask(question, { metadata: { page: "help" } });
  });

  test("without a question have no answer to stop", async () => {
    assert.equal((await parley.stop(created.conversation_id)).message_id, null);
    assert.deepEqual(created.metadata, { order: "4711", old: "x" });
  });

  test("of an end user are listed, newest first", async () => {
    const all = await collect(parley.conversations({ externalUserId, status: "active", createdAfter: new Date(Date.now() - hour) }));
    assert.deepEqual(all.map((c) => c.conversation_id), [asked.conversation_id, created.conversation_id]);
    assert.equal(all[0].title, question);
    assert.equal(all[0].external_user_id, externalUserId);
    assert.deepEqual(all[0].metadata, { page: "help" });
    assert.deepEqual(await collect(parley.conversations({ externalUserId, createdAfter: new Date(Date.now() + hour) })), []);
  });

  test("get titles and other metadata", async () => {
    const id = created.conversation_id;
    await parley.changeConversation(id, { title: "Opening hours", metadata: { order: "4712", old: null } });
    const changed = await parley.conversation(id);
    assert.equal(changed.title, "Opening hours");
    assert.deepEqual(changed.metadata, { order: "4712" });
    const cleared = await parley.changeConversation(id, { metadata: null });
    assert.equal(cleared.title, "Opening hours");
    assert.deepEqual(cleared.metadata, {});
  });

  test("have messages with sources and usage", async () => {
    const all = await collect(parley.messages(asked.conversation_id, { include: ["sources", "usage"] }));
    assert.equal(all.length, 2);
    assert.ok(all[1].sources.length > 0);
    assert.equal(all[1].usage.outcome, "answered");
  });

  test("are deleted, and not found twice", async () => {
    await parley.deleteConversation(created.conversation_id);
    await assert.rejects(client().deleteConversation(created.conversation_id), (e) => e instanceof ParleyError && e.status === 404);
  });

  test("belong to end users whose names may be in any script", async () => {
    const externalUserId = `Zoë 李 ${randomUUID()}`;
    const mine = client("PARLEY_URL", { externalUserId });
    const created = await mine.createConversation();
    assert.equal((await mine.conversation(created.conversation_id)).external_user_id, externalUserId);
    assert.equal((await collect(mine.conversations())).length, 1);
  });

  test("are listed over several pages", async () => {
    const externalUserId = `ts/${randomUUID()}`;
    for (let i = 0; i < 101; i++) await client().createConversation({ externalUserId });
    const ids = new Set((await collect(client().conversations({ externalUserId }))).map((c) => c.conversation_id));
    assert.equal(ids.size, 101);
  });

  test("are not waited for by whoever gives up", async () => {
    await assert.rejects(collect(parley.conversations({ signal: AbortSignal.abort() })), (e) => e.name === "AbortError");
  });
});

test("a page gets what it shows before the first question", async () => {
  const chatbot = await client().chatbot();
  assert.ok(chatbot.name && chatbot.welcome && chatbot.limits.message_chars > 0);
});
