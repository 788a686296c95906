package webhook

import (
	"context"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
	"parley/internal/id"
)

const (
	maxURL         = 2_000
	maxDescription = 200
	// overlap is how long messages are signed with the secret from before a rotation,
	// too.
	overlap = 24 * time.Hour
)

// Ports are what endpoints and their deliveries need.
type Ports struct {
	Tx interface {
		InTx(ctx context.Context, fn func(context.Context) error) error
	}
	Workspaces interface {
		Workspaces
		LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	}
	Plans      Plans
	Endpoints  EndpointStore
	Deliveries DeliveryStore
	Audit      audit.Log
	System     system.Access
	Vault      Vault
	Poster     Poster
	// Chatbots says whether a workspace has a chatbot: NotFound if it has none.
	Chatbots func(ctx context.Context, workspaceID, chatbotID string) error
}

// Options are what an operator decides.
type Options struct {
	// PlainHTTP admits http addresses, for networks of the operator.
	PlainHTTP bool
}

// Endpoints changes the endpoints of workspaces.
type Endpoints struct {
	ports   Ports
	options Options
	now     func() time.Time
	random  io.Reader
}

// NewEndpoints returns the service. Random must be cryptographically secure.
func NewEndpoints(ports Ports, now func() time.Time, random io.Reader, options Options) *Endpoints {
	return &Endpoints{ports, options, now, random}
}

// Settings are what a person says of an endpoint.
type Settings struct {
	// URL is an https address of at most 2,000 characters, without user and fragment.
	URL       string
	Kinds     []Kind
	ChatbotID string
	// Description is of at most 200 characters.
	Description string
}

// Create adds an endpoint, and returns the secret, which is never shown again. It is
// Forbidden for a plan without API access, Invalid for an address that is not public,
// and a Conflict when the workspace has [MaxEndpoints].
func (s *Endpoints) Create(ctx context.Context, workspaceID string, settings Settings) (Endpoint, Secret, error) {
	if err := s.mayUse(ctx, workspaceID); err != nil {
		return Endpoint{}, "", err
	}
	settings, err := s.check(ctx, workspaceID, settings)
	if err != nil {
		return Endpoint{}, "", err
	}
	now, secret := s.now(), newSecret(s.random)
	made := SealedEndpoint{Endpoint: Endpoint{
		ID: id.New(s.random, "we"), WorkspaceID: workspaceID, ChatbotID: settings.ChatbotID, URL: settings.URL, Kinds: settings.Kinds,
		Description: settings.Description, State: Active, CreatedBy: audit.ActorOf(ctx).Name, UpdatedAt: now, CreatedAt: now,
	}}
	if made.SealedSecret, err = s.seal(made, secret); err != nil {
		return Endpoint{}, "", err
	}
	err = s.locked(ctx, workspaceID, func(ctx context.Context) error {
		others, err := s.ports.Endpoints.Endpoints(ctx, workspaceID)
		if err != nil {
			return err
		}
		if len(others) >= MaxEndpoints {
			return fault.New(fault.Conflict, "A workspace has at most %d webhooks. Delete one that is not used.", MaxEndpoints)
		}
		if err := s.ports.Endpoints.CreateEndpoint(ctx, workspaceID, made); err != nil {
			return err
		}
		return s.record(ctx, made.Endpoint, audit.WebhookCreated)
	})
	return made.Endpoint, secret, err
}

// List returns the endpoints of a workspace, oldest first.
func (s *Endpoints) List(ctx context.Context, workspaceID string) ([]Endpoint, error) {
	found, err := s.ports.Endpoints.Endpoints(ctx, workspaceID)
	endpoints := make([]Endpoint, len(found))
	for i, e := range found {
		endpoints[i] = s.shown(e)
	}
	return endpoints, err
}

// Get returns one endpoint.
func (s *Endpoints) Get(ctx context.Context, workspaceID, endpointID string) (Endpoint, error) {
	found, err := s.ports.Endpoints.Endpoint(ctx, workspaceID, endpointID)
	if err != nil {
		return Endpoint{}, err
	}
	return s.shown(found), nil
}

// seal seals a secret. Where the server has no key, it is no field of the form that is
// wrong.
func (s *Endpoints) seal(e SealedEndpoint, secret Secret) ([]byte, error) {
	sealed, err := s.ports.Vault.Seal(e.WorkspaceID, e.ID, string(secret))
	if fault.Is(err, fault.Unavailable) {
		return nil, fault.Wrap(fault.Unavailable, err, "This server cannot keep secrets yet: its operator has to set SECRET_KEY.").ForOperator()
	}
	return sealed, err
}

// shown is an endpoint with what becomes of its secret.
func (s *Endpoints) shown(e SealedEndpoint) Endpoint {
	_, err := unsealed(s.ports.Vault, e, e.SealedSecret)
	e.Unreadable = err != nil
	return e.Endpoint
}

// Update changes what an endpoint receives, and where.
func (s *Endpoints) Update(ctx context.Context, workspaceID, endpointID string, settings Settings) error {
	settings, err := s.check(ctx, workspaceID, settings)
	if err != nil {
		return err
	}
	return s.change(ctx, workspaceID, endpointID, audit.WebhookChanged, func(_ context.Context, e *SealedEndpoint) error {
		e.URL, e.Kinds, e.ChatbotID, e.Description = settings.URL, settings.Kinds, settings.ChatbotID, settings.Description
		return nil
	})
}

// Rotate gives an endpoint another secret, and returns it. For a day messages are
// signed with both, unless the previous one cannot be read.
func (s *Endpoints) Rotate(ctx context.Context, workspaceID, endpointID string) (Endpoint, Secret, error) {
	var rotated Endpoint
	secret := newSecret(s.random)
	err := s.change(ctx, workspaceID, endpointID, audit.WebhookRotated, func(_ context.Context, e *SealedEndpoint) (err error) {
		until := s.now().Add(overlap)
		e.SealedPrevious, e.PreviousUntil = e.SealedSecret, &until
		if _, err := unsealed(s.ports.Vault, *e, e.SealedPrevious); err != nil {
			e.SealedPrevious, e.PreviousUntil = nil, nil
		}
		e.SealedSecret, err = s.seal(*e, secret)
		rotated = e.Endpoint
		return err
	})
	return rotated, secret, err
}

// Pause stops an endpoint. What waits for it is canceled; each delivery can be sent
// again later.
func (s *Endpoints) Pause(ctx context.Context, workspaceID, endpointID string) error {
	return s.change(ctx, workspaceID, endpointID, audit.WebhookPaused, func(ctx context.Context, e *SealedEndpoint) error {
		if e.State == Active {
			e.State = Paused
		}
		return s.ports.Deliveries.CancelDeliveries(ctx, workspaceID, endpointID, s.now())
	})
}

// Resume starts an endpoint again that was paused or disabled.
func (s *Endpoints) Resume(ctx context.Context, workspaceID, endpointID string) error {
	if err := s.mayUse(ctx, workspaceID); err != nil {
		return err
	}
	return s.change(ctx, workspaceID, endpointID, audit.WebhookResumed, func(_ context.Context, e *SealedEndpoint) error {
		e.State, e.Reason = Active, ""
		return nil
	})
}

// Delete removes an endpoint with its deliveries.
func (s *Endpoints) Delete(ctx context.Context, workspaceID, endpointID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context) error {
		found, err := s.ports.Endpoints.Endpoint(ctx, workspaceID, endpointID)
		if err != nil {
			return err
		}
		if err := s.ports.Endpoints.DeleteEndpoint(ctx, workspaceID, endpointID); err != nil {
			return err
		}
		return s.record(ctx, found.Endpoint, audit.WebhookDeleted)
	})
}

// change changes an endpoint and records it.
func (s *Endpoints) change(ctx context.Context, workspaceID, endpointID string, action audit.Action, do func(context.Context, *SealedEndpoint) error) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context) error {
		found, err := s.ports.Endpoints.Endpoint(ctx, workspaceID, endpointID)
		if err != nil {
			return err
		}
		if err := do(ctx, &found); err != nil {
			return err
		}
		found.UpdatedAt = s.now()
		if err := s.ports.Endpoints.UpdateEndpoint(ctx, workspaceID, found); err != nil {
			return err
		}
		return s.record(ctx, found.Endpoint, action)
	})
}

// locked runs do in a transaction that no other change to the workspace's endpoints
// runs beside.
func (s *Endpoints) locked(ctx context.Context, workspaceID string, do func(ctx context.Context) error) error {
	return s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.ports.Workspaces.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return do(ctx)
	})
}

func (s *Endpoints) record(ctx context.Context, e Endpoint, action audit.Action) error {
	return audit.Record(ctx, s.ports.Audit, e.WorkspaceID, s.now(), audit.Entry{
		Action: action, Object: audit.Object{Kind: "webhook", ID: e.ID, Name: e.Host()},
	})
}

// Host is the host of the endpoint's address. The rest may hold a secret of the
// receiver's.
func (e Endpoint) Host() string {
	if u, err := url.Parse(e.URL); err == nil {
		return u.Host
	}
	return ""
}

func (s *Endpoints) mayUse(ctx context.Context, workspaceID string) error {
	workspace, err := s.ports.Workspaces.Workspace(ctx, workspaceID)
	if err != nil {
		return err
	}
	bought, err := s.ports.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	if bought.Admit(plan.API, 0) != nil {
		return fault.New(fault.Forbidden, "The %s plan has no webhooks. Upgrade to a plan with API access to use them.", bought.Title).Named(fault.PlanRequired)
	}
	return nil
}

// check refuses settings with which nothing can be sent.
func (s *Endpoints) check(ctx context.Context, workspaceID string, settings Settings) (Settings, error) {
	var err error
	if settings.URL, err = checkURL(settings.URL, s.options.PlainHTTP); err != nil {
		return settings, err
	}
	if len(settings.Kinds) == 0 {
		return settings, fault.InField("events", "Choose at least one event.")
	}
	known := Kinds()
	for _, kind := range settings.Kinds {
		if !slices.Contains(known, kind) {
			return settings, fault.InField("events", "Choose events of the list.")
		}
	}
	settings.Description = strings.TrimSpace(settings.Description)
	if utf8.RuneCountInString(settings.Description) > maxDescription {
		return settings, fault.InField("description", "Shorten the description to %d characters.", maxDescription)
	}
	if settings.ChatbotID != "" {
		if err := s.ports.Chatbots(ctx, workspaceID, settings.ChatbotID); err != nil {
			return settings, fault.InField("chatbot", "Choose a chatbot of this workspace.")
		}
	}
	return settings, s.ports.Poster.Check(ctx, settings.URL)
}

func checkURL(text string, plainHTTP bool) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "", fault.InField("url", "Enter an address such as https://example.com/hooks/parley.")
	case len(text) > maxURL:
		return "", fault.InField("url", "This address is too long; at most %d characters are allowed.", maxURL)
	case err != nil, u.Opaque != "", u.Hostname() == "", strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", fault.InField("url", "Enter an address such as https://example.com/hooks/parley.")
	case u.Scheme == "http" && plainHTTP, u.Scheme == "https":
	default:
		return "", fault.InField("url", "Enter an address that begins with https://.")
	}
	if u.User != nil {
		return "", fault.InField("url", "Leave the user and password out of the address. Check the signature instead.")
	}
	u.Host, u.Fragment = strings.ToLower(u.Host), ""
	return u.String(), nil
}
