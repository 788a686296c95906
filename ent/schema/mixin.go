// Package schema holds the tables: fields, edges and indexes. Rules live in
// the domain packages; the one policy here keeps workspaces apart.
package schema

import (
	"context"
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/entql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"parley/ent/privacy"
	"parley/ent/scope"
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

// Tenant is mixed into every table whose rows belong to a workspace. It adds
// the column and the policy that denies a query without a scope.
type Tenant struct{ mixin.Schema }

// Fields of the mixin.
func (Tenant) Fields() []ent.Field {
	return []ent.Field{field.String("workspace_id").MaxLen(idLen).Immutable().NotEmpty()}
}

// Policy of the mixin.
func (Tenant) Policy() ent.Policy { return confined() }

// confined is the policy of a table with a workspace_id.
func confined() ent.Policy {
	confine := privacy.FilterFunc(confineToScope)
	return privacy.Policy{
		Query:    privacy.QueryPolicy{confine},
		Mutation: privacy.MutationPolicy{privacy.MutationRuleFunc(createInScope), confine},
	}
}

func confineToScope(ctx context.Context, filter privacy.Filter) error {
	workspace, system, ok := scope.From(ctx)
	if !ok {
		return privacy.Denyf("a query of a tenant's table needs a workspace in its context")
	}
	if system {
		return privacy.Skip
	}
	confined, ok := filter.(interface{ WhereWorkspaceID(entql.StringP) })
	if !ok {
		return privacy.Denyf("unexpected filter %T", filter)
	}
	confined.WhereWorkspaceID(entql.StringEQ(workspace))
	return privacy.Skip
}

func createInScope(ctx context.Context, m ent.Mutation) error {
	if !m.Op().Is(ent.OpCreate) {
		return privacy.Skip
	}
	workspace, system, ok := scope.From(ctx)
	if !ok {
		return privacy.Denyf("a row of a tenant's table needs a workspace in its context")
	}
	if value, _ := m.Field("workspace_id"); !system && value != workspace {
		return privacy.Denyf("a row of another workspace than the context's")
	}
	return privacy.Skip
}
