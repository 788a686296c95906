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
	_, err := c.Ledger.ApplySubscription(t.Context(), c.space.ID, 0, c.active(plan.Premium), true, subscription.Cause{})
	c.must(err)
	c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
	revision := c.subscription().Revision

	t.Run("the plan falls back to what was granted, and the log says so", func(t *testing.T) {
		left, err := c.Ledger.Unlink(audit.As(t.Context(), audit.Operator), c.space.ID)
		c.must(err)
		c.isOn(plan.Basic)
		entry := c.history()[0]
		if left != plan.Basic || entry.Action != audit.CustomerUnlinked || entry.Actor != audit.Operator ||
			entry.Detail != "The workspace was unlinked from Stripe's customer cus_shop. The workspace went from Premium to Basic." {
			t.Errorf("it has %s, the log says %+v", left, entry)
		}
	})
	t.Run("what is read at Stripe at that moment is not written", func(t *testing.T) {
		_, err := c.Ledger.ApplySubscription(t.Context(), c.space.ID, revision, c.active(plan.Premium), false, subscription.Cause{})
		c.isA(err, fault.Conflict)
	})
	t.Run("there is no second trial", func(t *testing.T) {
		if row := c.subscription(); !row.TrialUsed || row.CustomerID != "" || row.ID != "" || row.Status != plan.None {
			t.Errorf("the row is %+v", row)
		}
	})
	t.Run("the old customer is nobody's, and the workspace can have another", func(t *testing.T) {
		_, err := c.Customers.WorkspaceByCustomer(t.Context(), "cus_shop")
		c.isA(err, fault.NotFound)
		stands, err := c.Customers.SetCustomer(t.Context(), c.space.ID, subscription.Customer{ID: "cus_new", Account: subscription.StripeAccount{ID: "acct_1", Mode: subscription.Live}})
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
		news, err := c.Customers.CustomerMissing(t.Context(), c.space.ID, customer)
		c.must(err)
		return news
	}
	t.Run("it is news once, and takes nothing away", func(t *testing.T) {
		if !missing("cus_shop") || missing("cus_shop") {
			t.Error("it is not, or it is twice")
		}
		c.isOn(plan.Basic)
	})
	t.Run("an answer of Stripe's takes the mark back", func(t *testing.T) {
		c.bill(c.active(plan.Basic))
		if c.subscription().MissingAt != nil || !missing("cus_shop") {
			t.Error("the mark is there still")
		}
	})
	t.Run("so does another customer, of whom the old one says nothing", func(t *testing.T) {
		_, err := c.Customers.ReplaceCustomer(t.Context(), c.space.ID, "cus_shop", subscription.Customer{ID: "cus_new"})
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
		{"the same is no other", live, false},
		{"another id is another", subscription.StripeAccount{ID: "acct_2", Mode: subscription.Live}, true},
		{"test mode is another than live mode", subscription.StripeAccount{ID: "acct_1", Mode: subscription.Test}, true},
		{"an id that is not known is no difference", subscription.StripeAccount{Mode: subscription.Live}, false},
		{"nor is a mode that is not known", subscription.StripeAccount{ID: "acct_1"}, false},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			if live.Other(c.is) != c.other || c.is.Other(live) != c.other {
				t.Errorf("%+v is another: %v", c.is, !c.other)
			}
		})
	}
}
