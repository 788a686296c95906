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
export { Parley, type AskOptions, type Options, type StreamOptions } from "./client.js";
export { ParleyError, type ErrorCode } from "./errors.js";
export { type Event, type RestartedEvent } from "./stream.js";
export type { Answer, Conversation, Format, Message, Outcome, Source, StoppedAnswer, Usage } from "./types.js";
