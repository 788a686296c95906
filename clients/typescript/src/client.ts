import { events, type Event, type Position } from "./stream.js";
import { type Call, Transport } from "./transport.js";
import type { Answer, Conversation, Format, Message, StoppedAnswer } from "./types.js";

/** What a client is made of. */
export interface Options {
  /** A server's address and `/api/v1`. */
  baseURL: string;
  /** The chatbot's API token. In browsers use a publishable one, `parley_pub_…`. */
  token: string;
  /** Your own name for the user of your system, for all requests. A conversation belongs to the first one that uses it. */
  externalUserId?: string;
  /** How often a request is sent at most. 1 never tries again, and resumes no stream. 4 by default. */
  tries?: number;
  /** The wait before the second try in milliseconds; later ones are longer. 500 by default. */
  pause?: number;
  /** Another `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** What to ask a question with. */
export interface AskOptions {
  /** Continues a conversation; without it a new one begins. */
  conversationId?: number;
  /** `markdown` by default. Pieces of a stream are Markdown in any case. */
  format?: Format;
  /** With a key of your own you can ask again after a reload: the question is still asked once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** What to stream an answer with. */
export interface StreamOptions extends AskOptions {
  /** What to add to the stream. */
  include?: ("usage" | "sources")[];
}

const messagesPage = 100;

/** Talks with one chatbot: the one that its token belongs to. */
export class Parley {
  private readonly transport: Transport;

  constructor(options: Options) {
    const headers: Record<string, string> = { Authorization: `Bearer ${options.token}` };
    if (options.externalUserId) headers["X-External-User-Id"] = options.externalUserId;
    const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.transport = new Transport(options.baseURL.replace(/\/+$/, ""), headers, fetch, Math.max(options.tries ?? 4, 1), options.pause ?? 500);
  }

  /** Asks a question and returns the whole answer. */
  ask(message: string, options: AskOptions = {}): Promise<Answer> {
    return this.transport.data(question("/chat", message, options));
  }

  /**
   * Asks a question and returns its answer while it is written. When the connection breaks, it resumes by itself where it was.
   * An error ends it. Leaving the loop closes the connection; the answer goes on without you: `stop` stops it.
   *
   * ```ts
   * for await (const event of parley.stream("When do you open?")) {
   *   if (event.type === "delta") process.stdout.write(event.content);
   * }
   * ```
   */
  stream(message: string, options: StreamOptions = {}): AsyncGenerator<Event, void, undefined> {
    const include = ["ids", ...(options.include ?? [])];
    const begin = question("/chat/stream", message, options, { include });
    return events(this.transport, begin, (at) => resumed(at, { include, format: options.format, signal: options.signal }));
  }

  /** Returns the events of a conversation's last answer that come after one, during the answer or later; without an id the whole answer. */
  resume(conversationId: number, lastEventId?: string, options: StreamOptions = {}): AsyncGenerator<Event, void, undefined> {
    const at: Position = { conversation: conversationId };
    if (lastEventId) at.last = lastEventId;
    const call = (at: Position & { conversation: number }) => resumed(at, options);
    return events(this.transport, call({ ...at, conversation: conversationId }), call, at);
  }

  /** Stops the answer that is being written in a conversation. */
  stop(conversationId: number): Promise<StoppedAnswer> {
    return this.transport.data(post(`/conversations/${conversationId}/stop`));
  }

  /** Creates a conversation without a question. */
  createConversation(): Promise<Conversation> {
    return this.transport.data(post("/conversations"));
  }

  /** Reads the messages of a conversation, oldest first, in pages as they are needed. */
  async *messages(conversationId: number): AsyncGenerator<Message, void, undefined> {
    for (let after = 0; ; ) {
      const page = await this.transport.data<{ messages: Message[]; has_more?: boolean; next?: number | null }>({
        method: "GET",
        path: `/conversations/${conversationId}/messages`,
        query: { limit: String(messagesPage), after: String(after) },
      });
      yield* page.messages;
      if (!page.has_more || !page.next) return;
      after = page.next;
    }
  }

  /** Stores what an end user thinks of an answer; `null` takes it back. The last rating of an answer stands. */
  async rate(messageId: number, rating: "up" | "down" | null, comment?: string): Promise<void> {
    await this.transport.data(post(`/messages/${messageId}/feedback`, comment === undefined ? { rating } : { rating, comment }));
  }
}

function question(path: string, message: string, options: AskOptions, more: Record<string, unknown> = {}): Call {
  const body: Record<string, unknown> = { message, ...more };
  if (options.conversationId !== undefined) body["conversation_id"] = options.conversationId;
  if (options.format !== undefined) body["format"] = options.format;
  return { ...post(path, body, options.idempotencyKey), signal: options.signal };
}

function post(path: string, body?: unknown, key: string = newKey()): Call {
  return { method: "POST", path, body, headers: { "Idempotency-Key": key } };
}

function resumed(at: Position & { conversation: number }, options: { include?: string[]; format?: Format | undefined; signal?: AbortSignal | undefined }): Call {
  const query: Record<string, string> = {};
  if (options.include) query["include"] = options.include.join(",");
  if (options.format) query["format"] = options.format;
  const call: Call = { method: "GET", path: `/conversations/${at.conversation}/stream`, query, signal: options.signal };
  if (at.last) call.headers = { "Last-Event-ID": at.last };
  return call;
}

/** A key for one question. Pages without TLS have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
