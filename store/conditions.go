package store

import (
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"parley/ent/generated/workspace"
)

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// PatternOf is what LIKE takes for texts that have this one in them.
func PatternOf(text string) string { return "%" + escapeLike.Replace(text) + "%" }

// Staying holds for rows of workspaces that no owner has deleted. Nothing is begun for one
// that waits for its end, and all goes on when it is restored.
func Staying(row *entsql.Selector) {
	ending := entsql.Table(workspace.Table).As("ending")
	row.Where(entsql.NotExists(entsql.Select(ending.C(workspace.FieldID)).From(ending).Where(entsql.And(
		entsql.ColumnsEQ(ending.C(workspace.FieldID), row.C("workspace_id")), entsql.NotNull(ending.C(workspace.FieldDeleteAt)),
	))))
}

// Stays is [Staying] for SQL by hand, about the columns workspace_id of a table.
const Stays = ` NOT EXISTS (SELECT 1 FROM workspaces ending WHERE ending.id = workspace_id AND ending.delete_at IS NOT NULL)`
