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
  type AskOptions,
  type CallOptions,
  type ConversationChange,
  type ConversationFilter,
  type CreateOptions,
  type MessagesOptions,
  type Options,
  type ResumeOptions,
  type StreamOptions,
} from "./client.js";
export { ParleyError, type ErrorCode } from "./errors.js";
export { type Event, type RestartedEvent } from "./stream.js";
export type { Answer, Chatbot, Conversation, Format, Message, NewConversation, Outcome, Source, StoppedAnswer, Usage } from "./types.js";
