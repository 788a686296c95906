package billing

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/plan"
	"parley/core/subscription"
)

// listed is what Stripe says of a subscription with items: each is the name of a plan, or of
// something else that is sold, and a quantity.
func listed(id string, status plan.Status, created int, items ...string) string {
	var data []string
	for i, item := range items {
		name, quantity, _ := strings.Cut(item, " × ")
		key := "parley_" + name + "_monthly"
		if name == "support" {
			key = name
		}
		data = append(data, fmt.Sprintf(`{"id":"si_%s_%d","quantity":%s,"price":{"id":"price_%s","lookup_key":%q,"unit_amount":500,"currency":"usd","recurring":{"interval":"month"}}}`, id, i, quantity, name, key))
	}
	return fmt.Sprintf(`{"id":%q,"status":%q,"created":%d,"current_period_end":1800000000,"items":{"data":[%s]}}`, id, status, created, strings.Join(data, ","))
}

func TestUnknownPrice(t *testing.T) {
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	was := func(status plan.Status, access plan.Name) subscription.Subscription {
		return subscription.Subscription{
			WorkspaceID: workspace, CustomerID: "cus_1", Access: plan.Access{Plan: access},
			Billed: subscription.Billed{ID: "sub_1", Status: status, Plan: plan.Premium, Interval: plan.Monthly},
		}
	}
	lapsed := was(plan.PastDue, plan.Premium)
	lapsed.Access.Until = &past
	switchedOff := was(plan.Active, plan.Free)
	switchedOff.UnverifiedUntil = &past
	never := subscription.Subscription{WorkspaceID: workspace, CustomerID: "cus_1"}
	for _, test := range []struct {
		name  string
		known subscription.Subscription
		now   []string
		want  plan.Name
		alarm bool
	}{
		{"what else is sold gives no plan that has ended", was(plan.Canceled, plan.Free), []string{listed("sub_1", plan.Canceled, 1, "premium × 1"), listed("sub_2", plan.Active, 2, "support × 1")}, plan.Free, true},
		{"nor one that ends at the same time", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Canceled, 1, "premium × 1"), listed("sub_2", plan.Active, 2, "support × 1")}, plan.Free, true},
		{"nor one that Stripe has forgotten", was(plan.Active, plan.Premium), []string{listed("sub_2", plan.Active, 2, "support × 1")}, plan.Free, true},
		{"nor any to who never had one", never, []string{listed("sub_2", plan.Active, 2, "support × 1")}, plan.Free, true},
		{"a plan that is no longer sold or known is none", was(plan.Canceled, plan.Free), []string{listed("sub_2", plan.Active, 2, "gold × 1")}, plan.Free, true},
		{"a trial of something else gives none", was(plan.Canceled, plan.Free), []string{listed("sub_2", plan.Trialing, 2, "support × 1")}, plan.Free, true},
		{"a subscription without items gives none", was(plan.Canceled, plan.Free), []string{listed("sub_2", plan.Active, 2)}, plan.Free, true},
		{"of a plan none are none", was(plan.Canceled, plan.Free), []string{listed("sub_2", plan.Active, 2, "premium × 0")}, plan.Free, true},
		{"of several items only one with a quantity counts", was(plan.Canceled, plan.Free), []string{listed("sub_2", plan.Active, 2, "premium × 0", "support × 2", "basic × 1")}, plan.Basic, false},
		{"what else is paid on time does not hide a plan that is overdue", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.PastDue, 1, "premium × 1"), listed("sub_2", plan.Active, 2, "support × 1")}, plan.Premium, true},
		{"nor a lower plan", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Active, 1, "basic × 1"), listed("sub_2", plan.Active, 2, "support × 1")}, plan.Basic, true},
		{"a plan's own subscription keeps it at another price", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Premium, true},
		{"also while that is overdue", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.PastDue, 1, "support × 1")}, plan.Premium, true},
		{"also beside a lower plan", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Active, 1, "support × 1"), listed("sub_2", plan.Active, 2, "basic × 1")}, plan.Premium, true},
		{"also after Stripe was switched off", switchedOff, []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Premium, true},
		{"one that nobody had paid gives none for another price", was(plan.Incomplete, plan.Free), []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Free, true},
		{"nor does one that was unpaid", was(plan.Unpaid, plan.Free), []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Free, true},
		{"nor one that was paused", was(plan.Paused, plan.Free), []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Free, true},
		{"nor one whose grace is over", lapsed, []string{listed("sub_1", plan.Active, 1, "support × 1")}, plan.Free, true},
		{"a paused one keeps none", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Paused, 1, "support × 1")}, plan.Free, true},
		{"one that has ended raises no alarm", was(plan.Active, plan.Premium), []string{listed("sub_1", plan.Canceled, 1, "support × 1")}, plan.Free, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newEmptyShop(t)
			config := s.configured()
			config.BaseURL = answering(t, map[string]string{"/v1/subscriptions": `{"data":[` + strings.Join(test.now, ",") + `]}`, "/v1/invoices": `{"data":[]}`})
			s.Service = New(config, s.ledger.books(), s.now, s.log, s.watcher)
			s.ledger.rows[workspace] = test.known
			for range 2 { // once more, as every night
				if _, err := s.Refresh(t.Context(), workspace, subscription.Cause{}); err != nil {
					t.Fatal(err)
				}
				if row := s.row(t); row.Access.Plan != test.want || row.Access.Unknown {
					t.Errorf("got %+v, want %s", row, test.want)
				}
			}
			if alarm := s.watcher.of("alarm "+UnknownPrice) > 0; alarm != test.alarm {
				t.Errorf("the observer was told %v", s.watcher.counts)
			}
		})
	}
}
