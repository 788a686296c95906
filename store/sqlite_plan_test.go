package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/ent/scope"
)

// TestWhatRunsAllTheTimeReadsNoWholeTable holds statements that run every few
// seconds, or for every piece of an answer, to their indexes.
func TestWhatRunsAllTheTimeReadsNoWholeTable(t *testing.T) {
	b := openBundle(t, migratedSQLite(t))
	sql := statementsByHand(t)
	for name, c := range map[string]struct {
		statement string
		args      []any
	}{
		"leases that lapsed": {sql("selectLapsed"), []any{epoch, 5}},
		"answers to stop":    {sql("stopsAsked"), nil},
		"a turn":             {sql("selectTurn") + " AND a.id = $3", []any{"ws_a", 1, 2}},
		"the last turn":      {sql("selectTurn") + sql("lastTurn"), []any{"ws_a", 1}},
		"later messages":     {"SELECT id FROM messages WHERE conversation_id = $1 AND id > $2 AND workspace_id = $3 LIMIT 1", []any{1, 2, "ws_a"}},
		"what may settle":    {sql("settling"), []any{"ws_a", 1}},
		"messages used":      {sql("quotas"), []any{"2026-03", "ws_a", 1}},
		"what is kept":       {sql("retentions"), []any{"ws_a", 1}},
		"work that is due":   {sql("workDue"), []any{epoch, "ws_a", "", 1}},
		"progress":           {sql("saveProgress"), []any{"text", 1, "ws_a", 1}},
	} {
		t.Run(name, func(t *testing.T) {
			steps := b.plan(c.statement, c.args...)
			if len(steps) == 0 {
				t.Fatal("there is no plan")
			}
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, " INDEX message_") && step != "SCAN CONSTANT ROW" && step != "SCAN due" {
					t.Errorf("a step is %s", step)
				}
			}
		})
	}
}

// TestPlansReadNoWholeWorkspace holds statements of the dashboard to indexes that find
// only what they ask for.
func TestPlansReadNoWholeWorkspace(t *testing.T) {
	b := openBundle(t, migratedSQLite(t))
	sql := statementsByHand(t)
	for name, c := range map[string]struct{ statement, want string }{
		"documents by their IDs":          {"SELECT title FROM documents WHERE id IN ('a', 'b', 'c', 'd') AND workspace_id = 'ws_a'", "INDEX sqlite_autoindex_documents_1"},
		"conversations by their IDs":      {"SELECT title FROM conversations WHERE id IN (1, 2, 3, 4) AND workspace_id = 'ws_a'", "PRIMARY KEY"},
		"usage records by their messages": {"SELECT model FROM usage_records WHERE message_id IN (1, 2, 3, 4) AND workspace_id = 'ws_a'", "INDEX receipt_message_id_attempt"},
		"the newest live documents":       {"SELECT id FROM documents WHERE chatbot_id = 'cb_a' AND live + 0 > 0 AND workspace_id = 'ws_a' ORDER BY created_at DESC, id LIMIT 12", "INDEX document_list"},
		"documents by their state":        {sql("countedStates"), "COVERING INDEX document_chatbot_id_state"},
		"documents that a search finds":   {sql("foundStates"), "COVERING INDEX document_list"},
		"the last of a window":            {sql("lastOfWindow"), "COVERING INDEX conversation_chatbot_id_id"},
		"sizes of documents":              {sql("knowledgeSizes"), "COVERING INDEX document_sizes"},
		"sizes of files":                  {sql("knowledgeSizes"), "COVERING INDEX upload_sizes"},
		"sums of a month":                 {sql("spent"), "INDEX usage_sum_of_month"},
		"records that are in no sum yet":  {sql("spent"), "INDEX receipt_to_count"},
		"tokens over the limit": {
			"SELECT id FROM tokens WHERE workspace_id = $1 AND chatbot_id IN (SELECT id FROM chatbots WHERE workspace_id = $1) AND over_limit", "INDEX token_chatbot_id_created_at",
		},
		"a page of a search": {
			"SELECT title FROM documents WHERE chatbot_id = 'cb_a' AND workspace_id = 'ws_a' AND (search_text LIKE '%a%') ORDER BY created_at DESC, id DESC LIMIT 51", "INDEX document_list",
		},
		"grants that have ended":           {"SELECT id FROM workspaces WHERE granted_until <= $1 ORDER BY id || '' LIMIT 1000", "INDEX workspace_granted_until"},
		"access that has lapsed":           {"SELECT workspace_id FROM subscriptions WHERE access_until <= $1 ORDER BY workspace_id || '' LIMIT 1000", "INDEX subscription_access_until"},
		"workspaces, oldest first":         {"SELECT name FROM workspaces ORDER BY created_at, id LIMIT 1000", "INDEX workspace_created_at_id"},
		"users, oldest first":              {"SELECT email FROM users ORDER BY created_at, id LIMIT 1000", "INDEX user_created_at_id"},
		"customers whose address is stale": {"SELECT customer_id FROM subscriptions WHERE customer_stale AND customer_id <> '' AND missing_at IS NULL AND id > 1 ORDER BY id LIMIT 1000", "INDEX subscription_stale"},
		"tokens of a workspace's chatbots": {
			"SELECT name FROM tokens WHERE chatbot_id IN (SELECT id FROM chatbots WHERE workspace_id = 'ws_a') AND workspace_id = 'ws_a'", "INDEX token_chatbot_id_created_at",
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := []any{"ws_a", "cb_a", "%a%", "", 1}
			for len(args) > 0 && !strings.Contains(c.statement, fmt.Sprint("$", len(args))) {
				args = args[:len(args)-1]
			}
			if steps := strings.Join(b.plan(c.statement, args...), "; "); !strings.Contains(steps, c.want) {
				t.Errorf("the plan is %s", steps)
			}
		})
	}
}

// plan is how SQLite carries a statement out.
func (b *bundle) plan(statement string, args ...any) (steps []string) {
	b.Helper()
	b.must(b.InTx(b.Context(), func(ctx context.Context) error {
		rows, err := b.Raw(ctx).QueryContext(scope.System(ctx, everywhere), "EXPLAIN QUERY PLAN "+statement, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				return err
			}
			steps = append(steps, step)
		}
		return rows.Err()
	}))
	return steps
}
