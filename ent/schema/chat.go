package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Conversation is an exchange of messages between a caller and a chatbot.
type Conversation struct{ ent.Schema }

// Mixin of the Conversation.
func (Conversation) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Conversation.
func (Conversation) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("external_user_id").MaxLen(255 * utf8Max).Default(""),
		field.String("status").MaxLen(20),
		// title is the beginning of the first question.
		field.String("title").MaxLen(200 * utf8Max).Default(""),
		// origin says where it was begun: "api" or "playground".
		field.String("origin").MaxLen(20).Default("api").Immutable(),
		// begun_by is the API token, or the member in the playground, who began it.
		field.String("begun_by").MaxLen(idLen).Default("").Immutable(),
		// metadata is JSON: up to 16 pairs that the caller keeps with it.
		longText("metadata"),
		created(),
	}
}

// Edges of the Conversation.
func (Conversation) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "conversations_chatbots_conversations"),
	}
}

// Indexes of the Conversation.
func (Conversation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "external_user_id"),
		// for pages of a chatbot's conversations, newest first
		index.Fields("chatbot_id", "id"),
		// for deleting old conversations
		index.Fields("workspace_id", "created_at"),
	}
}

// Message is one message of a conversation. An assistant's message is a row
// before anything of it is generated.
type Message struct{ ent.Schema }

// Mixin of the Message.
func (Message) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Message.
func (Message) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.Int64("conversation_id").Immutable(),
		field.String("role").MaxLen(20).Immutable(),
		longText("content"),
		field.String("status").MaxLen(20),
		field.Time("lease_until").Optional().Nillable(),
		// attempt counts how often an answer was begun. A process that was taken
		// for dead and still writes, writes for an earlier attempt.
		field.Int("attempt").Default(1),
		// stopping says that somebody has asked for the answer to be stopped.
		field.Bool("stopping").Default(false),
		// delivery is how the caller asked for a stream that can be resumed: see
		// turn.Delivery.
		field.String("delivery").MaxLen(100).Default(""),
		// query is what was searched for, where it differs from the question.
		longText("query"),
		// outcome says what became of an answer that has ended: see chat.Outcome.
		field.String("outcome").MaxLen(20).Default(""),
		// finish_reason is why the model ended an answer: see answer.FinishReason.
		field.String("finish_reason").MaxLen(20).Default(""),
		// sources are JSON: the passages that the answer was made from, as they
		// were then.
		longText("sources"),
		// document_ids are the documents of those passages, each between spaces,
		// so that one can be searched for.
		longText("document_ids"),
		created(),
	}
}

// Edges of the Message.
func (Message) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("conversation", Conversation.Type, "messages_conversations_messages"),
	}
}

// Indexes of the Message. The partial index admits one answer being generated
// in a conversation, whichever process generates it.
func (Message) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("conversation_id", "id"),
		index.Fields("id").StorageKey("message_stopping").Annotations(entsql.IndexWhere("stopping")),
		index.Fields("conversation_id").Unique().StorageKey("message_one_generating").
			Annotations(entsql.IndexWhere("status = 'generating'")),
	}
}

// IdempotencyKey ties a request that must be executed once to what it began.
// It is deleted with its conversation.
type IdempotencyKey struct{ ent.Schema }

// Mixin of the IdempotencyKey.
func (IdempotencyKey) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the IdempotencyKey.
func (IdempotencyKey) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("token_id").MaxLen(idLen).Immutable(),
		field.String("route").MaxLen(200).Immutable(),
		field.String("key").MaxLen(255 * utf8Max).Immutable(),
		// body_hash is the SHA-256 of the request's body and end user, in hex.
		field.String("body_hash").MaxLen(64).Immutable(),
		field.Int64("conversation_id").Immutable(),
		// message_id is that of the answer, or zero where there is none.
		field.Int64("message_id").Default(0).Immutable(),
		created(),
	}
}

// Edges of the IdempotencyKey.
func (IdempotencyKey) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("conversation", Conversation.Type, "idempotency_keys_conversations_idempotency_keys"),
	}
}

// Indexes of the IdempotencyKey.
func (IdempotencyKey) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("token_id", "route", "key").Unique(),
		index.Fields("conversation_id"),
		index.Fields("created_at"),
	}
}

// UsageRecord says what one attempt at an answer cost. It outlives the message
// and the chatbot, and so has no edge to them. It has none to the workspace,
// either: on PostgreSQL all answers that end at the same time would lock its one
// row. The transaction that deletes the workspace deletes them.
type UsageRecord struct{ ent.Schema }

// Mixin of the UsageRecord.
func (UsageRecord) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the UsageRecord.
func (UsageRecord) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.Int64("message_id").Immutable(),
		field.Int("attempt").Immutable(),
		field.String("status").MaxLen(20).Immutable(),
		field.String("model").MaxLen(200).Default("").Immutable(),
		field.Int("prompt_tokens").Default(0).Immutable(),
		field.Int("completion_tokens").Default(0).Immutable(),
		// estimated says that Parley counted the tokens itself.
		field.Bool("estimated").Default(false).Immutable(),
		// first_token_ms is zero when there was no token.
		field.Int("first_token_ms").Default(0).Immutable(),
		field.Int("total_ms").Default(0).Immutable(),
		field.Int("passages").Default(0).Immutable(),
		// refuted counts citations that were taken out of the answer.
		field.Int("refuted").Default(0).Immutable(),
		// rerank_tokens are those of prompt_tokens and completion_tokens that went into
		// the order of the passages.
		field.Int("rerank_tokens").Default(0).Immutable(),
		// conversation_id is zero in rows from before it was stored.
		field.Int64("conversation_id").Default(0).Immutable(),
		// opens says that the question was the first of its conversation.
		field.Bool("opens").Default(false).Immutable(),
		// origin is the conversation's, and outcome the answer's.
		field.String("origin").MaxLen(20).Default("api").Immutable(),
		field.String("outcome").MaxLen(20).Default("").Immutable(),
		field.String("finish_reason").MaxLen(20).Default("").Immutable(),
		// counted says that the analytics have it: see package insight.
		field.Bool("counted").Default(false),
		created(),
	}
}

// Indexes of the UsageRecord. Their names are from when the table had another one.
func (UsageRecord) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id", "created_at").StorageKey("receipt_workspace_id_created_at"),
		index.Fields("message_id", "attempt").Unique().StorageKey("receipt_message_id_attempt"),
		// Not over all rows: nearly all answers are given, and each end of an
		// answer would pay for it.
		index.Fields("chatbot_id", "outcome", "conversation_id").StorageKey("receipt_not_answered").
			Annotations(entsql.IndexWhere("outcome <> 'answered'")),
		index.Fields("id").StorageKey("receipt_to_count").Annotations(entsql.IndexWhere("NOT counted")),
	}
}

// CachedAnswer is an answer kept for the next time the same question is asked.
type CachedAnswer struct{ ent.Schema }

// Mixin of the CachedAnswer.
func (CachedAnswer) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the CachedAnswer.
func (CachedAnswer) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		// key is the SHA-256, in hex, of the question and everything else that the
		// answer depends on.
		field.String("key").MaxLen(64).Immutable(),
		longText("text"),
		longText("sources"),
		created(),
	}
}

// Edges of the CachedAnswer.
func (CachedAnswer) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "cached_answers_chatbots_cached_answers"),
	}
}

// Indexes of the CachedAnswer.
func (CachedAnswer) Indexes() []ent.Index {
	return []ent.Index{index.Fields("chatbot_id", "key").Unique(), index.Fields("created_at")}
}
