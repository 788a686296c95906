package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
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
		created(),
	}
}

// Edges of the Conversation.
func (Conversation) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("chatbot", Chatbot.Type).Ref("conversations").Field("chatbot_id").Unique().Required().Immutable(),
		edge.To("messages", Message.Type).Annotations(cascade),
	}
}

// Indexes of the Conversation.
func (Conversation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "external_user_id"),
		// for those that are old enough to be deleted
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
		field.String("model").MaxLen(200).Default(""),
		field.Int("prompt_tokens").Default(0),
		field.Int("completion_tokens").Default(0),
		field.Bool("usage_estimated").Default(false),
		field.Time("lease_until").Optional().Nillable(),
		// document_ids are those whose passages the answer was given, each
		// between spaces, so that one can be looked for.
		longText("document_ids"),
		created(),
	}
}

// Edges of the Message.
func (Message) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("conversation", Conversation.Type).Ref("messages").Field("conversation_id").Unique().Required().Immutable(),
	}
}

// Indexes of the Message. The partial index admits one answer being generated
// in a conversation, whichever process generates it.
func (Message) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("conversation_id", "id"),
		index.Fields("conversation_id").Unique().StorageKey("message_one_generating").
			Annotations(entsql.IndexWhere("status = 'generating'")),
	}
}
