package webhook

import (
	"context"
	"crypto/rand"
	"maps"
	"strings"
	"testing"
	"time"

	"parley/core/plan"
	"parley/core/tenant"
)

// books are the ports of a publisher, for a workspace with two endpoints.
type books struct {
	EndpointStore
	DeliveryStore
	pending map[string]int
	counted int
	added   []Sending
}

func (b *books) ActiveEndpoints(context.Context, string) ([]Endpoint, error) {
	return []Endpoint{{ID: "we_down", Kinds: []Kind{QuotaNear}}, {ID: "we_up", Kinds: []Kind{QuotaNear}}}, nil
}

func (b *books) Pending(context.Context, string) (map[string]int, error) {
	b.counted++
	return maps.Clone(b.pending), nil
}

func (b *books) AddMessages(_ context.Context, _ string, sendings []Sending) error {
	b.added = append(b.added, sendings...)
	return nil
}

func (b *books) Workspace(context.Context, string) (tenant.Workspace, error) {
	return tenant.Workspace{}, nil
}

func (b *books) Plan(context.Context, plan.Name) (plan.Plan, error) {
	return plan.Plan{Name: plan.Standard, Limits: plan.Limits{Features: []plan.Feature{plan.FeatureAPI}}}, nil
}

func TestBacklogIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &books{pending: map[string]int{"we_down": MaxPending - 1}}
	p := NewPublisher(PublishPorts{Endpoints: b, Deliveries: b, Workspaces: b, Plans: b}, func() time.Time { return now }, rand.Reader)
	publish := func() Sending {
		t.Helper()
		if err := p.Publish(t.Context(), "ws_1", Event{Kind: QuotaNear, At: now}); err != nil {
			t.Fatal(err)
		}
		return b.added[len(b.added)-1]
	}
	if s := publish(); len(s.Endpoints) != 2 || len(s.Full) != 0 {
		t.Errorf("the last that has room goes to %v, and not to %v", s.Endpoints, s.Full)
	}
	s := publish()
	if len(s.Endpoints) != 1 || s.Endpoints[0] != "we_up" || len(s.Full) != 1 || s.Full[0] != "we_down" {
		t.Errorf("one too many goes to %v, and not to %v", s.Endpoints, s.Full)
	}
	if len(s.Log) != 1 || !strings.Contains(s.Log[0].Answer, "5,000 others were waiting") {
		t.Errorf("its log is %+v", s.Log)
	}
	if b.counted != 1 {
		t.Errorf("what waits was counted %d times", b.counted)
	}
	b.pending = map[string]int{}
	now = now.Add(recount)
	if s := publish(); len(s.Endpoints) != 2 || b.counted != 2 {
		t.Errorf("when the receiver has caught up, it goes to %v", s.Endpoints)
	}
}
