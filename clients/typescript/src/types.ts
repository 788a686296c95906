import type { components } from "./schema.js";

type Schemas = components["schemas"];

/** The whole answer to a question. `outcome` `no_answer` says that the chatbot does not know: hand over to a person. */
export type Answer = Schemas["Answer"];
/** A passage that an answer was made from, and cites as `[1]`. */
export type Source = Schemas["Source"];
/** One message of a conversation. */
export type Message = Schemas["Message"];
/** A conversation. */
export type Conversation = Schemas["ListedConversation"];
/** A conversation that was just created. */
export type NewConversation = Schemas["ConversationEnvelope"]["data"];
/** What a page shows before the first question. */
export type Chatbot = Schemas["ChatbotEnvelope"]["data"];
/** The last answer of a conversation that was stopped. */
export type StoppedAnswer = Schemas["StoppedEnvelope"]["data"];
export type Format = Schemas["Format"];
export type Outcome = Schemas["Outcome"];
/** What a streamed answer took. */
export type Usage = Schemas["UsageEvent"]["usage"];
/** An event as the server sends it. */
export type ServerEvent = Schemas["StreamEvent"];
/** Something that a chatbot answers from. `state` `ready` and `failed` are the end. */
export type Document = Schemas["Document"];
/** A document that was added. `result` is `unchanged` too when the client had to send it again because the first answer was lost. */
export type AddedDocument = Schemas["GivenDocumentEnvelope"]["data"];
/** The receipt of a document that was removed. While `confirmed_at` is null, get it again. */
export type Removal = Schemas["Removal"];
