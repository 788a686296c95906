package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Mail is a message that is to be sent, or was.
type Mail struct{ ent.Schema }

// Mixin of the Mail.
func (Mail) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Mail.
func (Mail) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		// key keeps the same mail from being written twice.
		field.String("key").MaxLen(200).Unique().Immutable(),
		field.String("recipient").MaxLen(320).Immutable(),
		field.String("subject").MaxLen(400).Immutable(),
		longText("body"),
		longText("html"),
		// due_at is when sending is tried next; none once the mail was sent or given up.
		field.Time("due_at").Optional().Nillable(),
		field.Int("attempts").Default(0),
		field.Time("sent_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Mail.
func (Mail) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "mails_workspaces_mails"),
	}
}

// Indexes of the Mail.
func (Mail) Indexes() []ent.Index {
	return []ent.Index{index.Fields("due_at"), index.Fields("workspace_id")}
}
