package schema

import (
	"entgo.io/ent"
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
		// welcome and suggested_questions, one a line, are the owner's own; without
		// them they are made from the documents.
		longText("welcome"),
		longText("suggested_questions"),
		// The sizes of passages in tokens; zero means the default.
		field.Int("passage_aim").Default(0),
		field.Int("passage_limit").Default(0),
		field.Bool("answer_without_knowledge").Default(false),
		// separate_end_users makes a conversation usable only for its own
		// external_user_id.
		field.Bool("separate_end_users").Default(false),
		// provider_id is empty for the server's own model, and so is
		// fallback_provider_id. An empty fallback_model is none.
		field.String("provider_id").MaxLen(idLen).Default(""),
		field.String("model").MaxLen(200).Default(""),
		field.String("fallback_provider_id").MaxLen(idLen).Default(""),
		field.String("fallback_model").MaxLen(200).Default(""),
		field.Float("temperature").Optional().Nillable(),
		// max_answer_tokens of zero is the model's own limit.
		field.Int("max_answer_tokens").Default(0),
		field.String("grounding").MaxLen(20).Default("open"),
		field.Bool("cache_answers").Default(false),
		field.String("rerank").MaxLen(20).Default("off"),
		// store_messages of false keeps a conversation's texts only while it is
		// answered.
		field.Bool("store_messages").Default(true),
		// keep_files of false deletes uploaded files once they are read.
		field.Bool("keep_files").Default(true),
		// retention_days is how long conversations are kept; -1 is as long as the
		// plan says.
		field.Int("retention_days").Default(-1),
		// knowledge_version counts the changes to what the chatbot answers from: triggers
		// on documents raise it.
		field.Int64("knowledge_version").Default(0),
		kept(), overLimit(),
		created(),
	}
}

// Edges of the Chatbot.
func (Chatbot) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "chatbots_workspaces_chatbots"),
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
		field.JSON("scopes", []string{}),
		// kind is "secret", or "publishable" for browsers.
		field.String("kind").MaxLen(20).Default("secret").Immutable(),
		// ip_ranges and origins are what it may be used from, each between spaces;
		// empty is anywhere.
		longText("ip_ranges"),
		longText("origins"),
		// Limits of its own, beside those of the plan; zero is none.
		field.Int("requests_per_minute").Default(0),
		field.Int("messages_per_month").Default(0),
		field.Int("visitor_requests_per_minute").Default(0),
		longText("note"),
		field.String("created_by").MaxLen(320).Immutable(),
		// replaces is the token that was rolled into this one, or empty.
		field.String("replaces").MaxLen(idLen).Default("").Immutable(),
		field.Time("last_used_at").Optional().Nillable(),
		field.String("last_used_ip").MaxLen(45).Default(""),
		field.String("last_used_agent").MaxLen(200 * utf8Max).Default(""),
		// warned_days is how many days before its end the last mail about that
		// went out; zero is none.
		field.Int("warned_days").Default(0),
		field.Time("expires_at").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
		kept(), overLimit(),
		created(),
	}
}

// Edges of the Token.
func (Token) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "tokens_chatbots_tokens"),
	}
}

// Indexes of the Token.
func (Token) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "created_at"),
		// for mails about tokens that are about to expire
		index.Fields("expires_at"),
	}
}

// Provider is a service of language models that a workspace has an account
// with.
type Provider struct{ ent.Schema }

// Mixin of the Provider.
func (Provider) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Provider.
func (Provider) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("name").MaxLen(100 * utf8Max),
		field.String("kind").MaxLen(20).Immutable(),
		longText("base_url"),
		// sealed_key is encrypted: see seal.Sealer.
		field.Bytes("sealed_key").Optional().Sensitive(),
		field.String("key_hint").MaxLen(40).Default(""),
		// tools says that the provider's models can call tools.
		field.Bool("tools").Default(false),
		field.Time("updated_at"),
		created(),
	}
}

// Edges of the Provider.
func (Provider) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "providers_workspaces_providers"),
	}
}

// Indexes of the Provider.
func (Provider) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "created_at")}
}
