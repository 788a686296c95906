package plain

import (
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"parley/ent/generated/migrate"
)

// dailyStats sum up what a chatbot did on one day, UTC, without the playground.
func dailyStats() *schema.Table {
	return within("daily_stats_chatbots_daily_stats", "chatbot_id", migrate.ChatbotsTable,
		// day is such as 2026-11-22.
		table("daily_stats", number("id"), workspaceID(), text("day", 10),
			or(0, count("conversations")), or(0, count("questions")), or(0, count("answered")), or(0, count("no_answer")), or(0, count("failed")), or(0, count("stopped")),
			or(0, count("thumbs_up")), or(0, count("thumbs_down")), or(0, count("prompt_tokens")), or(0, count("completion_tokens")),
			// first_text counts answers by the time until their first text, and hours
			// questions by the hour of the day: see package insight.
			&schema.Column{Name: "first_text", Type: field.TypeJSON}, &schema.Column{Name: "hours", Type: field.TypeJSON},
			// users is a sketch that counts different external users.
			maybe(blob("users")), text("chatbot_id", idLen))).
		AddIndex("dailystat_chatbot_id_day", true, []string{"chatbot_id", "day"})
}

// dailyCounts count the answers of a day that cite a document or are about a topic.
func dailyCounts() *schema.Table {
	return within("daily_counts_chatbots_daily_counts", "chatbot_id", migrate.ChatbotsTable,
		table("daily_counts", number("id"), workspaceID(), text("day", 10),
			// kind is "document" or "topic"; name is the document's id, or the topic.
			text("kind", 20), text("name", 200*utf8Max), count("answers"), text("chatbot_id", idLen))).
		AddIndex("dailycount_chatbot_id_day_kind_name", true, []string{"chatbot_id", "day", "kind", "name"})
}

// testResults are the answers to test questions in one run.
func testResults() *schema.Table {
	t := table("test_results", number("id"), workspaceID(), is("passed"), text("outcome", 20), longText("answer"),
		// failure is why there is no answer.
		longText("failure"),
		// model is the name of the model that answered.
		or("", text("model", modelLen)),
		// sources are JSON, as a message's are.
		longText("sources"),
		// f1 is none without a reference, and cites without an expected document.
		maybe(&schema.Column{Name: "f1", Type: field.TypeFloat64}), maybe(is("cites")),
		or(0, count("prompt_tokens")), or(0, count("completion_tokens")), or(false, is("estimated")), or(0, count("total_ms")),
		at("created_at"), text("run_id", idLen), text("question_id", idLen))
	within("test_results_test_runs_results", "run_id", migrate.TestRunsTable, t)
	return within("test_results_test_questions_results", "question_id", migrate.TestQuestionsTable, t).
		AddIndex("testresult_run_id", false, []string{"run_id"}).
		AddIndex("testresult_question_id_id", false, []string{"question_id", "id"})
}
