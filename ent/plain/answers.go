package plain

import (
	"entgo.io/ent/dialect/sql/schema"

	"parley/ent/generated/migrate"
)

// idempotencyKeys tie requests that must be executed once to what they began. They are
// deleted with the conversation.
func idempotencyKeys() *schema.Table {
	return within("idempotency_keys_conversations_idempotency_keys", "conversation_id", migrate.ConversationsTable,
		table("idempotency_keys", number("id"), workspaceID(), text("token_id", idLen), text("route", 200), text("key", 255*utf8Max),
			// body_hash is of the request's body and end user.
			text("body_hash", hashLen),
			// message_id is that of the answer, or zero where there is none.
			or(0, number("message_id")), at("created_at"), number("conversation_id"))).
		AddIndex("idempotencykey_token_id_route_key", true, []string{"token_id", "route", "key"}).
		AddIndex("idempotencykey_conversation_id", false, []string{"conversation_id"}).
		AddIndex("idempotencykey_created_at", false, []string{"created_at"})
}

// cachedAnswers are kept for the next time the same question is asked.
func cachedAnswers() *schema.Table {
	return within("cached_answers_chatbots_cached_answers", "chatbot_id", migrate.ChatbotsTable,
		table("cached_answers", number("id"), workspaceID(),
			// key is the hash of the question and all else that the answer depends on.
			text("key", hashLen), longText("text"), longText("sources"), at("created_at"), text("chatbot_id", idLen))).
		AddIndex("cachedanswer_chatbot_id_key", true, []string{"chatbot_id", "key"}).
		AddIndex("cachedanswer_created_at", false, []string{"created_at"})
}

// embeddings are the vectors of texts by models that cost time or money.
func embeddings() *schema.Table {
	return within("embeddings_workspaces_embeddings", "workspace_id", migrate.WorkspacesTable,
		table("embeddings", number("id"), text("model", modelLen), text("text_hash", hashLen),
			// vector holds float32 values, little-endian.
			blob("vector"), at("used_at"), workspaceID())).
		AddIndex("embedding_workspace_id_model_text_hash", true, []string{"workspace_id", "model", "text_hash"}).
		AddIndex("embedding_used_at", false, []string{"used_at"})
}

// usageRecords say what one attempt at an answer cost. They outlive the message and the
// chatbot, and refer to neither. They do not refer to the workspace, either: on PostgreSQL
// all answers that end at the same time would lock its one row. The transaction that deletes
// the workspace deletes them. The names of the indexes are from when the table had another
// one.
func usageRecords() *schema.Table {
	t := table("usage_records", number("id"), workspaceID(), text("chatbot_id", idLen), number("message_id"), count("attempt"), text("status", 20),
		or("", text("model", modelLen)), or(0, count("prompt_tokens")), or(0, count("completion_tokens")),
		// estimated says that Parley counted the tokens itself.
		or(false, is("estimated")),
		// first_token_ms is zero when there was no token.
		or(0, count("first_token_ms")), or(0, count("total_ms")), or(0, count("passages")),
		// refuted counts citations that were taken out of the answer.
		or(0, count("refuted")),
		// rerank_tokens are those of prompt_tokens and completion_tokens that went into the
		// order of the passages.
		or(0, count("rerank_tokens")),
		// conversation_id is zero in rows from before it was stored.
		or(0, number("conversation_id")),
		// opens says that the question was the first of its conversation.
		or(false, is("opens")),
		// origin is the conversation's, and outcome the answer's.
		or("api", text("origin", 20)), or("", text("outcome", 20)), or("", text("finish_reason", 20)),
		// counted says that the analytics have it: see package insight.
		or(false, is("counted")), at("created_at")).
		AddIndex("receipt_workspace_id_created_at", false, []string{"workspace_id", "created_at"}).
		AddIndex("receipt_message_id_attempt", true, []string{"message_id", "attempt"})
	// Not over all rows: nearly all answers are given, and each end of an answer would pay
	// for it.
	t = only("outcome <> 'answered'", t.AddIndex("receipt_not_answered", false, []string{"chatbot_id", "outcome", "conversation_id"}))
	return only("NOT counted", t.AddIndex("receipt_to_count", false, []string{"id"}))
}
