package billing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/plan"
)

// TestSetupIsRecorded has the operator set up an account at Stripe, and reads the audit log.
func TestSetupIsRecorded(t *testing.T) {
	s := newEmptyShop(t)
	last := func() audit.Entry { return s.ledger.setUp[len(s.ledger.setUp)-1] }
	t.Run("a dry run leaves nothing", func(t *testing.T) {
		if _, err := s.Setup.Sync(t.Context(), plan.Defaults(), true); err != nil || len(s.ledger.setUp) != 0 {
			t.Errorf("%v, it leaves %+v", err, s.ledger.setUp)
		}
	})
	t.Run("what is synced is one entry with every change", func(t *testing.T) {
		s.sync(t, plan.Defaults())
		if len(s.ledger.setUp) != 1 || last().Action != audit.PlansSynced || len(last().Changes) != 10 || last().Changes[0].Field != "create product parley_basic" || last().Detail != "" {
			t.Errorf("it leaves %+v", s.ledger.setUp)
		}
	})
	t.Run("where nothing differs there is no entry", func(t *testing.T) {
		s.sync(t, plan.Defaults())
		if len(s.ledger.setUp) != 1 {
			t.Errorf("it leaves %+v", s.ledger.setUp)
		}
	})
	t.Run("what failed in the middle says so, with what was done before", func(t *testing.T) {
		dearer := plan.Defaults()
		for i := range dearer {
			if dearer[i].Price.Monthly > 0 {
				dearer[i].Price.Monthly += 100
			}
		}
		posts := 0
		s.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Method == http.MethodPost {
				if posts++; posts == 2 {
					s.stripe.SetDown(true)
				}
			}
		})
		if _, err := s.Setup.Sync(t.Context(), dearer, false); err == nil {
			t.Fatal("it did not fail")
		}
		s.stripe.OnAnswer(nil)
		s.stripe.SetDown(false)
		if len(s.ledger.setUp) != 2 || last().Detail != "It failed after these changes." || len(last().Changes) == 0 {
			t.Errorf("it leaves %+v", last())
		}
	})
	t.Run("an endpoint is recorded when it is made and replaced, without its secret, and not when it stays", func(t *testing.T) {
		made := s.save(t, false)
		s.save(t, false)
		replaced := s.save(t, true)
		entries := s.ledger.setUp[2:]
		actions := []audit.Action{}
		for _, e := range entries {
			actions = append(actions, e.Action)
			if e.Object.Name != hook || e.Object.Kind != "stripe webhook" {
				t.Errorf("it is about %+v", e.Object)
			}
		}
		if !slices.Equal(actions, []audit.Action{audit.EndpointSaved, audit.EndpointReplaced}) {
			t.Errorf("it leaves %v", actions)
		}
		if text := fmt.Sprintf("%+v", entries); strings.Contains(text, made.Secret) || strings.Contains(text, replaced.Secret) {
			t.Error("it has a secret")
		}
	})
}
