import { ParleyError, type ErrorCode } from "./errors.js";
import { type Call, cause, Cut, mayRetry, type Transport } from "./transport.js";
import type { ServerEvent } from "./types.js";

/** Says that the answer failed and begins again: drop the pieces so far. This client makes it. */
export interface RestartedEvent {
  type: "restarted";
  conversation_id: number;
}

/** A part of a streamed answer. `id` names it for `resume`. */
export type Event = (Exclude<ServerEvent, { type: "error" }> | RestartedEvent) & { id: string };

/** The longest silence before a stream counts as broken, in milliseconds. The server sends something every ten seconds. */
const maxSilence = 45_000;

/** Where a reader is in an answer. */
export interface Position {
  conversation?: number;
  last?: string;
}

/**
 * Reads an answer to its end, over as many connections as it takes. Each sends the same call, after the first with the id of the last event: a
 * question is asked once.
 */
export async function* events(transport: Transport, call: Call, at: Position = {}): AsyncGenerator<Event, void, undefined> {
  for (let tried = 0; ; ) {
    try {
      const response = await transport.send(at.last ? { ...call, headers: { ...call.headers, "Last-Event-ID": at.last } } : call);
      for await (const event of parse(response)) {
        if (event.type === "conversation") at.conversation = event.conversation_id;
        at.last = event.id;
        tried = 0;
        yield event;
      }
      return;
    } catch (error) {
      if (error instanceof ParleyError && error.reason === "answer_restarted" && at.last && at.conversation !== undefined) {
        delete at.last;
        yield { type: "restarted", conversation_id: at.conversation, id: "" };
        continue;
      }
      if (++tried >= transport.tries || !mayRetry(error, call.signal)) throw cause(error);
      await transport.wait(tried, error, call.signal);
    }
  }
}

/** Reads the events of one connection. It throws a Cut if that ends before the answer. */
async function* parse(response: Response): AsyncGenerator<Event, void, undefined> {
  let id = "";
  for await (const line of lines(response)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") id = value;
    if (name !== "data") continue;
    if (value === "[DONE]") return;
    const event = JSON.parse(value) as ServerEvent;
    if (event.type === "error") {
      throw new ParleyError(event.error_message, { code: event.error as ErrorCode, reason: event.error_code });
    }
    yield { ...event, id };
  }
  throw new Cut("The stream ended before the answer did.");
}

async function* lines(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) throw new Cut("The stream has no body.");
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await inTime(reader);
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) yield line.replace(/\r$/, "");
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Reads a chunk; a broken or silent connection is a Cut. */
async function inTime(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      reader.read(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("The stream is silent.")), maxSilence);
      }),
    ]);
  } catch (error) {
    throw new Cut("The connection broke.", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
