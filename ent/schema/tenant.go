package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Plan is a plan with its limits; its id is the plan's name.
type Plan struct{ ent.Schema }

// Fields of the Plan.
func (Plan) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("title").MaxLen(80),
		field.Int("rank").Unique(),
		field.JSON("features", []string{}).Annotations(entsql.Default("[]")),
		field.Int("chatbots"),
		field.Int("members"),
		field.Int("tokens_per_chatbot"),
		field.Int("message_chars"),
		field.Int("messages_per_month").Default(-1),
		field.Int("playground_per_month").Default(-1),
		field.Int("knowledge_chars"),
		field.Int("stored_bytes").Default(-1),
		field.Int("requests_per_minute").Default(-1),
		field.Int("concurrent_answers").Default(-1),
		field.Int("retention_days").Default(-1),
		// audit_days is how long owners can read the audit log; -1 is as long as the
		// operator keeps it.
		field.Int("audit_days").Default(-1),
		// Prices are in the currency's smallest unit; -1 is not for sale.
		field.Int("monthly_price").Default(-1),
		field.Int("yearly_price").Default(-1),
		field.String("currency").MaxLen(3).Default("usd"),
		// What Stripe sells, as last read there. Without a currency it was never read.
		field.Int("sold_monthly_price").Default(-1),
		field.Int("sold_yearly_price").Default(-1),
		field.String("sold_currency").MaxLen(3).Default(""),
	}
}

// Workspace is the tenant.
type Workspace struct{ ent.Schema }

// Fields of the Workspace.
func (Workspace) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("name").MaxLen(100 * utf8Max),
		// plan is the one in force: the higher of granted_plan, which an operator
		// grants, and the subscription's.
		field.String("plan").MaxLen(idLen),
		field.String("granted_plan").MaxLen(idLen).Default("starter"),
		// granted_until is when the grant ends; none if it never does.
		field.Time("granted_until").Optional().Nillable(),
		// Messages from before kept_before are kept for kept_days, whatever the
		// plan says: a lower plan deletes nothing. -1 is forever.
		field.Time("kept_before").Optional().Nillable(),
		field.Int("kept_days").Default(0),
		// delete_at is when a workspace that an owner deleted ends; until then the
		// deletion can be taken back.
		field.Time("delete_at").Optional().Nillable(),
		// second_factor_required lets only members in who signed in with one.
		field.Bool("second_factor_required").Default(false),
		created(),
	}
}

// Indexes of the Workspace.
func (Workspace) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("granted_until"),
		index.Fields("delete_at"),
		// for the operator's list, a portion at a time
		index.Fields("created_at", "id"),
	}
}

// Interceptors of the Workspace: its own id is the scope.
func (Workspace) Interceptors() []ent.Interceptor { return confineQueries("id") }

// Hooks of the Workspace.
func (Workspace) Hooks() []ent.Hook { return []ent.Hook{confineChanges("id")} }

// User is a person who can sign in.
type User struct{ ent.Schema }

// Fields of the User.
func (User) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("email").MaxLen(320).Unique(),
		// email_confirmed_at is when the user showed that they read mail at the
		// address.
		field.Time("email_confirmed_at").Optional().Nillable(),
		field.String("password_hash").MaxLen(400).Sensitive(),
		field.String("name").MaxLen(100 * utf8Max).Default(""),
		// time_zone is an IANA name, empty for the browser's own.
		field.String("time_zone").MaxLen(64).Default(""),
		// appearance is "light", "dark", or empty for the browser's own.
		field.String("appearance").MaxLen(10).Default(""),
		created(),
	}
}

// Indexes of the User, for the operator's list, a portion at a time.
func (User) Indexes() []ent.Index { return []ent.Index{index.Fields("created_at", "id")} }

// Member ties a user to a workspace with a role.
type Member struct{ ent.Schema }

// Mixin of the Member.
func (Member) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Member.
func (Member) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").MaxLen(idLen).Immutable(),
		field.String("role").MaxLen(20),
		kept(), overLimit(),
		created(),
	}
}

// Edges of the Member.
func (Member) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "members_workspaces_members"),
		belongsTo("user", User.Type, "members_users_memberships"),
	}
}

// Indexes of the Member.
func (Member) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id", "user_id").Unique(),
		index.Fields("user_id"),
	}
}

// Invitation lets one person join a workspace.
type Invitation struct{ ent.Schema }

// Mixin of the Invitation.
func (Invitation) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Invitation.
func (Invitation) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.String("email").MaxLen(320).Immutable(),
		field.String("role").MaxLen(20).Immutable(),
		field.String("code_hash").MaxLen(64).Unique().Immutable().Sensitive(),
		// invited_by is the id of the user who made it, empty where that was not
		// recorded.
		field.String("invited_by").MaxLen(idLen).Default("").Immutable(),
		field.Time("expires_at").Immutable(),
		created(),
	}
}

// Edges of the Invitation.
func (Invitation) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "invitations_workspaces_invitations"),
	}
}

// Indexes of the Invitation.
func (Invitation) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "email").Unique()}
}

// Session is a signed-in browser; its id is the hash of the cookie's secret.
type Session struct{ ent.Schema }

// Fields of the Session.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().NotEmpty(),
		field.String("user_id").MaxLen(idLen).Immutable(),
		field.Time("last_seen_at"),
		field.Time("expires_at").Immutable(),
		// user_agent and network are those of the sign-in.
		field.String("user_agent").MaxLen(400).Default("").Immutable(),
		field.String("network").MaxLen(64).Default("").Immutable(),
		// last_network is the one of the last use.
		field.String("last_network").MaxLen(64).Default(""),
		// proved_at is when the user last showed in this session who they are.
		field.Time("proved_at").Optional().Nillable(),
		// method is how they signed in: "password", "passkey" or "sso".
		field.String("method").MaxLen(20).Default("password").Immutable(),
		// second_factor says that a second factor was shown in this session.
		field.Bool("second_factor").Default(false),
		// sso_workspace_id is the workspace by whose own identity provider they signed
		// in, empty for any other way.
		field.String("sso_workspace_id").MaxLen(idLen).Default("").Immutable(),
		created(),
	}
}

// Edges of the Session.
func (Session) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("user", User.Type, "sessions_users_sessions"),
	}
}

// Indexes of the Session.
func (Session) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id"), index.Fields("expires_at")}
}

// AddressCode is a link that was mailed to an address, to prove that whoever
// follows it reads its mail; its id is the hash of the code in the link.
type AddressCode struct{ ent.Schema }

// Fields of the AddressCode.
func (AddressCode) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().NotEmpty(),
		field.String("email").MaxLen(320).Immutable(),
		// user_id is whose address it is or is to become, empty for a new account.
		field.String("user_id").MaxLen(idLen).Default("").Immutable(),
		// purpose is what the link does: see account.Purpose. Empty is a new account,
		// or a new address of a user.
		field.String("purpose").MaxLen(20).Default("").Immutable(),
		field.Time("expires_at").Immutable(),
		created(),
	}
}

// Indexes of the AddressCode.
func (AddressCode) Indexes() []ent.Index {
	return []ent.Index{index.Fields("expires_at"), index.Fields("user_id")}
}

// AccountMail is a message to a person about their account, which belongs to
// no workspace.
type AccountMail struct{ ent.Schema }

// Fields of the AccountMail.
func (AccountMail) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.String("key").MaxLen(200).Unique().Immutable(),
		field.String("recipient").MaxLen(320).Immutable(),
		field.String("subject").MaxLen(400).Immutable(),
		// body may hold a link that signs up. It is emptied when the mail is
		// settled, as html is.
		longText("body"),
		longText("html"),
		// due_at is when sending is tried next; none once the mail was sent or given up.
		field.Time("due_at").Optional().Nillable(),
		field.Int("attempts").Default(0),
		field.Time("sent_at").Optional().Nillable(),
		created(),
	}
}

// Indexes of the AccountMail.
func (AccountMail) Indexes() []ent.Index { return []ent.Index{index.Fields("due_at")} }
