package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Feedback is a person's opinion of an answer. Retention deletes it with its
// message, to which it has no edge: the path of an answer locks no row for it.
type Feedback struct{ ent.Schema }

// Mixin of the Feedback.
func (Feedback) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Feedback.
func (Feedback) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.Int64("conversation_id").Immutable(),
		field.Int64("message_id").Unique().Immutable(),
		// rating is 1 for a thumb up and -1 for one down; 0 was taken back.
		field.Int("rating"),
		longText("comment"),
		// given_by is the member who gave it in the dashboard, or empty.
		field.String("given_by").MaxLen(idLen).Default(""),
		// counted is the rating that the analytics have.
		field.Int("counted").Default(0),
		field.Time("updated_at"),
		created(),
	}
}

// Edges of the Feedback.
func (Feedback) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "feedbacks_chatbots_feedbacks"),
	}
}

// Indexes of the Feedback.
func (Feedback) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "rating", "conversation_id"),
		index.Fields("conversation_id"),
		index.Fields("id").StorageKey("feedback_to_count").Annotations(entsql.IndexWhere("rating <> counted")),
	}
}

// Gap is a question that the chatbot did not answer well: it said that it does
// not know, or its reader was not satisfied.
type Gap struct{ ent.Schema }

// Mixin of the Gap.
func (Gap) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Gap.
func (Gap) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.Int64("conversation_id").Immutable(),
		// message_id is that of the answer.
		field.Int64("message_id").Unique().Immutable(),
		longText("question"),
		// reason is "no_answer" or "thumbs_down".
		field.String("reason").MaxLen(20),
		// state is "open", "answered" or "dismissed".
		field.String("state").MaxLen(20).Default("open"),
		// document_id is the question-and-answer pair that was added for it.
		field.String("document_id").MaxLen(idLen).Default(""),
		field.Time("settled_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Gap.
func (Gap) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "gaps_chatbots_gaps"),
	}
}

// Indexes of the Gap.
func (Gap) Indexes() []ent.Index {
	return []ent.Index{index.Fields("chatbot_id", "state", "id"), index.Fields("conversation_id")}
}

// TestQuestion is a question that an owner wants answered well after each change.
type TestQuestion struct{ ent.Schema }

// Mixin of the TestQuestion.
func (TestQuestion) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the TestQuestion.
func (TestQuestion) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		longText("question"),
		// expects is "answer", "no_answer" or "text".
		field.String("expects").MaxLen(20),
		// expected is what the answer must say when it expects "text".
		longText("expected"),
		// reference is a good answer, and document the title of what it should cite.
		longText("reference"),
		field.String("document").MaxLen(300 * utf8Max).Default(""),
		field.String("created_by").MaxLen(320).Immutable(),
		field.Time("updated_at").Optional().Nillable(),
		// removed_at is when a person removed it on a page, who can undo that for some
		// seconds. Until it is deleted it is neither listed nor asked.
		field.Time("removed_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the TestQuestion.
func (TestQuestion) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "test_questions_chatbots_test_questions"),
	}
}

// Indexes of the TestQuestion.
func (TestQuestion) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "created_at"),
		index.Fields("removed_at").StorageKey("test_question_removed").Annotations(entsql.IndexWhere("removed_at IS NOT NULL")),
	}
}

// TestRun asks all test questions of a chatbot once.
type TestRun struct{ ent.Schema }

// Mixin of the TestRun.
func (TestRun) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the TestRun.
func (TestRun) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		// cause is "knowledge", "settings" or "person".
		field.String("cause").MaxLen(20),
		// started_by is who started it, or empty for a run after a change.
		field.String("started_by").MaxLen(320).Default(""),
		// state is "waiting", "running", "done", "failed" or "canceled".
		field.String("state").MaxLen(20),
		longText("reason"),
		// knowledge tells what it was answered from from other knowledge, documents
		// counts that, and settings are JSON: those of the chatbot when it began.
		longText("knowledge"),
		field.Int("documents").Default(0),
		longText("settings"),
		// program is the version of the program that asked.
		field.String("program").MaxLen(200).Default(""),
		// figures are JSON: how its questions were answered.
		longText("figures"),
		field.Int("passed").Default(0),
		field.Int("total").Default(0),
		// begun counts slices of it in a row that did not end: see Document.
		field.Int("begun").Default(0),
		// due_at is when it is to run; none when it has ended.
		field.Time("due_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the TestRun.
func (TestRun) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "test_runs_chatbots_test_runs"),
	}
}

// Indexes of the TestRun.
func (TestRun) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "created_at"),
		index.Fields("due_at").StorageKey("test_run_due").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}
