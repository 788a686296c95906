// Package scale fills a database with many small workspaces, each with one chatbot, as
// an installation has them after years. It writes rows as the program leaves them.
package scale

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"             // the driver of SQLite
)

// Sizes say what a database is filled with.
type Sizes struct {
	// Workspaces is how many there are, each with a chatbot of one document.
	Workspaces int `json:"workspaces"`
	// Messages is how many they have together: a question and an answer in each
	// conversation.
	Messages int `json:"messages"`
}

// conversations is how many the workspaces have together.
func (s Sizes) conversations() int { return s.Messages / 2 }

// portion is how many numbers one transaction writes rows for.
const portion = 50_000

// days is over how many days the conversations are spread: no plan forgets them yet.
const days = 20

// step is a statement that writes rows for the numbers i of a table n.
type step struct {
	perConversation bool
	statement       string
}

// steps are SQL that both databases take, but for the words in braces. Of the
// conversations, the last began now.
var steps = []step{
	{false, `INSERT INTO workspaces (id, name, plan, granted_plan, created_at)
	{numbers} SELECT 'ws_scale' || CAST(i AS text), 'Shop ' || CAST(i AS text), {plan}, {plan}, {long ago} FROM n`},
	{false, `INSERT INTO chatbots (id, workspace_id, name, image_hosts, created_at)
	{numbers} SELECT 'cb_scale' || CAST(i AS text), 'ws_scale' || CAST(i AS text), 'Help ' || CAST(i AS text), {list}'[]'{end}, {long ago} FROM n`},
	{false, `INSERT INTO tokens (id, workspace_id, chatbot_id, name, hint, hash, scopes, created_by, created_at)
	{numbers} SELECT 'tok_scale' || CAST(i AS text), 'ws_scale' || CAST(i AS text), 'cb_scale' || CAST(i AS text), 'Shop', 'parley_shop', 'hash' || CAST(i AS text), {list}'["chat"]'{end}, 'owner@example.com', {long ago} FROM n`},
	{false, `INSERT INTO documents (id, workspace_id, chatbot_id, title, search_text, kind, state, content, bytes, content_hash, input_hash, chars, passage_count, indexed, version, live, updated_at, created_at)
	{numbers} SELECT 'doc_scale' || CAST(i AS text), 'ws_scale' || CAST(i AS text), 'cb_scale' || CAST(i AS text), 'Delivery', 'delivery', 'markdown', 'ready', '{text}', {length}, 'c', 'i', {length}, 1, 1, 1, 1, {long ago}, {long ago} FROM n`},
	{false, `INSERT INTO passages (workspace_id, chatbot_id, document_id, version, ordinal, title, heading_path, text, start, "end", content_hash)
	{numbers} SELECT 'ws_scale' || CAST(i AS text), 'cb_scale' || CAST(i AS text), 'doc_scale' || CAST(i AS text), 1, 0, 'Delivery', {list}'["Delivery"]'{end}, '{text}', 0, {length}, 'p' FROM n`},
	{false, `INSERT INTO usages (workspace_id, month, shard, messages)
	{numbers} SELECT 'ws_scale' || CAST(i AS text), {month}, 0, {each} FROM n`},
	{true, `INSERT INTO conversations (id, workspace_id, chatbot_id, external_user_id, status, title, origin, created_at)
	{numbers} SELECT i, 'ws_scale' || CAST(1 + i % {workspaces} AS text), 'cb_scale' || CAST(1 + i % {workspaces} AS text), 'user', 'complete', 'When does it arrive?', 'api', {at} FROM n`},
	{true, `INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, outcome, finish_reason, document_ids, sources, created_at)
	{numbers} SELECT 2 * i - 1 + part, 'ws_scale' || CAST(1 + i % {workspaces} AS text), i, CASE part WHEN 0 THEN 'user' ELSE 'assistant' END,
		CASE part WHEN 0 THEN 'When does it arrive?' ELSE '{text}' END, 'complete', CASE part WHEN 0 THEN '' ELSE 'answered' END, '', '', '', {at}
	FROM n CROSS JOIN (SELECT 0 AS part UNION ALL SELECT 1) AS parts`},
	{true, `INSERT INTO usage_records (workspace_id, chatbot_id, message_id, conversation_id, attempt, status, model, prompt_tokens, completion_tokens, first_token_ms, total_ms, passages, opens, origin, outcome, counted, created_at)
	{numbers} SELECT 'ws_scale' || CAST(1 + i % {workspaces} AS text), 'cb_scale' || CAST(1 + i % {workspaces} AS text), 2 * i, i, 1, 'complete', 'bench', 500, 40, 400, 900, 1, true, 'api', 'answered', true, {at} FROM n`},
}

// words are what the statements say otherwise on each of the databases.
var words = map[bool]*strings.Replacer{
	false: strings.NewReplacer(`{long ago}`, `strftime('%Y-%m-%d %H:%M:%f+00:00', 'now', '-400 days')`, `{month}`, `strftime('%Y-%m', 'now')`,
		`{at}`, `strftime('%Y-%m-%d %H:%M:%f+00:00', 'now', '-' || (({last} - i) * {spread} / {last}) || ' seconds')`, `{list}`, `CAST(`, `{end}`, ` AS blob)`),
	true: strings.NewReplacer(`{long ago}`, `now() - interval '400 days'`, `{month}`, `to_char(now(), 'YYYY-MM')`,
		`{at}`, `now() - ({last} - i)::bigint * {spread} / {last} * interval '1 second'`, `{list}`, `CAST(`, `{end}`, ` AS jsonb)`),
}

// text is a passage, and an answer.
var text = "# Delivery. " + strings.Repeat("The parcel leaves the warehouse on the next working day. ", 5)

// Fill adds the workspaces to a migrated database, which has no conversations. The
// database is a PostgreSQL URL, or the path of an SQLite file that no program uses.
func Fill(ctx context.Context, database string, sizes Sizes) error {
	postgres, driver := strings.HasPrefix(database, "postgres"), "sqlite"
	if postgres {
		driver = "pgx"
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // what prepare sets holds for a connection
	if err := prepare(ctx, db, postgres); err != nil {
		return err
	}
	for _, s := range steps {
		n := sizes.Workspaces
		if s.perConversation {
			n = sizes.conversations()
		}
		for from := 1; from <= n; from += portion {
			if _, err := db.ExecContext(ctx, s.sql(postgres, sizes, from, min(n, from+portion-1))); err != nil {
				return fmt.Errorf("%.60s…: %w", s.statement, err)
			}
		}
	}
	return finish(ctx, db, postgres)
}

// prepare lets the database write without waiting for its disk.
func prepare(ctx context.Context, db *sql.DB, postgres bool) error {
	statement := "PRAGMA synchronous = off"
	if postgres {
		statement = "SET synchronous_commit = off"
	}
	_, err := db.ExecContext(ctx, statement)
	return err
}

// finish has the database go on after the highest IDs, and count its rows for plans.
func finish(ctx context.Context, db *sql.DB, postgres bool) error {
	statements := []string{"PRAGMA wal_checkpoint(TRUNCATE)"} // it counts SQLite's rows when it starts
	if postgres {
		statements = []string{
			"SELECT setval('conversations_id_seq', (SELECT GREATEST(MAX(id), 1) FROM conversations))",
			"SELECT setval('messages_id_seq', (SELECT GREATEST(MAX(id), 1) FROM messages))", "VACUUM ANALYZE", // by itself it does only after a minute
		}
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// sql is the statement for the numbers from one to another.
func (s step) sql(postgres bool, sizes Sizes, from, to int) string {
	number := func(n int) string { return fmt.Sprint(n) }
	statement := words[postgres].Replace(s.statement)
	return strings.NewReplacer(
		`{numbers}`, fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)", from, to),
		`{plan}`, `CASE i % 10 WHEN 0 THEN 'standard' ELSE 'starter' END`,
		`{workspaces}`, number(sizes.Workspaces), `{each}`, number(sizes.conversations()/max(sizes.Workspaces, 1)),
		`{last}`, number(max(sizes.conversations(), 1)), `{spread}`, number(days*24*60*60),
		`{text}`, text, `{length}`, number(len(text)),
	).Replace(statement)
}
