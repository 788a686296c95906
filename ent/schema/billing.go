package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Subscription is what was last read at Stripe of a workspace's subscription.
// A workspace that was never a customer has none.
type Subscription struct{ ent.Schema }

// Mixin of the Subscription.
func (Subscription) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Subscription.
func (Subscription) Fields() []ent.Field {
	return []ent.Field{
		// customer_id is empty once the operator has unlinked the workspace.
		field.String("customer_id").MaxLen(stripeIDLen),
		// account_id and account_mode say whose customer the workspace is: the id of an
		// account at Stripe, and live or test. Both are empty until Stripe was asked.
		field.String("account_id").MaxLen(stripeIDLen).Default(""),
		field.String("account_mode").MaxLen(10).Default(""),
		// missing_at is when Stripe first said that it does not know the customer.
		field.Time("missing_at").Optional().Nillable(),
		// customer_stale says that Stripe has not been told the customer's
		// address yet.
		field.Bool("customer_stale").Default(false),
		field.String("subscription_id").MaxLen(stripeIDLen).Default(""),
		field.String("status").MaxLen(40).Default(""),
		field.String("plan").MaxLen(idLen).Default(""),
		field.String("interval").MaxLen(20).Default(""),
		field.Time("period_end").Optional().Nillable(),
		field.Time("ends_at").Optional().Nillable(),
		field.Time("trial_end").Optional().Nillable(),
		field.Time("past_due_since").Optional().Nillable(),
		// amount is what a period costs, in the smallest unit of the currency; 0
		// if it is not known.
		field.Int("amount").Default(0),
		field.String("currency").MaxLen(3).Default(""),
		// invoice_url is Stripe's page of the invoice that is to be paid.
		field.String("invoice_url").MaxLen(stripeURLLen).Default(""),
		field.String("next_plan").MaxLen(idLen).Default(""),
		field.Time("next_at").Optional().Nillable(),
		// The rule (package plan) sets the three access fields from the fields above.
		field.String("access_plan").MaxLen(idLen).Default("starter"),
		field.Time("access_until").Optional().Nillable(),
		field.Bool("access_unknown").Default(false),
		// unverified_until is when access ends because no Stripe can be asked.
		field.Time("unverified_until").Optional().Nillable(),
		field.Bool("trial_used").Default(false),
		field.Time("checkout_at").Optional().Nillable(),
		// revision counts the writes: a writer that read at Stripe before another
		// one wrote re-reads.
		field.Int("revision").Default(0),
		field.Time("fetched_at").Optional().Nillable(),
		created(),
	}
}

// Edges of the Subscription.
func (Subscription) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "subscriptions_workspaces_subscriptions"),
	}
}

// Indexes of the Subscription.
func (Subscription) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id").Unique(), index.Fields("access_until"), index.Fields("unverified_until"),
		index.Fields("customer_id").Unique().Annotations(entsql.IndexWhere("customer_id <> ''")),
		// for Stripe, which is told of changed addresses every minute
		index.Fields("id").StorageKey("subscription_stale").Annotations(entsql.IndexWhere("customer_stale")),
	}
}

const (
	stripeIDLen  = 255
	stripeURLLen = 2048
)

// Trial says that a person has had their one trial: the id is an account
// ("user:…") or a payment method ("payment:…"). It outlives the workspace.
type Trial struct{ ent.Schema }

// Fields of the Trial.
func (Trial) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(stripeIDLen).Immutable().NotEmpty(),
		// subscription_id is the subscription at Stripe that had the trial.
		field.String("subscription_id").MaxLen(stripeIDLen).Immutable(),
		created(),
	}
}

// Reversal is money that went back: a refund, or a payment that is disputed.
type Reversal struct{ ent.Schema }

// Mixin of the Reversal.
func (Reversal) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the Reversal.
func (Reversal) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		// stripe_id is that of the refund or the dispute.
		field.String("stripe_id").MaxLen(stripeIDLen).Immutable().NotEmpty(),
		field.String("kind").MaxLen(20).Immutable(),
		field.String("status").MaxLen(40),
		// amount is in the smallest unit of the currency.
		field.Int("amount"),
		field.String("currency").MaxLen(3).Immutable(),
		field.Time("at"),
	}
}

// Edges of the Reversal.
func (Reversal) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "reversals_workspaces_reversals"),
	}
}

// Indexes of the Reversal.
func (Reversal) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "stripe_id").Unique()}
}

// BillingEvent is an event from Stripe whose effect is in the database.
type BillingEvent struct{ ent.Schema }

// Fields of the BillingEvent.
func (BillingEvent) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(stripeIDLen).Immutable().NotEmpty(),
		field.String("type").MaxLen(100).Immutable(),
		field.Time("applied_at").Immutable(),
	}
}

// Indexes of the BillingEvent.
func (BillingEvent) Indexes() []ent.Index { return []ent.Index{index.Fields("applied_at")} }

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

// QuotaNotice says that a workspace's owners were told how much of a month's
// messages is used.
type QuotaNotice struct{ ent.Schema }

// Mixin of the QuotaNotice.
func (QuotaNotice) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields of the QuotaNotice.
func (QuotaNotice) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		// month is that of Usage.
		field.String("month").MaxLen(20).Immutable(),
		// percent is 80 or 100.
		field.Int("percent").Immutable(),
		created(),
	}
}

// Edges of the QuotaNotice.
func (QuotaNotice) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("workspace", Workspace.Type, "quota_notices_workspaces_quota_notices"),
	}
}

// Indexes of the QuotaNotice.
func (QuotaNotice) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "month", "percent").Unique()}
}

// Chore is work that one process at a time does now and then; its id is its
// name.
type Chore struct{ ent.Schema }

// Fields of the Chore.
func (Chore) Fields() []ent.Field {
	return []ent.Field{
		stringID(),
		field.Time("begun_at"),
	}
}

// Rebuild is a rebuild of the index that has not finished catching up.
type Rebuild struct{ ent.Schema }

// Fields of the Rebuild.
func (Rebuild) Fields() []ent.Field {
	return []ent.Field{field.Time("began_at").Immutable()}
}
