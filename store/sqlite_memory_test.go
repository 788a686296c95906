package store_test

import (
	"context"
	"testing"

	"parley/ent/scope"
	"parley/store"
)

func TestSavepointsThatMemoryHasNoRoomFor(t *testing.T) {
	if store.ErrSavepoints != nil {
		t.Fatal(store.ErrSavepoints)
	}
	b := openBundle(t, migratedSQLite(t))
	ctx := b.Context()
	exec := func(statement string) error {
		return b.InTx(ctx, func(ctx context.Context) error {
			_, err := b.Raw(ctx).ExecContext(scope.System(ctx, everywhere), statement)
			return err
		})
	}
	b.must(exec("CREATE TABLE large (id integer PRIMARY KEY, body blob)"))
	b.must(exec("INSERT INTO large (body) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT zeroblob(4000) FROM n"))
	if err := exec("UPDATE large SET body = randomblob(4000)"); err != nil {
		t.Errorf("a statement that changes 4 MB fails: %v", err)
	}
	if err := exec("DELETE FROM large WHERE id > 0"); err != nil {
		t.Errorf("a statement that deletes 4 MB fails: %v", err)
	}
}
