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
