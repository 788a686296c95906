import { DocumentError } from "./errors.js";
import { pages } from "./list.js";
import { events, type Event, type Position } from "./stream.js";
import { type Call, sleep, Transport } from "./transport.js";
import type { AddedDocument, Answer, Chatbot, Conversation, Document, Format, Message, NewConversation, Removal, StoppedAnswer } from "./types.js";

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
  /** What to add to the answer: up to three questions that may follow. */
  include?: "suggestions"[];
  /** With a key of your own you can ask again after a reload: the question is still asked once. */
  idempotencyKey?: string;
}

/** What to stream an answer with. */
export interface StreamOptions extends Omit<AskOptions, "include"> {
  /** What to add to the stream. */
  include?: ("usage" | "sources" | "suggestions")[];
}

/** What to read an answer again with. */
export interface ResumeOptions extends CallOptions {
  format?: Format;
  include?: ("usage" | "sources" | "suggestions")[];
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

/** What to add a page with. */
export interface AddOptions extends CallOptions {
  /** Your own name for the document, unique for the chatbot. The document that has it is replaced. */
  externalId?: string;
}

/** What to add a text with. */
export interface TextOptions extends AddOptions {
  /** One line. Without it the document gets the first heading of the text, or its first words. */
  title?: string;
  /** `pairs` are questions with their answers: CSV with the columns `question` and `answer`, or JSON objects with these names. */
  kind?: "markdown" | "text" | "pairs";
}

/** What to add a file with. */
export interface FileOptions extends AddOptions {
  /** The file's name; a `File` has one. */
  name?: string;
  /** One line. Without it the document gets the title inside the file, or its name. */
  title?: string;
  /** Without it the server detects the type. */
  kind?: "markdown" | "text" | "html" | "pdf" | "docx" | "pptx" | "xlsx" | "csv" | "epub" | "pairs";
}

/** Chooses documents. */
export interface DocumentFilter extends CallOptions {
  externalId?: string;
  state?: "pending" | "fetching" | "extracting" | "indexing" | "ready" | "failed" | "removing";
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
    return this.transport.data(question("/chat", message, options, options.include ? { include: options.include } : {}));
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

  /**
   * Adds a text of up to 5 MiB, or replaces the one with the same `externalId`. Without that, what the chatbot has already is not added again.
   * Questions find a text of up to 256 KiB at once; for others see `waitUntilReady`. The token needs the scope `knowledge:write`.
   */
  addText(content: string, options: TextOptions = {}): Promise<AddedDocument> {
    return this.add(given({ content, title: options.title, kind: options.kind, external_id: options.externalId }), options);
  }

  /** Adds a page of the web, as `addText` does. One that is there already is read again. */
  addPage(url: string, options: AddOptions = {}): Promise<AddedDocument> {
    return this.add(given({ url, external_id: options.externalId }), options);
  }

  /** Adds a file of up to 20 MiB, as `addText` does: Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, CSV, EPUB or pairs. */
  addFile(file: Blob, options: FileOptions = {}): Promise<AddedDocument> {
    const form = new FormData();
    for (const [name, value] of Object.entries(given({ title: options.title, kind: options.kind, external_id: options.externalId }))) form.set(name, value);
    form.set("file", file, options.name ?? (file instanceof File ? file.name : "file"));
    return this.add(form, options);
  }

  private add(body: unknown, options: CallOptions): Promise<AddedDocument> {
    return this.transport.data(post("/knowledge/documents", body, options));
  }

  /** Lists documents, newest first, in pages as they are needed. The token needs the scope `knowledge:read`, as for all that reads documents. */
  documents(filter: DocumentFilter = {}): AsyncGenerator<Document, void, undefined> {
    return pages(this.transport, get("/knowledge/documents", filter, given({ external_id: filter.externalId, state: filter.state })), "documents");
  }

  /** Gets a document by its id. */
  async document(documentId: string, options: CallOptions = {}): Promise<Document> {
    return this.transport.data(get(within("/knowledge/documents/", documentId), options));
  }

  /** Gets a document by the name that you gave it. */
  async documentByExternalId(externalId: string, options: CallOptions = {}): Promise<Document> {
    return this.transport.data(get(within("/knowledge/documents/external/", externalId), options));
  }

  /**
   * Waits until answers use the current content of a document. It fails with a `DocumentError` if the document cannot be read. The server may
   * try for hours to read a page: `AbortSignal.timeout` ends the wait.
   */
  async waitUntilReady(documentId: string, options: CallOptions = {}): Promise<Document> {
    for (let pause = firstLook; ; pause = Math.min(pause * 1.5, lastLook)) {
      const document = await this.document(documentId, options);
      if (document.state === "ready") return document;
      if (document.state === "failed") throw new DocumentError(document);
      await sleep(pause, options.signal);
    }
  }

  /**
   * Removes a document from every answer at once, and returns the receipt. Removing it again returns the same receipt. The token needs the scope
   * `knowledge:write`.
   */
  async removeDocument(documentId: string, options: CallOptions = {}): Promise<Removal> {
    return this.transport.data({ method: "DELETE", path: within("/knowledge/documents/", documentId), signal: options.signal });
  }

  /** Finds a document by the name that you gave it, and removes it. The token needs the scopes `knowledge:read` and `knowledge:write`. */
  async removeDocumentByExternalId(externalId: string, options: CallOptions = {}): Promise<Removal> {
    // By its id it can be removed again when the answer is lost.
    const document = await this.documentByExternalId(externalId, options);
    return this.removeDocument(document.id, options);
  }

  /** Lists the receipts of removed documents, the latest first, in pages as they are needed. */
  removals(options: CallOptions = {}): AsyncGenerator<Removal, void, undefined> {
    return pages(this.transport, get("/knowledge/removals", options), "removals");
  }

  /** Gets the receipt of a removed document. */
  async removal(removalId: string, options: CallOptions = {}): Promise<Removal> {
    return this.transport.data(get(within("/knowledge/removals/", removalId), options));
  }
}

/** How long to wait before a document is looked at again, in milliseconds, and how long at most. */
const firstLook = 250;
const lastLook = 5000;

/** The values that are given. */
function given(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The path of what has a name in a folder. */
function within(folder: string, name: string): string {
  if (["", ".", ".."].includes(name)) throw new RangeError('An id that is empty, "." or ".." cannot be part of an address.');
  return folder + encodeURIComponent(name);
}

function of(conversationId: number): string {
  return `/conversations/${conversationId}`;
}

function question(path: string, message: string, options: Omit<AskOptions, "include">, more: Record<string, unknown> = {}): Call {
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
