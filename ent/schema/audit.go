package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// AuditEntry is something that was done, by whom and from where. It stays when
// its workspace is deleted: workspace_id is no foreign key.
type AuditEntry struct{ ent.Schema }

const (
	maxActor   = 320
	maxAddress = 64
	maxRequest = 128
)

// Fields of the AuditEntry.
func (AuditEntry) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		// workspace_id is null for an action that concerns no workspace.
		field.String("workspace_id").MaxLen(idLen).Optional().Immutable(),
		field.String("actor").MaxLen(maxActor).Immutable(),
		// user_id is empty for an actor that is no person.
		field.String("user_id").MaxLen(idLen).Default("").Immutable(),
		field.String("action").MaxLen(60).Immutable(),
		field.String("object_kind").MaxLen(40).Default("").Immutable(),
		field.String("object_id").MaxLen(maxActor).Default("").Immutable(),
		field.String("object_name").MaxLen(100 * utf8Max).Default("").Immutable(),
		field.String("detail").MaxLen(2000).Immutable(),
		// Each of the changes has field, old and new.
		field.JSON("changes", []map[string]string{}).Optional().Immutable(),
		field.String("address").MaxLen(maxAddress).Default("").Immutable(),
		field.String("request_id").MaxLen(maxRequest).Default("").Immutable(),
		field.Time("at").Immutable(),
	}
}

// Policy of the AuditEntry.
func (AuditEntry) Policy() ent.Policy { return confined() }

// Indexes of the AuditEntry.
func (AuditEntry) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "id"), index.Fields("at")}
}
