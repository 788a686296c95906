package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
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
		// seq is the entry's place in its chain, from 1; zero is an entry from
		// before there were chains.
		field.Int64("seq").Default(0).Immutable(),
		// hash is the SHA-256, in hex, of the entry and of the hash before it.
		field.String("hash").MaxLen(64).Default("").Immutable(),
		// address_hash stands for the address in hash. The address and its salt are
		// removed together: see the guards in the migration audit_address_guards.
		field.String("address_hash").MaxLen(64).Default("").Immutable(),
		field.String("address_salt").MaxLen(32).Default("").Immutable(),
		// version says how hash is made.
		field.Int("version").Default(1).Immutable(),
	}
}

// Mixin of the AuditEntry.
func (AuditEntry) Mixin() []ent.Mixin { return []ent.Mixin{Walled{}} }

// Indexes of the AuditEntry.
func (AuditEntry) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id", "id"),
		index.Fields("at"),
		// for reading a chain in order
		index.Fields("workspace_id", "seq"),
		// for finding the addresses that are to be removed
		index.Fields("at").StorageKey("auditentry_addressed").Annotations(entsql.IndexWhere("address <> ''")),
	}
}

// Erasure is the receipt for something whose data was erased on request. It
// stays when its workspace is deleted: workspace_id is no foreign key.
type Erasure struct{ ent.Schema }

// Fields of the Erasure.
func (Erasure) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		// workspace_id is null for a person's account.
		field.String("workspace_id").MaxLen(idLen).Optional().Immutable(),
		// kind is "end_user", "workspace" or "account".
		field.String("kind").MaxLen(20).Immutable(),
		// subject_hash is the SHA-256, in hex, of whose data it was: the receipt
		// itself names nobody.
		field.String("subject_hash").MaxLen(64).Immutable(),
		field.String("requested_by").MaxLen(maxActor).Default("").Immutable(),
		// erased counts what was erased, and remaining what there still is, both by kind.
		field.JSON("erased", map[string]int64{}).Annotations(entsql.Default("{}")),
		field.JSON("remaining", map[string]int64{}).Annotations(entsql.Default("{}")),
		// done_at is none while anything remains.
		field.Time("done_at").Optional().Nillable(),
		created(),
	}
}

// Mixin of the Erasure.
func (Erasure) Mixin() []ent.Mixin { return []ent.Mixin{Walled{}} }

// Indexes of the Erasure.
func (Erasure) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "created_at"), index.Fields("done_at")}
}
