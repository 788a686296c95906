package subscription_test

import (
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestUnlink(t *testing.T) {
	t.Parallel()
	c := newClock(t)
	c.customer()
	_, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Premium), true, subscription.Cause{})
	c.must(err)
	c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
	revision := c.subscription().Revision

	t.Run("the plan falls back to the granted one, and the log says so", func(t *testing.T) {
		left, err := c.Ledger.Unlink(audit.As(t.Context(), audit.Operator), c.space.ID)
		c.must(err)
		c.isOn(plan.Basic)
		entry := c.history()[0]
		if left != plan.Basic || entry.Action != audit.CustomerUnlinked || entry.Actor != audit.Operator ||
			entry.Detail != "The workspace was unlinked from Stripe's customer cus_shop. Downgraded from Premium to Basic." {
			t.Errorf("it has %s, the log says %+v", left, entry)
		}
	})
	t.Run("a concurrent read at Stripe is not written back", func(t *testing.T) {
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, revision, c.active(plan.Premium), false, subscription.Cause{})
		c.isA(err, fault.Conflict)
	})
	t.Run("there is no second trial", func(t *testing.T) {
		if row := c.subscription(); !row.TrialUsed || row.CustomerID != "" || row.ID != "" || row.Status != plan.None {
			t.Errorf("the row is %+v", row)
		}
	})
	t.Run("the old customer belongs to nobody, and the workspace can get another", func(t *testing.T) {
		_, err := c.Customers.WorkspaceOf(t.Context(), "cus_shop")
		c.isA(err, fault.NotFound)
		stands, err := c.Customers.Set(t.Context(), c.space.ID, subscription.Customer{ID: "cus_new", Account: subscription.StripeAccount{ID: "acct_1", Mode: subscription.Live}})
		if err != nil || stands.CustomerID != "cus_new" || stands.Account.ID != "acct_1" {
			t.Errorf("there stands %+v, %v", stands, err)
		}
	})
	t.Run("a workspace without a customer has nothing to unlink", func(t *testing.T) {
		c := newClock(t)
		_, err := c.Ledger.Unlink(audit.As(t.Context(), audit.Operator), c.space.ID)
		c.isA(err, fault.Conflict)
	})
}

func TestCustomerMissing(t *testing.T) {
	t.Parallel()
	c := newClock(t)
	c.customer()
	c.bill(c.active(plan.Basic))
	missing := func(customer string) bool {
		c.Helper()
		news, err := c.Customers.MarkMissing(t.Context(), c.space.ID, customer)
		c.must(err)
		return news
	}
	t.Run("it is new only once, and takes nothing away", func(t *testing.T) {
		if !missing("cus_shop") || missing("cus_shop") {
			t.Error("it is not, or it is twice")
		}
		c.isOn(plan.Basic)
	})
	t.Run("a response from Stripe removes the mark", func(t *testing.T) {
		c.bill(c.active(plan.Basic))
		if c.subscription().MissingAt != nil || !missing("cus_shop") {
			t.Error("the mark is there still")
		}
	})
	t.Run("so does another customer", func(t *testing.T) {
		_, err := c.Customers.Replace(t.Context(), c.space.ID, "cus_shop", subscription.Customer{ID: "cus_new"})
		c.must(err)
		if missing("cus_shop") || c.subscription().MissingAt != nil {
			t.Error("the new customer is marked")
		}
	})
}

func TestStripeAccount(t *testing.T) {
	t.Parallel()
	live := subscription.StripeAccount{ID: "acct_1", Mode: subscription.Live}
	for _, c := range []struct {
		sentence string
		is       subscription.StripeAccount
		other    bool
	}{
		{"the same account is not different", live, false},
		{"another id is different", subscription.StripeAccount{ID: "acct_2", Mode: subscription.Live}, true},
		{"test mode and live mode are different", subscription.StripeAccount{ID: "acct_1", Mode: subscription.Test}, true},
		{"an unknown id is not a difference", subscription.StripeAccount{Mode: subscription.Live}, false},
		{"nor is an unknown mode", subscription.StripeAccount{ID: "acct_1"}, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			if live.Other(c.is) != c.other || c.is.Other(live) != c.other {
				t.Errorf("%+v is another: %v", c.is, !c.other)
			}
		})
	}
}
