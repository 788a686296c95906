package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Authenticator is an app that makes one-time codes for a user (RFC 6238).
type Authenticator struct{ ent.Schema }

// Fields of the Authenticator.
func (Authenticator) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").MaxLen(idLen).Immutable(),
		// secret is sealed with the server's key.
		field.Bytes("secret").Sensitive(),
		// confirmed_at is when the user first entered a code; before, it lets nobody
		// in.
		field.Time("confirmed_at").Optional().Nillable(),
		// last_step is the time step of the last code, which is used once.
		field.Int64("last_step").Default(0),
		created(),
	}
}

// Edges of the Authenticator.
func (Authenticator) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("user", User.Type, "authenticators_users_authenticators")}
}

// Indexes of the Authenticator.
func (Authenticator) Indexes() []ent.Index { return []ent.Index{index.Fields("user_id").Unique()} }

// RecoveryCode signs a user in once who has lost their second factor.
type RecoveryCode struct{ ent.Schema }

// Fields of the RecoveryCode.
func (RecoveryCode) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").MaxLen(idLen).Immutable(),
		field.String("code_hash").MaxLen(64).Immutable().Sensitive(),
		field.Time("used_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the RecoveryCode.
func (RecoveryCode) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("user", User.Type, "recovery_codes_users_recovery_codes")}
}

// Indexes of the RecoveryCode.
func (RecoveryCode) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "code_hash").Unique()}
}

// Passkey is a credential of WebAuthn with which a user signs in.
type Passkey struct{ ent.Schema }

// Fields of the Passkey.
func (Passkey) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("user_id").MaxLen(idLen).Immutable(),
		// credential_id is base64url.
		field.String("credential_id").MaxLen(1400).Unique().Immutable(),
		// credential is JSON: the public key, its counter and its flags.
		longText("credential"),
		field.String("name").MaxLen(100 * utf8Max),
		field.Time("last_used_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Passkey.
func (Passkey) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("user", User.Type, "passkeys_users_passkeys")}
}

// Indexes of the Passkey.
func (Passkey) Indexes() []ent.Index { return []ent.Index{index.Fields("user_id")} }

// SignInStep is what a browser has begun and not ended: a sign-in that waits for
// a second factor, a challenge of WebAuthn, or a visit to an identity provider. Its
// id is the hash of a secret that the browser holds.
type SignInStep struct{ ent.Schema }

// Fields of the SignInStep.
func (SignInStep) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().NotEmpty(),
		field.String("kind").MaxLen(20).Immutable(),
		// user_id is empty while nobody knows who it is.
		field.String("user_id").MaxLen(idLen).Default("").Immutable(),
		// data is JSON of the step's kind.
		longText("data"),
		field.Int("failures").Default(0),
		field.Time("expires_at").Immutable(),
		created(),
	}
}

// Indexes of the SignInStep.
func (SignInStep) Indexes() []ent.Index {
	return []ent.Index{index.Fields("expires_at"), index.Fields("user_id")}
}

// Identity is a user's account at an identity provider (OpenID Connect).
type Identity struct{ ent.Schema }

// Fields of the Identity.
func (Identity) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").MaxLen(idLen).Immutable(),
		field.String("issuer").MaxLen(500).Immutable(),
		field.String("subject").MaxLen(255 * utf8Max).Immutable(),
		// connection_id is the workspace's connection, empty for the installation's.
		field.String("connection_id").MaxLen(idLen).Default("").Immutable(),
		field.Time("last_used_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Identity.
func (Identity) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("user", User.Type, "identities_users_identities")}
}

// Indexes of the Identity.
func (Identity) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("issuer", "subject", "connection_id").Unique(),
		index.Fields("user_id"),
	}
}
