package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Document is one text that a chatbot answers from.
type Document struct{ ent.Schema }

// Mixin of the Document.
func (Document) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Document.
func (Document) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("title").MaxLen(200 * utf8Max),
		field.String("kind").MaxLen(20),
		field.String("state").MaxLen(20),
		longText("reason"),
		longText("content"),
		field.String("content_hash").MaxLen(64),
		field.Int("chars"),
		field.Int("passage_count").Default(0),
		created(),
	}
}

// Edges of the Document.
func (Document) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("chatbot", Chatbot.Type).Ref("documents").Field("chatbot_id").Unique().Required().Immutable(),
		edge.To("passages", Passage.Type).Annotations(cascade),
	}
}

// Indexes of the Document.
func (Document) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "created_at"),
		index.Fields("workspace_id"),
		// Not over all states: nearly every row is ready, and a planner without
		// statistics would read them all.
		index.Fields("created_at").StorageKey("document_unsettled").
			Annotations(entsql.IndexWhere("state <> 'ready'")),
	}
}

// Passage is a piece of a document: the unit that is indexed and cited.
type Passage struct{ ent.Schema }

// Mixin of the Passage.
func (Passage) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Passage.
func (Passage) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("document_id").MaxLen(idLen).Immutable(),
		field.Int("ordinal").Immutable(),
		field.String("title").MaxLen(200 * utf8Max).Immutable(),
		field.JSON("heading_path", []string{}).Immutable(),
		longText("text"),
	}
}

// Edges of the Passage.
func (Passage) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("document", Document.Type).Ref("passages").Field("document_id").Unique().Required().Immutable(),
	}
}

// Indexes of the Passage.
func (Passage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("document_id", "ordinal").Unique()}
}
