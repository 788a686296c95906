package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
)

// Event is something that happened in a workspace.
type Event struct {
	Kind Kind
	// Key makes the message's id, so that the same event is sent once however often
	// it is published. Empty makes a random one.
	Key string
	// ChatbotID is empty for what concerns no single chatbot.
	ChatbotID string
	At        time.Time
	// Data becomes the JSON object "data". It holds public identifiers only.
	Data any
}

// maxAge is how old an event may be that is sent. Statistics that are made again find
// old answers once more.
const maxAge = 7 * 24 * time.Hour

// envelope is a payload, in the order in which people read it.
type envelope struct {
	Type      Kind   `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      any    `json:"data"`
}

// payload is the body of an event's message.
func (e Event) payload() (string, error) {
	written, err := json.Marshal(envelope{e.Kind, e.At.UTC().Format(time.RFC3339Nano), e.Data})
	return string(written), err
}

func (e Event) message(random io.Reader, now time.Time) (Message, error) {
	m := Message{ID: "msg_" + e.Key, ChatbotID: e.ChatbotID, Kind: e.Kind, CreatedAt: now}
	if e.Key == "" {
		m.ID = id.New(random, "msg")
	}
	var err error
	m.Payload, err = e.payload()
	return m, err
}

// Publisher writes events for the endpoints that want them.
type Publisher struct {
	ports  PublishPorts
	now    func() time.Time
	random io.Reader

	mu sync.Mutex
	// counted is what waited in workspaces when it was counted last, and what was
	// added since.
	counted map[string]pending
}

// pending is what waits for each endpoint of a workspace.
type pending struct {
	of map[string]int
	at time.Time
}

const (
	// recount is how often what waits is counted: where much does, counting takes a
	// while.
	recount = 10 * time.Second
	// maxCounted is how many workspaces are remembered.
	maxCounted = 1_000
)

// PublishPorts are what publishing needs.
type PublishPorts struct {
	Endpoints  EndpointStore
	Deliveries DeliveryStore
	Workspaces Workspaces
	Plans      Plans
}

// Workspaces reads workspaces.
type Workspaces interface {
	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// Plans reads plans.
type Plans interface {
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
}

// NewPublisher returns a publisher.
func NewPublisher(ports PublishPorts, now func() time.Time, random io.Reader) *Publisher {
	return &Publisher{ports: ports, now: now, random: random, counted: map[string]pending{}}
}

// Publish writes events for the active endpoints of a workspace that want them, in the
// transaction of ctx: they are sent if and only if that is committed. It writes nothing
// for a workspace whose plan has no API access, and reads one row where there is no
// endpoint.
func (p *Publisher) Publish(ctx context.Context, workspaceID string, events ...Event) error {
	endpoints, err := p.ports.Endpoints.ActiveEndpoints(ctx, workspaceID)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	var sendings []Sending
	for _, event := range events {
		if event.At.Before(p.now().Add(-maxAge)) {
			continue
		}
		var to []string
		for _, e := range endpoints {
			if e.Wants(event) && !event.At.Before(e.CreatedAt) {
				to = append(to, e.ID)
			}
		}
		if len(to) == 0 {
			continue
		}
		message, err := event.message(p.random, p.now())
		if err != nil {
			return err
		}
		sendings = append(sendings, Sending{Message: message, Endpoints: to})
	}
	if len(sendings) == 0 {
		return nil
	}
	if may, err := p.mayUse(ctx, workspaceID); err != nil || !may {
		return err
	}
	if err := p.bound(ctx, workspaceID, sendings); err != nil {
		return err
	}
	return p.ports.Deliveries.AddMessages(ctx, workspaceID, sendings)
}

// bound takes out of sendings the endpoints for which [MaxPending] deliveries wait.
func (p *Publisher) bound(ctx context.Context, workspaceID string, sendings []Sending) error {
	p.mu.Lock()
	known, counted := p.counted[workspaceID]
	p.mu.Unlock()
	now := p.now()
	if !counted || now.Sub(known.at) >= recount {
		of, err := p.ports.Deliveries.Pending(ctx, workspaceID)
		if err != nil {
			return err
		}
		known = pending{of, now}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.counted) >= maxCounted {
		clear(p.counted)
	}
	p.counted[workspaceID] = known
	full := []Attempt{{At: now, Answer: fmt.Sprintf(
		"Not sent: %s others were waiting for this webhook. Send it again when your program answers.", plan.Thousands(MaxPending))}}
	for i := range sendings {
		s := &sendings[i]
		all := s.Endpoints
		s.Endpoints = nil
		for _, endpointID := range all {
			if known.of[endpointID] >= MaxPending {
				s.Full, s.Log = append(s.Full, endpointID), full
				continue
			}
			known.of[endpointID]++
			s.Endpoints = append(s.Endpoints, endpointID)
		}
	}
	return nil
}

func (p *Publisher) mayUse(ctx context.Context, workspaceID string) (bool, error) {
	workspace, err := p.ports.Workspaces.Workspace(ctx, workspaceID)
	if err != nil {
		return false, err
	}
	bought, err := p.ports.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return false, err
	}
	return bought.Admit(plan.API, 0) == nil, nil
}

// Key names an event by the numbers of what it is about.
func Key(name string, numbers ...int64) string {
	for _, n := range numbers {
		name += "_" + strconv.FormatInt(n, 10)
	}
	return name
}

// Wants reports whether an event goes to the endpoint. What concerns no single chatbot
// goes to every endpoint that lists its kind.
func (e Endpoint) Wants(event Event) bool {
	return slices.Contains(e.Kinds, event.Kind) && (e.ChatbotID == "" || event.ChatbotID == "" || e.ChatbotID == event.ChatbotID)
}
