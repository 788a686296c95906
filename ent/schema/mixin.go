// Package schema holds the tables: fields, edges and indexes. Rules live in
// the domain packages; the one rule here keeps workspaces apart.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
)

const idLen = 40

// utf8Max turns a limit in characters, which the domain packages check, into one
// in bytes, which MaxLen counts.
const utf8Max = 4

// stringID is the key of a table whose identifiers are opaque strings.
func stringID() ent.Field {
	return field.String("id").MaxLen(idLen).Immutable().NotEmpty()
}

// created is the column that says when a row was made.
func created() ent.Field {
	return field.Time("created_at").Immutable().Default(func() time.Time { return time.Now().UTC() })
}

// kept says that an owner wants a thing to stay active when the plan includes
// fewer.
func kept() ent.Field { return field.Bool("kept").Default(false) }

// overLimit says that the plan includes fewer of a thing than there are, and
// that this one is suspended.
func overLimit() ent.Field { return field.Bool("over_limit").Default(false) }

// longText is a text without a limit on either database.
func longText(name string) ent.Field {
	return field.String(name).Default("").SchemaType(map[string]string{
		dialect.Postgres: "text", dialect.SQLite: "text",
	})
}

// belongsTo is the edge to the row that a row goes with when it is deleted. The symbol is
// the foreign key's name in the databases.
func belongsTo(name string, parent any, symbol string) ent.Edge {
	return edge.To(name, parent).Field(name + "_id").Unique().Required().Immutable().
		StorageKey(edge.Symbol(symbol)).Annotations(entsql.OnDelete(entsql.Cascade))
}
