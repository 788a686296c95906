package schema

import (
	"context"
	"fmt"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"parley/ent/scope"
)

// Tenant is mixed into every table whose rows belong to a workspace. It adds
// the column and the wall.
type Tenant struct{ mixin.Schema }

// Fields of the mixin.
func (Tenant) Fields() []ent.Field {
	return []ent.Field{field.String("workspace_id").MaxLen(idLen).Immutable().NotEmpty()}
}

// Interceptors of the mixin.
func (Tenant) Interceptors() []ent.Interceptor { return confineQueries("workspace_id") }

// Hooks of the mixin.
func (Tenant) Hooks() []ent.Hook { return []ent.Hook{createInScope, confineChanges("workspace_id")} }

// Walled is the wall of a table that declares its workspace_id itself, because
// some rows belong to no workspace.
type Walled struct{ mixin.Schema }

// Interceptors of the mixin.
func (Walled) Interceptors() []ent.Interceptor { return Tenant{}.Interceptors() }

// Hooks of the mixin.
func (Walled) Hooks() []ent.Hook { return Tenant{}.Hooks() }

// confineQueries confines queries to the rows whose column has the workspace of their
// context. Eager loading and counting count as queries.
func confineQueries(column string) []ent.Interceptor {
	return []ent.Interceptor{ent.TraverseFunc(func(ctx context.Context, q ent.Query) error { return confine(ctx, q, column) })}
}

// confineChanges confines updates and deletions to the rows whose column has the workspace
// of their context, and refuses a creation whose context names none.
func confineChanges(column string) ent.Hook {
	return func(next ent.Mutator) ent.Mutator {
		return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
			if err := confine(ctx, m, column); err != nil {
				return nil, err
			}
			return next.Mutate(ctx, m)
		})
	}
}

// confine adds a condition to a query or change, unless it is the system's.
func confine(ctx context.Context, statement any, column string) error {
	allowed, ok := scope.From(ctx)
	if !ok {
		return fmt.Errorf("%T: %w", statement, scope.ErrNone)
	}
	if allowed.System {
		return nil
	}
	narrowed, is := statement.(interface{ WhereP(...func(*sql.Selector)) })
	if !is {
		return fmt.Errorf("%T takes no condition: %w", statement, scope.ErrNone)
	}
	if allowed.Unplaced {
		narrowed.WhereP(sql.FieldIsNull(column))
	} else {
		narrowed.WhereP(sql.FieldEQ(column, allowed.Workspace))
	}
	return nil
}

// createInScope refuses a row of another workspace than the context's.
func createInScope(next ent.Mutator) ent.Mutator {
	return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
		allowed, _ := scope.From(ctx)
		if value, _ := m.Field("workspace_id"); m.Op().Is(ent.OpCreate) && !allowed.System && value != allowed.Workspace {
			return nil, fmt.Errorf("a row of another workspace than the context's: %w", scope.ErrNone)
		}
		return next.Mutate(ctx, m)
	})
}
