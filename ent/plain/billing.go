package plain

import (
	"entgo.io/ent/dialect/sql/schema"

	"parley/ent/generated/migrate"
)

// subscriptions are what was last read at Stripe of workspaces' subscriptions. A workspace
// that was never a customer has none.
func subscriptions() *schema.Table {
	t := within("subscriptions_workspaces_subscriptions", "workspace_id", migrate.WorkspacesTable,
		table("subscriptions", count("id"),
			// customer_id is empty once the operator has unlinked the workspace.
			text("customer_id", stripeLen),
			// account_id and account_mode say whose customer the workspace is: the id of an
			// account at Stripe, and live or test. Both are empty until Stripe was asked.
			or("", text("account_id", stripeLen)), or("", text("account_mode", 10)),
			// missing_at is when Stripe first said that it does not know the customer.
			maybe(at("missing_at")),
			// customer_stale says that Stripe has not been told the customer's address yet.
			or(false, is("customer_stale")),
			or("", text("subscription_id", stripeLen)), or("", text("status", 40)), or("", text("plan", idLen)), or("", text("interval", 20)),
			maybe(at("period_end")), maybe(at("ends_at")), maybe(at("trial_end")), maybe(at("past_due_since")),
			// amount is what a period costs, in the smallest unit of the currency; 0 if it
			// is not known.
			or(0, count("amount")), or("", text("currency", 3)),
			// invoice_url is Stripe's page of the invoice that is to be paid.
			or("", text("invoice_url", 2048)),
			or("", text("next_plan", idLen)), maybe(at("next_at")),
			// The rule (package plan) sets the three access columns from those above.
			or("starter", text("access_plan", idLen)), maybe(at("access_until")), or(false, is("access_unknown")),
			// unverified_until is when access ends because no Stripe can be asked.
			maybe(at("unverified_until")),
			or(false, is("trial_used")), maybe(at("checkout_at")),
			// revision counts the writes: a writer that read at Stripe before another one
			// wrote re-reads.
			or(0, count("revision")), maybe(at("fetched_at")), at("created_at"), workspaceID())).
		AddIndex("subscription_workspace_id", true, []string{"workspace_id"}).
		AddIndex("subscription_access_until", false, []string{"access_until"}).
		AddIndex("subscription_unverified_until", false, []string{"unverified_until"})
	t = only("customer_id <> ''", t.AddIndex("subscription_customer_id", true, []string{"customer_id"}))
	// for Stripe, which is told of changed addresses every minute
	return only("customer_stale", t.AddIndex("subscription_stale", false, []string{"id"}))
}

// trials say that a person has had their one trial: the id is an account ("user:…") or a
// payment method ("payment:…"). They outlive the workspace.
func trials() *schema.Table {
	// subscription_id is the subscription at Stripe that had the trial.
	return table("trials", text("id", stripeLen), text("subscription_id", stripeLen), at("created_at"))
}

// reversals are money that went back: refunds, and payments that are disputed.
func reversals() *schema.Table {
	return within("reversals_workspaces_reversals", "workspace_id", migrate.WorkspacesTable,
		// stripe_id is the refund's or the dispute's.
		table("reversals", number("id"), text("stripe_id", stripeLen), text("kind", 20), text("status", 40),
			// amount is in the smallest unit of the currency.
			count("amount"), text("currency", 3), at("at"), workspaceID())).
		AddIndex("reversal_workspace_id_stripe_id", true, []string{"workspace_id", "stripe_id"})
}

// billingEvents are those of Stripe whose effect is in the database.
func billingEvents() *schema.Table {
	return table("billing_events", text("id", stripeLen), text("type", 100), at("applied_at")).
		AddIndex("billingevent_applied_at", false, []string{"applied_at"})
}

// quotaNotices say that a workspace's owners were told how much of a month's messages is
// used.
func quotaNotices() *schema.Table {
	return within("quota_notices_workspaces_quota_notices", "workspace_id", migrate.WorkspacesTable,
		// percent is 80 or 100.
		table("quota_notices", number("id"), month(), count("percent"), at("created_at"), workspaceID())).
		AddIndex("quotanotice_workspace_id_month_percent", true, []string{"workspace_id", "month", "percent"})
}
