// Package pages measures the dashboard as an owner's browser asks for it. It fills a
// workspace, signs in, and asks a running program for each page.
package pages

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"             // the driver of SQLite
)

// Sizes say what the workspace that is measured has in one chatbot.
type Sizes struct {
	Documents     int `json:"documents"`
	Conversations int `json:"conversations"`
	Tokens        int `json:"tokens"`
}

// Workspace is a workspace that `parley demo` made, with its owner.
type Workspace struct {
	ID       string `json:"workspace_id"`
	Chatbot  string `json:"chatbot_id"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// statements fill a workspace. They are SQL that both databases take, but for the
// words in braces. N counts from 1, and no row is younger than another with a
// smaller number.
var statements = []string{
	`INSERT INTO documents (id, workspace_id, chatbot_id, title, search_text, kind, state, reason, content, bytes, content_hash, input_hash, chars, passage_count, indexed, version, live, updated_at, created_at)
	{first documents} SELECT 'doc_' || CAST(1000000 + i AS text), '{workspace}', '{chatbot}', 'Delivery note ' || CAST(i AS text), 'Delivery note ' || CAST(i AS text), 'markdown',
		CASE i % 100 WHEN 0 THEN 'failed' ELSE 'ready' END, CASE i % 100 WHEN 0 THEN 'The file has no text.' ELSE '' END,
		'# Delivery note ' || CAST(i AS text) || '{text}', octet_length('# Delivery note ' || CAST(i AS text) || '{text}'), 'c' || CAST(i AS text), 'i' || CAST(i AS text), 4000, 2, 2, 1, CASE i % 100 WHEN 0 THEN 0 ELSE 1 END, {minutes ago}, {minutes ago} FROM n`,
	`INSERT INTO passages (workspace_id, chatbot_id, document_id, version, ordinal, title, heading_path, text, start, "end", content_hash)
	{first documents} SELECT '{workspace}', '{chatbot}', 'doc_' || CAST(1000000 + i AS text), 1, part, 'Delivery note ' || CAST(i AS text), {list}'["Delivery"]'{end}, '{text}', part * 2000, part * 2000 + 2000, 'p' || CAST(i AS text)
	FROM n CROSS JOIN (SELECT 0 AS part UNION ALL SELECT 1) AS parts`,
	`INSERT INTO conversations (id, workspace_id, chatbot_id, external_user_id, status, title, origin, created_at)
	{first conversations} SELECT 2000000 - i, '{workspace}', '{chatbot}', 'user-' || CAST(i % 500 AS text), 'complete', 'When does order ' || CAST(i AS text) || ' arrive?', 'api', {minutes ago} FROM n`,
	`INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, outcome, finish_reason, document_ids, sources, created_at)
	{first conversations} SELECT 4000000 - 2 * i + part, '{workspace}', 2000000 - i, CASE part WHEN 0 THEN 'user' ELSE 'assistant' END,
		CASE part WHEN 0 THEN 'When does order ' || CAST(i AS text) || ' arrive?' ELSE '{text}' END, 'complete',
		CASE part WHEN 0 THEN '' ELSE CASE i % 20 WHEN 0 THEN 'no_answer' ELSE 'answered' END END, '',
		CASE part WHEN 0 THEN '' ELSE ' doc_' || CAST(1000000 + i AS text) || ' ' END, '', {minutes ago}
	FROM n CROSS JOIN (SELECT 0 AS part UNION ALL SELECT 1) AS parts`,
	`INSERT INTO usage_records (workspace_id, chatbot_id, message_id, conversation_id, attempt, status, model, prompt_tokens, completion_tokens, first_token_ms, total_ms, passages, opens, origin, outcome, counted, created_at)
	{first conversations} SELECT '{workspace}', '{chatbot}', 4000001 - 2 * i, 2000000 - i, 1, 'complete', 'bench', 1500, 120, 400, 2000, 5, true, 'api', CASE i % 20 WHEN 0 THEN 'no_answer' ELSE 'answered' END, true, {minutes ago} FROM n`,
	`INSERT INTO usage_sums (workspace_id, month, chatbot_id, model, status, answers, prompt_tokens, completion_tokens, first_token_ms, first_tokens, total_ms, totals)
	SELECT workspace_id, {month of} AS month, chatbot_id, model, status, COUNT(*), SUM(prompt_tokens), SUM(completion_tokens), SUM(first_token_ms), COUNT(*), SUM(total_ms), COUNT(*)
	FROM usage_records WHERE workspace_id = '{workspace}' GROUP BY workspace_id, 2, chatbot_id, model, status`,
	`INSERT INTO feedbacks (workspace_id, chatbot_id, conversation_id, message_id, rating, comment, counted, updated_at, created_at)
	{first conversations} SELECT '{workspace}', '{chatbot}', 2000000 - i, 4000001 - 2 * i, CASE i % 50 WHEN 0 THEN -1 ELSE 1 END, '', CASE i % 50 WHEN 0 THEN -1 ELSE 1 END, {minutes ago}, {minutes ago} FROM n WHERE i % 10 = 0`,
	`INSERT INTO gaps (workspace_id, chatbot_id, conversation_id, message_id, question, reason, state, created_at)
	{first conversations} SELECT '{workspace}', '{chatbot}', 2000000 - i, 4000001 - 2 * i, 'When does order ' || CAST(i AS text) || ' arrive?', 'no_answer', 'open', {minutes ago} FROM n WHERE i % 20 = 0`,
	`INSERT INTO tokens (id, workspace_id, chatbot_id, name, hint, hash, scopes, created_by, last_used_at, created_at)
	{first tokens} SELECT 'tok_' || CAST(1000000 + i AS text), '{workspace}', '{chatbot}', 'Shop ' || CAST(i AS text), 'parley_shop…' || CAST(1000 + i AS text), 'hash' || CAST(i AS text), {list}'["chat"]'{end}, 'owner@demo.parley.example', {minutes ago}, {minutes ago} FROM n`,
	`INSERT INTO usages (workspace_id, month, shard, messages) {first conversations} SELECT '{workspace}', {month}, 0, COUNT(*) FROM n`,
	`INSERT INTO daily_stats (workspace_id, chatbot_id, day, conversations, questions, answered, no_answer, thumbs_up, thumbs_down, prompt_tokens, completion_tokens, first_text, hours)
	{first days} SELECT '{workspace}', '{chatbot}', {day}, 30, 30, 28, 2, 3, 1, 45000, 3600, {list}'[0,4,10,10,5,1]'{end}, {list}'[0,0,0,0,0,0,1,2,3,4,5,4,3,2,2,1,1,1,1,0,0,0,0,0]'{end} FROM n`,
	`INSERT INTO daily_counts (workspace_id, chatbot_id, day, kind, name, answers)
	{first days} SELECT '{workspace}', '{chatbot}', {day}, kind, CASE kind WHEN 'document' THEN 'doc_' || CAST(1000000 + t.i AS text) ELSE 'Topic ' || CAST(t.i AS text) END, 100 - t.i
	FROM n CROSS JOIN (SELECT 'document' AS kind UNION ALL SELECT 'topic') AS kinds CROSS JOIN (SELECT i FROM n WHERE i <= 50) AS t`,
	`INSERT INTO audit_entries (workspace_id, actor, action, object_kind, object_id, object_name, detail, at)
	{first conversations} SELECT '{workspace}', 'owner@demo.parley.example', 'document.added', 'document', 'doc_' || CAST(1000000 + i AS text), 'Delivery note ' || CAST(i AS text), '', {minutes ago} FROM n`,
}

// days is for how long the workspace has been in use.
const days = 400

// words are what the statements say otherwise on each of the databases.
var words = map[bool]*strings.Replacer{
	false: strings.NewReplacer(`{minutes ago}`, `strftime('%Y-%m-%d %H:%M:%f+00:00', 'now', '-' || i || ' minutes')`,
		`{day}`, `date('now', '-' || n.i || ' days')`, `{month}`, `strftime('%Y-%m', 'now')`, `{month of}`, `substr(created_at, 1, 7)`, `{list}`, `CAST(`, `{end}`, ` AS blob)`),
	true: strings.NewReplacer(`{minutes ago}`, `now() - i * interval '1 minute'`,
		`{day}`, `to_char(now() - n.i * interval '1 day', 'YYYY-MM-DD')`, `{month}`, `to_char(now(), 'YYYY-MM')`, `{month of}`, `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM')`, `{list}`, `CAST(`, `{end}`, ` AS jsonb)`),
}

// Fill puts into a workspace what the sizes say. The database is a PostgreSQL URL, or
// the path of an SQLite file.
func Fill(ctx context.Context, database string, w Workspace, sizes Sizes) (err error) {
	postgres, driver := strings.HasPrefix(database, "postgres"), "sqlite"
	if postgres {
		driver = "pgx"
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	first := func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)", n)
	}
	filled := strings.NewReplacer(`{workspace}`, w.ID, `{chatbot}`, w.Chatbot, `{text}`, strings.Repeat(" The parcel leaves the warehouse on the next working day.", 40),
		`{first documents}`, first(sizes.Documents), `{first conversations}`, first(sizes.Conversations), `{first tokens}`, first(sizes.Tokens), `{first days}`, first(days))
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, words[postgres].Replace(filled.Replace(statement))); err != nil {
			_ = tx.Rollback()
			return fmt.Errorf("%.60s…: %w", statement, err)
		}
	}
	if err := tx.Commit(); err != nil || !postgres {
		return err
	}
	// PostgreSQL does this by itself, but only after a minute.
	_, err = db.ExecContext(ctx, "VACUUM ANALYZE")
	return err
}
