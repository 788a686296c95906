import { pages } from "./list.js";
import { events, type Event, type Position } from "./stream.js";
import { type Call, Transport } from "./transport.js";
import type { Answer, Chatbot, Conversation, Format, Message, NewConversation, StoppedAnswer } from "./types.js";

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

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** What to ask a question with. */
export interface AskOptions extends CallOptions {
  /** Continues a conversation; without it a new one begins. */
  conversationId?: number;
  /** Your own pairs for the conversation that begins: up to 16. */
  metadata?: Record<string, string>;
  /** `markdown` by default. Pieces of a stream are Markdown in any case. */
  format?: Format;
  /** With a key of your own you can ask again after a reload: the question is still asked once. */
  idempotencyKey?: string;
}

/** What to stream an answer with. */
export interface StreamOptions extends AskOptions {
  /** What to add to the stream. */
  include?: ("usage" | "sources")[];
}

/** What to read an answer again with. */
export interface ResumeOptions extends CallOptions {
  format?: Format;
  include?: ("usage" | "sources")[];
}

/** What to create a conversation with. */
export interface CreateOptions extends CallOptions {
  /** Your own name for its end user. */
  externalUserId?: string;
  /** Your own pairs: up to 16, with keys of up to 40 and values of up to 500 characters. */
  metadata?: Record<string, string>;
}

/** Chooses conversations. */
export interface ConversationFilter extends CallOptions {
  /** Those of an end user. */
  externalUserId?: string;
  /** Those that were created after a time. */
  createdAfter?: Date;
  status?: "active";
}

/** What to change in a conversation. What it leaves out stays. */
export interface ConversationChange {
  /** At most 200 characters. */
  title?: string;
  /** Pairs to add or replace; `null` as a value removes a pair, and in place of the pairs all of them. */
  metadata?: Record<string, string | null> | null;
}

/** What to read messages with. */
export interface MessagesOptions extends CallOptions {
  /** What to add to the messages. */
  include?: ("usage" | "sources")[];
}

/** Talks with one chatbot: the one that its token belongs to. */
export class Parley {
  private readonly transport: Transport;

  constructor(options: Options) {
    const headers: Record<string, string> = { Authorization: `Bearer ${options.token}` };
    const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.transport = new Transport(options.baseURL.replace(/\/+$/, ""), headers, options.externalUserId || undefined, fetch, Math.max(options.tries ?? 4, 1), options.pause ?? 500);
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
    return events(this.transport, question("/chat/stream", message, options, { include }));
  }

  /** Returns the events of a conversation's last answer that come after one, during the answer or later; without an id the whole answer. */
  resume(conversationId: number, lastEventId?: string, options: ResumeOptions = {}): AsyncGenerator<Event, void, undefined> {
    const query: Record<string, string> = {};
    if (options.include) query["include"] = options.include.join(",");
    if (options.format) query["format"] = options.format;
    const at: Position = { conversation: conversationId };
    if (lastEventId) at.last = lastEventId;
    return events(this.transport, get(`${of(conversationId)}/stream`, options, query), at);
  }

  /** Stops the answer that is being written in a conversation. */
  stop(conversationId: number, options: CallOptions = {}): Promise<StoppedAnswer> {
    return this.transport.data(post(`${of(conversationId)}/stop`, undefined, options));
  }

  /** Says what a page shows before the first question: the chatbot's name, a greeting, suggestions, and the token's limits. */
  chatbot(options: CallOptions = {}): Promise<Chatbot> {
    return this.transport.data(get("/chatbot", options));
  }

  /** Creates a conversation without a question. */
  createConversation(options: CreateOptions = {}): Promise<NewConversation> {
    const body: Record<string, unknown> = {};
    if (options.externalUserId !== undefined) body["external_user_id"] = options.externalUserId;
    if (options.metadata !== undefined) body["metadata"] = options.metadata;
    return this.transport.data(post("/conversations", body, options));
  }

  /**
   * Lists conversations, newest first, in pages as they are needed. The token needs the scope `conversations:read`, as for all that reads
   * conversations.
   */
  conversations(filter: ConversationFilter = {}): AsyncGenerator<Conversation, void, undefined> {
    const query: Record<string, string> = {};
    if (filter.externalUserId !== undefined) query["external_user_id"] = filter.externalUserId;
    if (filter.createdAfter !== undefined) query["created_after"] = filter.createdAfter.toISOString();
    if (filter.status !== undefined) query["status"] = filter.status;
    return pages(this.transport, get("/conversations", filter, query), "conversations");
  }

  /** Gets a conversation. */
  conversation(conversationId: number, options: CallOptions = {}): Promise<Conversation> {
    return this.transport.data(get(of(conversationId), options));
  }

  /** Changes the title or the metadata of a conversation, and returns it as it is then. The token needs the scope `conversations:write`. */
  changeConversation(conversationId: number, change: ConversationChange, options: CallOptions = {}): Promise<Conversation> {
    return this.transport.data({ method: "PATCH", path: of(conversationId), body: change, signal: options.signal });
  }

  /**
   * Deletes a conversation with its messages and their feedback. While an answer is being written it fails with the reason
   * `conversation_busy`: stop the answer first, or wait. The token needs the scope `conversations:write`.
   */
  async deleteConversation(conversationId: number, options: CallOptions = {}): Promise<void> {
    await this.transport.data({ method: "DELETE", path: of(conversationId), deletes: true, signal: options.signal });
  }

  /** Reads the messages of a conversation, oldest first, in pages as they are needed. */
  messages(conversationId: number, options: MessagesOptions = {}): AsyncGenerator<Message, void, undefined> {
    const query: Record<string, string> = {};
    if (options.include) query["include"] = options.include.join(",");
    return pages(this.transport, get(`${of(conversationId)}/messages`, options, query), "messages");
  }

  /** Stores what an end user thinks of an answer; `null` takes it back. The last rating of an answer stands. */
  async rate(messageId: number, rating: "up" | "down" | null, comment?: string, options: CallOptions = {}): Promise<void> {
    await this.transport.data(post(`/messages/${messageId}/feedback`, comment === undefined ? { rating } : { rating, comment }, options));
  }
}

function of(conversationId: number): string {
  return `/conversations/${conversationId}`;
}

function question(path: string, message: string, options: AskOptions, more: Record<string, unknown> = {}): Call {
  const body: Record<string, unknown> = { message, ...more };
  if (options.conversationId !== undefined) body["conversation_id"] = options.conversationId;
  if (options.metadata !== undefined) body["metadata"] = options.metadata;
  if (options.format !== undefined) body["format"] = options.format;
  return post(path, body, options, options.idempotencyKey);
}

function get(path: string, options: CallOptions, query: Record<string, string> = {}): Call {
  return { method: "GET", path, query, signal: options.signal };
}

function post(path: string, body: unknown, options: CallOptions, key: string = newKey()): Call {
  return { method: "POST", path, body, headers: { "Idempotency-Key": key }, signal: options.signal };
}

/** A key for one question. Pages without TLS have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
