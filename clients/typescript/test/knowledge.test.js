// These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";

import { DocumentError, ParleyError } from "../dist/index.js";
import { client, collect, setting } from "./server.js";

describe("documents", () => {
  const parley = client();
  const externalId = `ts/${randomUUID()}/Öffnung?`;

  test("are created, unchanged and replaced by their external ids", async () => {
    const options = { title: "Opening hours", externalId };
    const first = await parley.addText(`We open at seven. ${externalId}`, options);
    const same = await parley.addText(`We open at seven. ${externalId}`, options);
    const other = await parley.addText(`We open at eight. ${externalId}`, options);
    assert.deepEqual([first.result, same.result, other.result], ["created", "unchanged", "replaced"]);
    assert.equal(other.id, first.id);
    assert.equal((await parley.waitUntilReady(first.id)).state, "ready");
    assert.equal((await parley.documentByExternalId(externalId)).id, first.id);
    const listed = await collect(parley.documents({ externalId, state: "ready" }));
    assert.deepEqual(listed.map((d) => d.id), [first.id]);
  });

  test("may be pages", async () => {
    const added = await parley.addPage(setting("PARLEY_PAGE_URL"), { externalId: `${externalId}page` });
    const ready = await parley.waitUntilReady(added.id);
    assert.equal(ready.url, setting("PARLEY_PAGE_URL"));
    assert.equal(ready.title, "Page /typescript");
  });

  test("that cannot be read say why", async () => {
    const file = new File([`%PDF-1.4\nnothing ${externalId}`], 'Preis"liste.pdf');
    const added = await parley.addFile(file, { externalId: `${externalId}pdf` });
    await assert.rejects(parley.waitUntilReady(added.id), (e) => e instanceof DocumentError && e.document.state === "failed" && e.message === e.document.reason);
  });

  test("are not asked for by names that would make another path", async () => {
    for (const name of ["", ".", ".."]) await assert.rejects(parley.documentByExternalId(name), RangeError);
  });

  test("are not waited for by whoever gives up", async () => {
    const added = await parley.addText(`We never open. ${externalId}`);
    await assert.rejects(parley.waitUntilReady(added.id, { signal: AbortSignal.abort() }), (e) => e.name === "AbortError");
  });

  test("are added and removed once on bad networks", async () => {
    const parley = client("PARLEY_LOSS_URL"); // the first answer to each request is lost
    const externalId = `ts/${randomUUID()}`;
    const added = await parley.addFile(new Blob([`# Hours\nFrom seven. ${externalId}`]), { name: "hours.md", externalId });
    assert.equal((await parley.waitUntilReady(added.id)).title, "Hours");
    assert.equal((await collect(parley.documents({ externalId }))).length, 1);
    const removal = await parley.removeDocumentByExternalId(externalId);
    assert.equal(removal.document_id, added.id);
    assert.equal((await parley.removal(removal.id)).title, "Hours");
    assert.ok((await collect(parley.removals())).some((r) => r.id === removal.id));
    await assert.rejects(parley.documentByExternalId(externalId), (e) => e instanceof ParleyError && e.status === 404);
  });
});
