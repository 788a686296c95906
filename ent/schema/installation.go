package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// InstallationKey is a secret that all processes of an installation share, by
// what it is for. It is made at the first start and never changes.
type InstallationKey struct{ ent.Schema }

// Fields of the InstallationKey.
func (InstallationKey) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.Bytes("key").Immutable().Sensitive(),
		created(),
	}
}
