// The server that these tests run against.
import assert from "node:assert/strict";

import { Parley } from "../dist/index.js";

export function setting(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: these tests need a server. Run \`scripts/with-services.sh go test -run TestClients ./e2e/api\` in the top folder.`);
  return value;
}

export function client(address = "PARLEY_URL", options = {}) {
  return new Parley({ baseURL: setting(address), token: setting("PARLEY_TOKEN"), pause: 10, ...options });
}

// What the chatbot answers.
export const manual = "Hold the button of the router for ten seconds [1].";
export const question = "How do I reset the router?";

// All entries of a list.
export async function collect(entries) {
  const all = [];
  for await (const entry of entries) all.push(entry);
  return all;
}
