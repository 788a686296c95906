import type { Call, Transport } from "./transport.js";

/** How many entries of a list one request reads. */
const pageSize = 100;

/** Reads a list page by page. Its entries stand in the answers under a name. */
export async function* pages<T>(transport: Transport, call: Call, name: string): AsyncGenerator<T, void, undefined> {
  const query: Record<string, string> = { ...call.query, limit: String(pageSize) };
  for (;;) {
    const page = await transport.data<Record<string, unknown>>({ ...call, query });
    yield* page[name] as T[];
    if (page["next"] === null || page["next"] === undefined) return;
    query["after"] = String(page["next"]);
  }
}
