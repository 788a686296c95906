package knowledge

import (
	"context"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
	"parley/internal/plain"
)

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

// AddSource adds an address, which is read by itself.
func (s *Service) AddSource(ctx context.Context, workspaceID, chatbotID string, request NewSource) (Source, error) {
	request, err := s.checkSource(request)
	if err != nil {
		return Source{}, err
	}
	now := s.now()
	source := Source{
		ID: id.New(s.random, "src"), WorkspaceID: workspaceID, ChatbotID: chatbotID, Kind: request.Kind, URL: request.URL,
		Rules: request.Rules, Schedule: request.Schedule, State: SourceSyncing, DueAt: &now, CreatedAt: now,
	}
	err = s.inWorkspace(ctx, workspaceID, []string{FetchWork}, func(ctx context.Context) error {
		if err := s.admitSource(ctx, source); err != nil {
			return err
		}
		known, err := s.store.Sources(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		for _, other := range known {
			if other.URL == source.URL && other.State != SourceRemoving {
				return &fault.Error{Kind: fault.Conflict, Field: "url", Message: "This address has been added already."}
			}
		}
		if len(known) >= listLimit {
			return fault.New(fault.Conflict, "This chatbot has %d addresses. Remove one first.", listLimit)
		}
		return s.store.CreateSource(ctx, workspaceID, source)
	})
	return source, err
}

// inWorkspace runs fn in one transaction under the workspace's lock, and has
// kinds of work done for the workspace after it.
func (s *Service) inWorkspace(ctx context.Context, workspaceID string, work []string, fn func(context.Context) error) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		if err := fn(ctx); err != nil {
			return err
		}
		for _, kind := range work {
			if err := s.queue.Enqueue(ctx, workspaceID, kind); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) checkSource(request NewSource) (NewSource, error) {
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
	address, err := s.fetcher.Normalise(strings.TrimSpace(request.URL))
	if err != nil {
		return request, &fault.Error{Kind: fault.Invalid, Field: "url", Message: fault.As(err).Message}
	}
	request.URL = address
	request.Rules, err = checkRules(request.Kind, request.Rules)
	return request, err
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

// DefaultRules are those of a site whose owner says nothing else.
func DefaultRules() Rules { return Rules{MaxDepth: defaultDepth, MaxPages: defaultPages} }

// Sources returns a chatbot's sources, oldest first.
func (s *Service) Sources(ctx context.Context, workspaceID, chatbotID string) ([]Source, error) {
	if _, err := s.chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.store.Sources(ctx, workspaceID, chatbotID)
}

// SyncSource has a source read again now.
func (s *Service) SyncSource(ctx context.Context, workspaceID, chatbotID, sourceID string) error {
	return s.inWorkspace(ctx, workspaceID, []string{FetchWork}, func(ctx context.Context) error {
		source, err := s.store.Source(ctx, workspaceID, chatbotID, sourceID)
		if err != nil {
			return err
		}
		if source.State == SourceRemoving {
			return fault.New(fault.Conflict, "This address is being removed.")
		}
		if err := s.writable(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		now := s.now()
		source.State, source.DueAt, source.Attempts = SourceSyncing, &now, 0
		return s.store.UpdateSource(ctx, workspaceID, source)
	})
}

// RemoveSource removes a source with all its documents. They are out of every
// answer when it returns.
func (s *Service) RemoveSource(ctx context.Context, workspaceID, chatbotID, sourceID string) error {
	return s.inWorkspace(ctx, workspaceID, []string{FetchWork, IndexWork}, func(ctx context.Context) error {
		source, err := s.store.Source(ctx, workspaceID, chatbotID, sourceID)
		if err != nil {
			return err
		}
		now := s.now()
		if err := s.store.MarkSourceRemoving(ctx, workspaceID, sourceID, now); err != nil {
			return err
		}
		removed := source.State == SourceRemoving
		source.State, source.DueAt = SourceRemoving, &now
		if err := s.store.UpdateSource(ctx, workspaceID, source); err != nil || removed {
			return err
		}
		return s.recordRemoval(ctx, workspaceID, audit.SourceRemoved, audit.Object{Kind: "source", ID: sourceID}, chatbotID)
	})
}

// sync looks up the pages of a source, and has all of them fetched. What goes
// wrong with the source is written to it, and no error.
func (s *Service) sync(ctx context.Context, source Source) error {
	if source.State == SourceRemoving {
		return s.forgetSource(ctx, source)
	}
	if rests := s.rests(ctx, source); rests != nil {
		return s.leaveSource(ctx, source, rests)
	}
	addresses := []string{source.URL}
	if source.Kind == Site {
		found, err := s.fetcher.Discover(ctx, source.URL, source.Rules)
		if err != nil {
			return s.postponeSource(ctx, source, err)
		}
		addresses = append(addresses, found...)
	}
	documents := make([]Document, len(addresses))
	for i, address := range addresses {
		documents[i] = s.newPage(source, address, min(i, 1))
	}
	now := s.now()
	source.State, source.Reason, source.Attempts, source.SyncedAt, source.DueAt = SourceReady, "", 0, &now, nil
	if every := source.Schedule.every(); every > 0 {
		due := now.Add(every)
		source.DueAt = &due
	}
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		if err := s.store.RefreshFound(ctx, source.WorkspaceID, source.ID, now); err != nil {
			return err
		}
		room, err := s.roomForPages(ctx, source.WorkspaceID, len(documents))
		if err != nil {
			return err
		}
		added, err := s.store.CreateFound(ctx, source.WorkspaceID, source, documents, source.Rules.MaxPages, room)
		if err != nil {
			return err
		}
		if added == room && room < len(documents) {
			source.Reason = "Some pages were left out because the plan's storage is full. Remove documents or upgrade the plan."
		}
		return s.store.UpdateSource(ctx, source.WorkspaceID, source)
	})
}

// whileThere is inWorkspace, unless the source is being removed by now: its
// owner may have done so while it was read.
func (s *Service) whileThere(ctx context.Context, source Source, fn func(context.Context) error) error {
	return s.inWorkspace(ctx, source.WorkspaceID, []string{FetchWork}, func(ctx context.Context) error {
		now, err := s.store.Source(ctx, source.WorkspaceID, source.ChatbotID, source.ID)
		if fault.Is(err, fault.NotFound) || err == nil && now.State == SourceRemoving {
			return nil
		}
		if err != nil {
			return err
		}
		return fn(ctx)
	})
}

// newPage is a document of a source before it is read.
func (s *Service) newPage(source Source, address string, depth int) Document {
	now := s.now()
	return Document{
		ID: id.New(s.random, "doc"), WorkspaceID: source.WorkspaceID, ChatbotID: source.ChatbotID, SourceID: source.ID,
		URL: address, Depth: depth, Title: plain.Shorten(address, maxTitle), Kind: HTML, State: Pending,
		DueAt: &now, UpdatedAt: now, CreatedAt: now,
	}
}

// forgetSource deletes a source whose documents have all gone, and else waits
// for them.
func (s *Service) forgetSource(ctx context.Context, source Source) error {
	documents, err := s.store.SourceDocuments(ctx, source.WorkspaceID, source.ID)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return s.store.DeleteSource(ctx, source.WorkspaceID, source.ID)
	}
	due := s.now().Add(turnTime)
	source.DueAt = &due
	return s.store.UpdateSource(ctx, source.WorkspaceID, source)
}

func (s *Service) postponeSource(ctx context.Context, source Source, cause error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failure := fault.As(cause)
	if failure.Kind == fault.RateLimited { // no attempt was made
		due := s.now().Add(max(failure.RetryAfter, time.Second))
		source.DueAt = &due
		return s.whileThere(ctx, source, func(ctx context.Context) error {
			return s.store.UpdateSource(ctx, source.WorkspaceID, source)
		})
	}
	source.Attempts++
	source.Reason, source.DueAt = reason(failure), nil
	var due time.Time
	switch {
	case mayPass(failure.Kind) && source.Attempts < mostAttempts:
		due = s.now().Add(pause(source.Attempts, failure.RetryAfter))
	case source.Schedule.every() > 0:
		source.State, source.Attempts = SourceFailed, 0
		due = s.now().Add(source.Schedule.every())
	default:
		source.State = SourceFailed
	}
	if !due.IsZero() {
		source.DueAt = &due
	}
	s.log.Info("source postponed", "source_id", source.ID, "state", source.State, "attempts", source.Attempts, "error", cause)
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		return s.store.UpdateSource(ctx, source.WorkspaceID, source)
	})
}
