package stripetest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v76"
)

// event is https://docs.stripe.com/api/events/object.
type event struct {
	head
	Type            string    `json:"type"`
	APIVersion      string    `json:"api_version"`
	Data            eventData `json:"data"`
	PendingWebhooks int       `json:"pending_webhooks"`

	delivered bool
	// sent caches the event as stripe-go reads it.
	sent *stripe.Event
}

type eventData struct {
	Object             any            `json:"object"`
	PreviousAttributes map[string]any `json:"previous_attributes,omitempty"`
}

// eventsKept is how long events are listed.
const eventsKept = 30 * day

// emit creates an event about an object, and queues its delivery.
func (s *Server) emit(kind string, about identified) {
	now := plain(about)
	made := &event{head: s.newHead("evt", "event"), Type: kind, APIVersion: stripe.APIVersion, Data: eventData{Object: now}, PendingWebhooks: 1}
	if strings.HasSuffix(kind, ".updated") {
		made.Data.PreviousAttributes = s.previous(about.id(), now)
	}
	s.events = append(s.events, made)
	s.queue = append(s.queue, made)
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// previous returns the attributes that differ from the object's last event.
func (s *Server) previous(id string, now any) map[string]any {
	changed := map[string]any{}
	for _, earlier := range slices.Backward(s.events) {
		before, _ := earlier.Data.Object.(map[string]any)
		if before["id"] != id {
			continue
		}
		for key, value := range now.(map[string]any) {
			if !reflect.DeepEqual(before[key], value) {
				changed[key] = before[key]
			}
		}
		break
	}
	return changed
}

// asSent returns an event as stripe-go reads it.
func (e *event) asSent() stripe.Event {
	if e.sent == nil {
		e.sent = new(stripe.Event)
		if err := json.Unmarshal(rendered(e), e.sent); err != nil {
			panic(err) // it was just written as JSON
		}
	}
	return *e.sent
}

func (s *Server) listEvents(r *Request) (any, error) {
	p := r.params()
	types := p.list("types")
	switch {
	case len(types) > 20:
		return nil, invalid("types", "You can only specify up to 20 types.")
	case len(types) > 0 && p.has("type"):
		return nil, invalid("types", "You may only specify one of these parameters: type, types.")
	}
	return page(r, s.events, func(e *event) bool {
		return s.moment() < e.Created.add(eventsKept) && p.within("created", e.Created) && ofType(e.Type, p.get("type")) &&
			(len(types) == 0 || slices.Contains(types, e.Type)) &&
			(!p.has("delivery_success") || p.yes("delivery_success") == e.delivered)
	})
}

// ofType reports whether a type matches the wanted one, which may end with a star.
func ofType(kind, wanted string) bool {
	prefix, star := strings.CutSuffix(wanted, "*")
	return wanted == "" || kind == wanted || star && strings.HasPrefix(kind, prefix)
}

// Events returns all events in order.
func (s *Server) Events() []stripe.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sentAll(s.events)
}

func sentAll(events []*event) []stripe.Event {
	all := make([]stripe.Event, len(events))
	for i, e := range events {
		all[i] = e.asSent()
	}
	return all
}

// Emit creates an event of a type that clients may not know.
func (s *Server) Emit(kind string) stripe.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	stranger := s.newHead("obj", "something")
	s.emit(kind, &stranger)
	return s.events[len(s.events)-1].asSent()
}
