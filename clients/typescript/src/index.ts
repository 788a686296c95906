/**
 * Talk with a Parley chatbot from browsers and Node.js.
 *
 * ```ts
 * const parley = new Parley({ baseURL: "https://parley.example.com/api/v1", token });
 * const answer = await parley.ask("When do you open?");
 * ```
 *
 * @packageDocumentation
 */
export {
  Parley,
  type AddOptions,
  type AskOptions,
  type CallOptions,
  type ConversationChange,
  type ConversationFilter,
  type CreateOptions,
  type DocumentFilter,
  type FileOptions,
  type MessagesOptions,
  type Options,
  type ResumeOptions,
  type StreamOptions,
  type TextOptions,
} from "./client.js";
export { DocumentError, ParleyError, type ErrorCode } from "./errors.js";
export { type Event, type RestartedEvent } from "./stream.js";
export type {
  AddedDocument,
  Answer,
  Chatbot,
  Conversation,
  Document,
  Format,
  Message,
  NewConversation,
  Outcome,
  Removal,
  Source,
  StoppedAnswer,
  Usage,
} from "./types.js";
