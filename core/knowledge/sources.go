package knowledge

import (
	"context"
	"io"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/id"
	"parley/internal/plain"
)

// Sources is what owners do with the sources of their chatbots.
type Sources struct {
	workspaces *workspaces
	sources    SourceStore
	removals   *Removals
	fetcher    Fetcher
	now        func() time.Time
	random     io.Reader
}

// NewSource is what a person gives to add an address.
type NewSource struct {
	URL string
	// Kind is Page when empty, Schedule Never.
	Kind     SourceKind
	Rules    Rules
	Schedule Schedule
}

// The rules of a site that says nothing else.
const (
	defaultDepth = 3
	defaultPages = 200
	maxPatterns  = 50
	maxPattern   = 500
)

// Add adds an address, which is read by itself.
func (s *Sources) Add(ctx context.Context, workspaceID, chatbotID string, request NewSource) (Source, error) {
	request, err := s.check(request)
	if err != nil {
		return Source{}, err
	}
	source := s.newSource(workspaceID, chatbotID, request)
	err = s.workspaces.change(ctx, workspaceID, []string{FetchWork}, func(ctx context.Context) error {
		if err := s.admit(ctx, source); err != nil {
			return err
		}
		_, known, err := s.withAddress(ctx, source)
		if err != nil {
			return err
		}
		if known {
			return errAddressExists
		}
		if err := s.sources.CreateSource(ctx, workspaceID, source); err != nil {
			return err
		}
		return s.record(ctx, source, audit.SourceAdded)
	})
	return source, err
}

var errAddressExists = (&fault.Error{Kind: fault.Conflict, Field: "url", Message: "This address has been added already."}).Named(fault.AddressExists)

// newSource returns a source before its first reading.
func (s *Sources) newSource(workspaceID, chatbotID string, request NewSource) Source {
	now := s.now()
	return Source{
		ID: id.New(s.random, "src"), WorkspaceID: workspaceID, ChatbotID: chatbotID, Kind: request.Kind, URL: request.URL,
		Rules: request.Rules, Schedule: request.Schedule, State: SourceSyncing, DueAt: &now, CreatedAt: now,
	}
}

// withAddress returns the source of the same chatbot that has the address of one
// already, and whether there is one. If there is none, and no room for one more, it
// is a Conflict.
func (s *Sources) withAddress(ctx context.Context, source Source) (Source, bool, error) {
	known, err := s.sources.Sources(ctx, source.WorkspaceID, source.ChatbotID)
	if err != nil {
		return Source{}, false, err
	}
	for _, other := range known {
		if other.URL == source.URL && other.State != SourceRemoving {
			return other, true, nil
		}
	}
	if len(known) >= listLimit {
		return Source{}, false, fault.New(fault.Conflict, "This chatbot has %d addresses. Remove one first.", listLimit)
	}
	return Source{}, false, nil
}

func (s *Sources) check(request NewSource) (NewSource, error) {
	if request.Kind == "" {
		request.Kind = Page
	}
	if request.Schedule == "" {
		request.Schedule = Never
	}
	switch {
	case request.Kind != Page && request.Kind != Site:
		return request, fault.InField("kind", "kind must be page or site.")
	case request.Schedule != Never && request.Schedule.every() == 0:
		return request, fault.InField("schedule", "schedule must be never, daily or weekly.")
	}
	address, err := s.fetcher.Normalize(strings.TrimSpace(request.URL))
	if err != nil {
		return request, &fault.Error{Kind: fault.Invalid, Field: "url", Message: fault.As(err).Message}
	}
	request.URL = address
	request.Rules, err = checkRules(request.Kind, request.Rules)
	return request, err
}

// admit refuses a source that the chatbot does not take, or the plan
// does not include.
func (s *Sources) admit(ctx context.Context, source Source) error {
	if err := s.workspaces.writable(ctx, source.WorkspaceID, source.ChatbotID); err != nil {
		return err
	}
	p, err := s.workspaces.planOf(ctx, source.WorkspaceID)
	if err != nil {
		return err
	}
	if source.Kind == Site {
		if err := p.Admit(plan.Sites, 1); err != nil {
			return err
		}
	}
	if source.Schedule != Never {
		return p.Admit(plan.Schedules, 1)
	}
	return nil
}

func checkRules(kind SourceKind, rules Rules) (Rules, error) {
	if kind == Page {
		return Rules{MaxPages: 1}, nil
	}
	if rules.MaxPages == 0 {
		rules.MaxPages = defaultPages
	}
	switch {
	case rules.MaxPages < 1 || rules.MaxPages > MaxPages:
		return rules, fault.InField("max_pages", "max_pages is from 1 to %d.", MaxPages)
	case rules.MaxDepth < 0 || rules.MaxDepth > MaxDepth:
		return rules, fault.InField("max_depth", "max_depth is from 0 to %d.", MaxDepth)
	}
	for field, patterns := range map[string][]string{"include": rules.Include, "exclude": rules.Exclude} {
		if len(patterns) > maxPatterns {
			return rules, fault.InField(field, "%s has at most %d paths.", field, maxPatterns)
		}
		for _, pattern := range patterns {
			if !strings.HasPrefix(pattern, "/") || len(pattern) > maxPattern || !plain.Storable(pattern) {
				return rules, fault.InField(field, "A path in %s starts with / and has at most %d bytes.", field, maxPattern)
			}
		}
	}
	return rules, nil
}

// List returns a chatbot's sources, oldest first.
func (s *Sources) List(ctx context.Context, workspaceID, chatbotID string) ([]Source, error) {
	if _, err := s.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.sources.Sources(ctx, workspaceID, chatbotID)
}

// Sync has a source read again now.
func (s *Sources) Sync(ctx context.Context, workspaceID, chatbotID, sourceID string) error {
	return s.workspaces.change(ctx, workspaceID, []string{FetchWork}, func(ctx context.Context) error {
		source, err := s.sources.Source(ctx, workspaceID, chatbotID, sourceID)
		if err != nil {
			return err
		}
		if source.State == SourceRemoving {
			return fault.New(fault.Conflict, "This address is being removed.")
		}
		if err := s.workspaces.writable(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		now := s.now()
		source.State, source.DueAt, source.Attempts, source.Begun = SourceSyncing, &now, 0, 0
		if err := s.sources.UpdateSource(ctx, workspaceID, source); err != nil {
			return err
		}
		return s.record(ctx, source, audit.SourceSynced)
	})
}

// Remove removes a source with all its documents. They are out of every
// answer when it returns.
func (s *Sources) Remove(ctx context.Context, workspaceID, chatbotID, sourceID string) error {
	return s.workspaces.change(ctx, workspaceID, []string{FetchWork, IndexWork}, func(ctx context.Context) error {
		source, err := s.sources.Source(ctx, workspaceID, chatbotID, sourceID)
		if err != nil {
			return err
		}
		now := s.now()
		if err := s.sources.MarkSourceRemoving(ctx, workspaceID, sourceID, now); err != nil {
			return err
		}
		removed := source.State == SourceRemoving
		source.State, source.DueAt = SourceRemoving, &now
		if err := s.sources.UpdateSource(ctx, workspaceID, source); err != nil || removed {
			return err
		}
		return s.record(ctx, source, audit.SourceRemoved)
	})
}

// record writes a change of a source into the audit log. The pages that are found
// there are no entries of their own.
func (s *Sources) record(ctx context.Context, source Source, action audit.Action) error {
	return s.removals.record(ctx, source.WorkspaceID, action, audit.Object{Kind: "source", ID: source.ID}, source.ChatbotID)
}
