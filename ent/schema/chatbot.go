package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Chatbot answers from the documents of its knowledge.
type Chatbot struct{ ent.Schema }

// Mixin of the Chatbot.
func (Chatbot) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Chatbot.
func (Chatbot) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("name").MaxLen(100 * utf8Max),
		longText("instructions"),
		longText("no_answer"),
		field.JSON("image_hosts", []string{}),
		// The sizes of passages in tokens; zero means the default.
		field.Int("passage_aim").Default(0),
		field.Int("passage_limit").Default(0),
		field.Bool("answer_without_knowledge").Default(false),
		kept(), overLimit(),
		created(),
	}
}

// Edges of the Chatbot.
func (Chatbot) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("chatbots").Field("workspace_id").Unique().Required().Immutable(),
		edge.To("tokens", Token.Type).Annotations(cascade),
		edge.To("conversations", Conversation.Type).Annotations(cascade),
		edge.To("sources", Source.Type).Annotations(cascade),
		edge.To("documents", Document.Type).Annotations(cascade),
		edge.To("removals", Removal.Type).Annotations(cascade),
	}
}

// Indexes of the Chatbot.
func (Chatbot) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "created_at")}
}

// Token is an API token of one chatbot. Only the hash of its secret is kept.
type Token struct{ ent.Schema }

// Mixin of the Token.
func (Token) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Token.
func (Token) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("name").MaxLen(100 * utf8Max),
		field.String("hint").MaxLen(40).Immutable(),
		field.String("hash").MaxLen(64).Unique().Immutable().Sensitive(),
		field.JSON("scopes", []string{}).Immutable(),
		field.String("created_by").MaxLen(320).Immutable(),
		field.Time("last_used_at").Optional().Nillable(),
		field.Time("expires_at").Optional().Nillable().Immutable(),
		field.Time("revoked_at").Optional().Nillable(),
		kept(), overLimit(),
		created(),
	}
}

// Edges of the Token.
func (Token) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("chatbot", Chatbot.Type).Ref("tokens").Field("chatbot_id").Unique().Required().Immutable(),
	}
}

// Indexes of the Token.
func (Token) Indexes() []ent.Index {
	return []ent.Index{index.Fields("chatbot_id", "created_at")}
}
