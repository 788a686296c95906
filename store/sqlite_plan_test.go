package store

import (
	"context"
	"strings"
	"testing"
)

// TestWhatRunsAllTheTimeReadsNoWholeTable holds statements that run every few
// seconds, or for every piece of an answer, to their indexes.
func TestWhatRunsAllTheTimeReadsNoWholeTable(t *testing.T) {
	b := openBundle(t, migratedSQLite(t))
	for name, c := range map[string]struct {
		statement string
		args      []any
	}{
		"leases that lapsed": {selectLapsed, []any{epoch, 5}},
		"answers to stop":    {stopsAsked, nil},
		"a turn":             {selectTurn + " AND a.id = $3", []any{"ws_a", 1, 2}},
		"the last turn":      {selectTurn + lastTurn, []any{"ws_a", 1}},
		"later messages":     {"SELECT id FROM messages WHERE conversation_id = $1 AND id > $2 AND workspace_id = $3 LIMIT 1", []any{1, 2, "ws_a"}},
		"progress":           {saveProgress, []any{"text", 1, "ws_a", 1}},
	} {
		t.Run(name, func(t *testing.T) {
			steps := b.plan(c.statement, c.args...)
			if len(steps) == 0 {
				t.Fatal("there is no plan")
			}
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, " INDEX message_") && step != "SCAN CONSTANT ROW" {
					t.Errorf("a step is %s", step)
				}
			}
		})
	}
}

// plan is how SQLite carries a statement out.
func (b *bundle) plan(statement string, args ...any) (steps []string) {
	b.Helper()
	b.must(b.InTx(b.Context(), func(ctx context.Context) error {
		rows, err := b.raw(ctx).QueryContext(ctx, "EXPLAIN QUERY PLAN "+statement, args...)
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
