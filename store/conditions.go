package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/generated/workspace"
)

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// patternOf is what LIKE takes for texts that have this one in them.
func patternOf(text string) string { return "%" + escapeLike.Replace(text) + "%" }

// SearchPatterns are the pattern of a text in lower case, and another for documents from
// before search_text was kept in lower case, unless it is the same.
func SearchPatterns(text string) (pattern, older string) {
	pattern = patternOf(strings.ToLower(text))
	older = patternOf(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToLower(r)
		}
		return r
	}, text))
	if older == pattern {
		older = ""
	}
	return pattern, older
}

// FoundBy selects documents with a text in their title or address, whatever the case.
func FoundBy(text string) predicate.Document {
	pattern, older := SearchPatterns(text)
	return func(q *entsql.Selector) {
		q.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("(").Ident(q.C(document.FieldSearchText)).WriteString(" LIKE ").Arg(pattern).WriteString(` ESCAPE '\'`)
			if older != "" {
				b.WriteString(" OR ").Ident(q.C(document.FieldSearchText)).WriteString(" LIKE ").Arg(older).WriteString(` ESCAPE '\'`)
			}
			b.WriteString(")")
		}))
	}
}

// LikeAnyCase reports whether a column has a text in it, whatever the case. SQLite
// knows the cases of ASCII only, and ignores them by itself.
func LikeAnyCase(column, text string) predicate.Document {
	pattern := patternOf(text)
	return func(q *entsql.Selector) {
		like := " LIKE "
		if q.Dialect() == dialect.Postgres {
			like = " ILIKE "
		}
		q.Where(entsql.P(func(b *entsql.Builder) {
			b.Ident(q.C(column)).WriteString(like).Arg(pattern).WriteString(` ESCAPE '\'`)
		}))
	}
}

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
