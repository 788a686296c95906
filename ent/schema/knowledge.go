package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Source is an address that documents come from: a page or a site.
type Source struct{ ent.Schema }

// Mixin of the Source.
func (Source) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Source.
func (Source) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("kind").MaxLen(20).Immutable(),
		longText("url"),
		field.JSON("include", []string{}),
		field.JSON("exclude", []string{}),
		field.Int("max_depth").Default(0),
		field.Int("max_pages").Default(1),
		field.String("schedule").MaxLen(20).Default("never"),
		field.String("state").MaxLen(20),
		longText("reason"),
		field.Int("attempts").Default(0),
		// begun counts attempts in a row that began and did not end: see Document.
		field.Int("begun").Default(0),
		// due_at is when the next synchronization is to begin.
		field.Time("due_at").Optional().Nillable(),
		field.Time("synced_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Source.
func (Source) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "sources_chatbots_sources"),
	}
}

// Indexes of the Source.
func (Source) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "created_at"),
		index.Fields("workspace_id", "due_at").StorageKey("source_due").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}

// Document is one text that a chatbot answers from.
type Document struct{ ent.Schema }

// Mixin of the Document.
func (Document) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Document.
func (Document) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		// source_id is not an edge: a source outlives none of its documents,
		// but they leave the index one by one.
		field.String("source_id").MaxLen(idLen).Default("").Immutable(),
		longText("url"),
		field.Int("depth").Default(0),
		field.String("title").MaxLen(200 * utf8Max),
		field.String("kind").MaxLen(20),
		field.String("state").MaxLen(20),
		longText("reason"),
		longText("content"),
		// bytes is the length of content, for sums that read no contents.
		field.Int("bytes").Default(0),
		// search_text is what searches look through: see searchText in package store.
		field.String("search_text").MaxLen(500 * utf8Max).Default(""),
		// places are JSON: where in the file or on the site each part stood.
		longText("places"),
		// notes are JSON: what of the file or page was not read.
		longText("notes"),
		// reader_version is that of the reader which made content: see package core/knowledge.
		field.Int("reader_version").Default(0),
		// original says whether its file is kept: see package core/knowledge.
		field.String("original").MaxLen(20).Default(""),
		// input_hash is of what was given, content_hash of the text in it.
		field.String("input_hash").MaxLen(64).Default(""),
		field.String("content_hash").MaxLen(64),
		field.Int("chars"),
		field.Int("passage_count").Default(0),
		field.Int("indexed").Default(0),
		// version counts the texts that the document has had; live is the one that
		// answers are made from, or zero.
		field.Int("version").Default(0),
		field.Int("live").Default(0),
		field.Int("attempts").Default(0),
		// begun counts attempts in a row that began and did not end, because the
		// process ended.
		field.Int("begun").Default(0),
		field.Time("due_at").Optional().Nillable(),
		// undo_state is the state that a document which is being removed gets
		// back when its owner takes the removal back in time; empty when nobody can.
		field.String("undo_state").MaxLen(20).Default(""),
		// external_id is the caller's own name for it, or empty.
		field.String("external_id").MaxLen(255 * utf8Max).Default(""),
		field.String("etag").MaxLen(1024).Default(""),
		field.String("last_modified").MaxLen(100).Default(""),
		field.Time("fetched_at").Optional().Nillable(),
		field.Time("updated_at").Optional(),
		created(),
	}
}

// Edges of the Document.
func (Document) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "documents_chatbots_documents"),
	}
}

// Indexes of the Document.
func (Document) Indexes() []ent.Index {
	return []ent.Index{
		// for pages of the list, and searches of it, that read none of the texts
		index.Fields("chatbot_id", "created_at", "id", "state", "search_text").StorageKey("document_list"),
		index.Fields("chatbot_id", "input_hash"),
		// for what is live, and what of it an older reader has read, without the texts
		index.Fields("chatbot_id", "live", "kind", "reader_version").StorageKey("document_live_reader"),
		index.Fields("chatbot_id", "state"),
		index.Fields("chatbot_id", "external_id").Unique().StorageKey("document_external_id").
			Annotations(entsql.IndexWhere("external_id <> ''")),
		index.Fields("source_id", "state"),
		// for the files that are read again after an upgrade
		index.Fields("kind", "reader_version").StorageKey("document_kept_reader").Annotations(entsql.IndexWhere("original = 'kept'")),
		// for what a workspace stores: see knowledgeSizes in package store
		index.Fields("workspace_id", "chars", "bytes").StorageKey("document_sizes"),
		index.Fields("updated_at"),
		// Not over all rows: nearly none is due, and a planner without
		// statistics would read them all.
		index.Fields("workspace_id", "due_at").StorageKey("document_due").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}

// Upload is the file of a document until its text has been extracted.
type Upload struct{ ent.Schema }

// Mixin of the Upload.
func (Upload) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Upload.
func (Upload) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("document_id").MaxLen(idLen).Immutable(),
		field.String("name").MaxLen(255 * utf8Max).Immutable(),
		field.String("content_type").MaxLen(255).Immutable(),
		field.Bytes("body").Immutable(),
		// bytes is the length of body.
		field.Int("bytes").Default(0).Immutable(),
	}
}

// Edges of the Upload.
func (Upload) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("document", Document.Type, "uploads_documents_uploads"),
	}
}

// Indexes of the Upload.
func (Upload) Indexes() []ent.Index {
	return []ent.Index{index.Fields("document_id"), index.Fields("workspace_id", "bytes").StorageKey("upload_sizes")}
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
		field.Int("version").Default(1).Immutable(),
		field.Int("ordinal").Immutable(),
		field.String("title").MaxLen(200 * utf8Max).Immutable(),
		field.JSON("heading_path", []string{}).Immutable(),
		field.String("place").MaxLen(200 * utf8Max).Default("").Immutable(),
		// start and end are the characters of the content that the passage was
		// cut from. Both are zero in rows from before they were stored.
		field.Int("start").Default(0).Immutable(),
		field.Int("end").Default(0).Immutable(),
		// content_hash is that of the document's version.
		field.String("content_hash").MaxLen(64).Default("").Immutable(),
		longText("text"),
		// encoding says what the passage and its parts are about; see encode.Encoding.
		// It is null until the passage has been encoded.
		field.Bytes("encoding").Optional().Nillable(),
		// begun counts attempts to encode it that did not end: see Document.
		field.Int("begun").Default(0),
	}
}

// Edges of the Passage.
func (Passage) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("document", Document.Type, "passages_documents_passages"),
	}
}

// Indexes of the Passage.
func (Passage) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("document_id", "version", "ordinal").Unique(),
		// What is to be encoded.
		index.Fields("workspace_id", "chatbot_id", "id").StorageKey("passage_unencoded").Annotations(entsql.IndexWhere("encoding IS NULL")),
	}
}

// Removal is the receipt of a document that was removed. It outlives the
// document, and so has no edge to it.
type Removal struct{ ent.Schema }

// Mixin of the Removal.
func (Removal) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Removal.
func (Removal) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("chatbot_id").MaxLen(idLen).Immutable(),
		field.String("document_id").MaxLen(idLen).Immutable(),
		field.String("title").MaxLen(200 * utf8Max).Immutable(),
		longText("url"),
		field.String("content_hash").MaxLen(64).Immutable(),
		field.Int("passages").Immutable(),
		field.Time("requested_at").Immutable(),
		field.Time("confirmed_at").Optional().Nillable(),
		// answers counts the answers that had used the document; message_ids has
		// the first of them.
		field.Int("answers").Default(0),
		field.JSON("message_ids", []int64{}),
		// counted_at is when they were counted for good: an answer may have been
		// running when the removal was confirmed.
		field.Time("counted_at").Optional().Nillable(),
	}
}

// Edges of the Removal.
func (Removal) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("chatbot", Chatbot.Type, "removals_chatbots_removals"),
	}
}

// Indexes of the Removal.
func (Removal) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("chatbot_id", "requested_at"),
		index.Fields("document_id").Unique(),
		index.Fields("confirmed_at").StorageKey("removal_to_count").Annotations(entsql.IndexWhere("counted_at IS NULL")),
	}
}
