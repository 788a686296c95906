// Gives files to a chatbot, or those that have changed since, and waits until answers use them:
//
//   PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… node example/sync.mjs help/*.md
//
// The token needs the scopes knowledge:read and knowledge:write.
import { readFile } from "node:fs/promises";

import { Parley } from "@parley/client";

const parley = new Parley({ baseURL: process.env.PARLEY_URL, token: process.env.PARLEY_TOKEN });
for (const path of process.argv.slice(2)) {
  const document = await parley.addFile(new Blob([await readFile(path)]), { name: path, externalId: path });
  await parley.waitUntilReady(document.id);
  console.log(document.result, path);
}
