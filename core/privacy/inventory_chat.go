package privacy

// chatTables have what end users and chatbots say, and what is derived from it.
var chatTables = []Table{
	{
		Name: "conversations", Owner: OfWorkspace, File: "conversations", Holds: "Conversations: who asked, by the name that the calling program gives, and a title",
		Why: "To continue a conversation and to show it to the workspace's members", Kept: byRetention,
		Personal: "external_user_id title metadata begun_by", Plain: "id workspace_id chatbot_id status origin created_at", JSON: "metadata",
	},
	{
		Name: "messages", Owner: OfWorkspace, File: "messages", Parent: "conversations", By: "conversation_id", Holds: "Questions and answers, with the passages that each answer was made from",
		Why: "To answer with the conversation in mind, and to show members how an answer came about", Kept: withConversation + "; without texts if the chatbot does not store messages",
		Personal: "content query", Plain: "id workspace_id conversation_id role status lease_until attempt stopping delivery outcome finish_reason sources document_ids created_at", JSON: "sources",
	},
	{
		Name: "idempotency_keys", Owner: OfWorkspace, Parent: "conversations", By: "conversation_id", Holds: "Keys of requests that are executed once, and a hash of each request",
		Why: "So that a repeated request asks nothing twice", Kept: "24 hours, or with the conversation",
		Personal: "key", Plain: "id workspace_id token_id route message_id conversation_id created_at", Secret: "body_hash",
	},
	{
		Name: "usage_records", Owner: OfWorkspace, File: "usage_records", Holds: "Usage records: tokens, times and outcome of each answer, without its text",
		Why: "To bill and to measure", Kept: withWorkspace + ". When an end user is erased, theirs lose the reference to conversation and message",
		Plain: "id workspace_id chatbot_id message_id attempt status model prompt_tokens completion_tokens estimated first_token_ms total_ms passages refuted rerank_tokens conversation_id opens origin outcome finish_reason counted created_at",
	},
	{
		Name: "usage_sums", Owner: OfWorkspace, File: "usage_sums", Holds: "Sums of usage records by month", Why: "To show usage quickly", Kept: withWorkspace,
		Plain: "id workspace_id month chatbot_id model status answers estimated prompt_tokens completion_tokens refuted first_token_ms first_tokens total_ms totals",
	},
	{
		Name: "cached_answers", Owner: OfWorkspace, Parent: "chatbots", By: "chatbot_id", Holds: "Answers that are given again to the same question", Why: "To save the time and the cost of a model, where the chatbot's settings say so", Kept: "24 hours",
		Personal: "text", Plain: "id workspace_id chatbot_id sources created_at", Secret: "key",
	},
	{
		Name: "feedbacks", Owner: OfWorkspace, File: "feedback", Parent: "chatbots", By: "chatbot_id", Holds: "Opinions of answers: a thumb, and a comment", Why: "To improve answers", Kept: withConversation,
		Personal: "comment given_by", Plain: "id workspace_id chatbot_id conversation_id message_id rating counted updated_at created_at",
	},
	{
		Name: "gaps", Owner: OfWorkspace, File: "unanswered_questions", Parent: "chatbots", By: "chatbot_id", Holds: "Questions that were not answered well", Why: "So that owners can add what is missing", Kept: withConversation,
		Personal: "question", Plain: "id workspace_id chatbot_id conversation_id message_id reason state document_id settled_at created_at",
	},
	{
		Name: "test_questions", Owner: OfWorkspace, File: "test_questions", Parent: "chatbots", By: "chatbot_id", Holds: "Questions that owners have asked again after each change", Why: "To see when a change makes an answer worse", Kept: "Until somebody deletes it",
		Personal: "question expected reference document created_by", Plain: "id workspace_id chatbot_id expects updated_at removed_at created_at",
	},
	{
		Name: "test_runs", Owner: OfWorkspace, File: "test_runs", Parent: "chatbots", By: "chatbot_id", Holds: "When test questions were asked and by whom, how they were answered, and the settings of the chatbot then", Why: "To compare before and after", Kept: "The last 20 of a chatbot",
		Personal: "started_by", Plain: "id workspace_id chatbot_id cause state reason knowledge documents settings program figures passed total begun due_at ended_at created_at", JSON: "settings figures",
	},
	{
		Name: "test_results", Owner: OfWorkspace, File: "test_results", Parent: "test_questions", By: "question_id", Holds: "Answers to test questions", Why: "To compare before and after", Kept: "With the test question and the run",
		Personal: "answer", Plain: "id workspace_id run_id question_id passed outcome failure model sources f1 cites prompt_tokens completion_tokens estimated total_ms created_at", JSON: "sources",
	},
	{
		Name: "daily_stats", Owner: OfWorkspace, File: "daily_stats", Parent: "chatbots", By: "chatbot_id", Holds: "Counts of a day. End users are counted by a sketch that names nobody", Why: "Analytics", Kept: withChatbot,
		Plain: "id workspace_id chatbot_id day conversations questions answered no_answer failed stopped thumbs_up thumbs_down prompt_tokens completion_tokens first_text hours", Secret: "users",
	},
	{
		Name: "daily_counts", Owner: OfWorkspace, File: "daily_counts", Parent: "chatbots", By: "chatbot_id", Holds: "How many answers of a day were about a topic or cited a document", Why: "Analytics", Kept: withChatbot,
		Plain: "id workspace_id chatbot_id day kind name answers",
	},
}

// knowledgeTables have what chatbots answer from.
var knowledgeTables = []Table{
	{
		Name: "sources", Owner: OfWorkspace, File: "sources", Parent: "chatbots", By: "chatbot_id", Holds: "Websites that are read", Why: "To keep knowledge up to date", Kept: "Until somebody removes it",
		Plain: "id workspace_id chatbot_id kind url include exclude max_depth max_pages schedule state reason attempts begun due_at synced_at created_at",
	},
	{
		Name: "documents", Owner: OfWorkspace, File: "documents", Parent: "chatbots", By: "chatbot_id", Holds: "The texts of documents", Why: "Answers are made from them", Kept: "Until somebody removes it",
		Personal: "title content search_text external_id", Plain: "id workspace_id chatbot_id source_id url depth kind state reason bytes places notes reader_version original input_hash content_hash chars passage_count indexed version live attempts begun due_at undo_state etag last_modified fetched_at updated_at created_at", JSON: "places notes",
	},
	{
		Name: "uploads", Owner: OfWorkspace, File: "uploads", Parent: "documents", By: "document_id", Holds: "Files that were uploaded and are not read yet", Why: "To make a text of them", Kept: "Until the file is read; one that cannot be read: 7 days",
		Personal: "name body", Plain: "id workspace_id document_id content_type bytes",
	},
	{
		Name: "originals", Owner: OfWorkspace, File: "originals", Parent: "documents", By: "document_id", Holds: "Uploaded files that are read", Why: "To download and read them again", Kept: withDocument,
		Personal: "name body", Plain: "id workspace_id document_id content_type input_hash bytes",
	},
	{
		Name: "passages", Owner: OfWorkspace, Parent: "documents", By: "document_id", Holds: "Passages of documents", Why: "Searches find passages, not documents", Kept: withDocument,
		Personal: "title heading_path text", Plain: "id workspace_id chatbot_id document_id version ordinal place start end content_hash begun", Secret: "encoding",
	},
	{
		Name: "embeddings", Owner: OfWorkspace, Holds: "Numbers that an embedding model made of passages", Why: "So that the same text is not sent to the model twice", Kept: "90 days after the last use",
		Plain: "id workspace_id model text_hash used_at", Secret: "vector",
	},
	{
		Name: "removals", Owner: OfWorkspace, File: "removals", Parent: "chatbots", By: "chatbot_id", Holds: "Receipts for documents that were removed", Why: "To show what was removed, and which answers had used it", Kept: withChatbot,
		Personal: "title", Plain: "id workspace_id chatbot_id document_id url content_hash passages requested_at confirmed_at answers message_ids counted_at",
	},
	{
		Name: "index_changes", Owner: OfWorkspace, Lapses: true, Holds: "Which documents other servers have to index or forget", Why: "Servers with an index of their own follow one another", Kept: "7 days",
		Plain: "id workspace_id xid chatbot_id document_id held created_at",
	},
}
