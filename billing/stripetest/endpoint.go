package stripetest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stripe/stripe-go/v76"
)

// maxEndpoints is how many endpoints Stripe allows per account.
const maxEndpoints = 16

// endpoint is https://docs.stripe.com/api/webhook_endpoints/object.
type endpoint struct {
	head
	URL           string            `json:"url"`
	APIVersion    ref               `json:"api_version"`
	EnabledEvents []string          `json:"enabled_events"`
	Description   ref               `json:"description"`
	Metadata      map[string]string `json:"metadata"`
	Status        string            `json:"status"`

	secret string
}

// newEndpoint is the response to a creation, the only one with the secret.
type newEndpoint struct {
	*endpoint
	Secret string `json:"secret"`
}

func (s *Server) routeEndpoints(mux *http.ServeMux) {
	s.handle(mux, "POST /v1/webhook_endpoints", s.createEndpoint)
	s.handle(mux, "GET /v1/webhook_endpoints", func(r *Request) (any, error) {
		return page(r, s.endpoints, func(*endpoint) bool { return true })
	})
	s.handle(mux, "POST /v1/webhook_endpoints/{id}", s.updateEndpoint)
	s.handle(mux, "DELETE /v1/webhook_endpoints/{id}", s.deleteEndpoint)
}

func (s *Server) createEndpoint(r *Request) (any, error) {
	p := r.params()
	to, err := url.Parse(p.get("url"))
	switch {
	case !p.has("url"):
		return nil, required("url")
	case len(p.list("enabled_events")) == 0:
		return nil, required("enabled_events")
	case err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https":
		return nil, invalid("url", "Invalid URL: An explicit scheme (such as https) must be provided.")
	case len(s.endpoints) >= maxEndpoints:
		return nil, invalid("", "You have reached the maximum of %d webhook endpoints.", maxEndpoints)
	}
	made := &endpoint{
		head: s.newHead("we", "webhook_endpoint"), URL: p.get("url"), APIVersion: ref(p.get("api_version")),
		EnabledEvents: p.list("enabled_events"), Description: ref(p.get("description")), Metadata: p.mergeMetadata(nil), Status: "enabled",
	}
	made.secret = fmt.Sprintf("whsec_of_%s", made.ID)
	s.endpoints = append(s.endpoints, made)
	return newEndpoint{made, made.secret}, nil
}

// updateEndpoint changes everything but the version, which cannot be changed.
func (s *Server) updateEndpoint(r *Request) (any, error) {
	found, ok := find(s.endpoints, r.id)
	p := r.params()
	switch {
	case !ok:
		return nil, missing("webhook endpoint", r.id, "")
	case p.has("api_version"):
		return nil, invalid("api_version", "Received unknown parameter: api_version")
	}
	if events := p.list("enabled_events"); len(events) > 0 {
		found.EnabledEvents = events
	}
	if p.has("disabled") {
		found.Status = map[bool]string{true: "disabled", false: "enabled"}[p.yes("disabled")]
	}
	if p.has("url") {
		found.URL = p.get("url")
	}
	found.Metadata = p.mergeMetadata(found.Metadata)
	return found, nil
}

func (s *Server) deleteEndpoint(r *Request) (any, error) {
	if _, ok := find(s.endpoints, r.id); !ok {
		return nil, missing("webhook endpoint", r.id, "")
	}
	s.endpoints = slices.DeleteFunc(s.endpoints, func(e *endpoint) bool { return e.ID == r.id })
	return deletion{r.id, "webhook_endpoint", true}, nil
}

// Endpoints returns the webhook endpoints, oldest first, as clients see them.
func (s *Server) Endpoints() []stripe.WebhookEndpoint {
	return seen[stripe.WebhookEndpoint](s, func() (all []any) {
		for _, e := range s.endpoints {
			all = append(all, e)
		}
		return all
	})
}

// AddEndpoint creates a webhook endpoint as if by hand. An empty version means the account's.
func (s *Server) AddEndpoint(to, version string, events ...string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := &endpoint{
		head: s.newHead("we", "webhook_endpoint"), URL: to, APIVersion: ref(version), EnabledEvents: events,
		Metadata: map[string]string{}, Status: "enabled",
	}
	made.secret = fmt.Sprintf("whsec_of_%s", made.ID)
	s.endpoints = append(s.endpoints, made)
	return made.ID
}

// Disable switches a webhook endpoint off, as Stripe does after days of failures.
func (s *Server) Disable(endpointID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := find(s.endpoints, endpointID)
	if !ok {
		panic("stripetest: there is no webhook endpoint " + endpointID)
	}
	found.Status = "disabled"
}
