package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/id"
	"parley/internal/plain"
)

// Fetcher reads addresses of the public network. Faults of kind Upstream and
// Unavailable may pass; others will not. One of kind RateLimited is no attempt:
// the host has as many readers as it may have, or wants to be left alone.
type Fetcher interface {
	// Get reads one address, politely: it waits for a slot of the host.
	Get(ctx context.Context, request Fetch) (Fetched, error)
	// Discover returns the addresses that a site's sitemaps name and the
	// rules admit, at most rules.MaxPages. None means that there are no
	// sitemaps.
	Discover(ctx context.Context, start string, rules Rules) ([]string, error)
	// Admit returns the normalized form of a link if the rules admit it.
	Admit(start, link string, rules Rules) (string, bool)
	// Normalize checks an address that an owner typed and returns its one
	// form, or a fault of kind Invalid.
	Normalize(address string) (string, error)
}

// Fetch is a request for an address.
type Fetch struct {
	URL string
	// ETag and LastModified are of the copy that is there, or empty.
	ETag, LastModified string
}

// Fetched is the answer to a [Fetch].
type Fetched struct {
	// URL is the address after redirects.
	URL                string
	ContentType        string
	Body               []byte
	ETag, LastModified string
	// NoIndex and NoFollow say what the answer's headers ask of crawlers.
	NoIndex, NoFollow bool
	// NotModified says that the copy that is there is current.
	NotModified bool
	// Gone says that the address leads to nothing any more.
	Gone bool
}

// crawler looks up the pages of sources.
type crawler struct {
	workspaces *workspaces
	sources    SourceStore
	fetcher    Fetcher
	now        func() time.Time
	random     io.Reader
	log        *slog.Logger
}

// lookEvery is how soon a suspended source is read after the plan or the
// chatbot allows it again.
const lookEvery = time.Hour

// sync looks up the pages of a source, and has all of them fetched. What goes
// wrong with the source is written to it, and no error.
func (s *crawler) sync(ctx context.Context, source Source) error {
	if source.State == SourceRemoving {
		return s.forgetSource(ctx, source)
	}
	if rests := s.suspended(ctx, source); rests != nil {
		return s.suspend(ctx, source, rests)
	}
	addresses := []string{source.URL}
	if source.Kind == Site {
		if source.Begun >= mostBegun {
			return s.giveUp(ctx, source)
		}
		if err := s.count(ctx, source, source.Begun+1); err != nil {
			return unlessTaken(taken(err))
		}
		source.Begun++
		found, err := s.fetcher.Discover(ctx, source.URL, source.Rules)
		if err != nil {
			return s.postponeSource(ctx, source, err)
		}
		source.Begun = 0
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
		if err := s.sources.RefreshFound(ctx, source.WorkspaceID, source.ID, now); err != nil {
			return err
		}
		room, err := s.workspaces.roomForPages(ctx, source.WorkspaceID, len(documents))
		if err != nil {
			return err
		}
		added, err := s.sources.CreateFound(ctx, source.WorkspaceID, source, documents, source.Rules.MaxPages, room)
		if err != nil {
			return err
		}
		if added == room && room < len(documents) {
			source.Reason = "Some pages were left out because the plan's storage is full. Remove documents or upgrade the plan."
		}
		return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
	})
}

// suspended says why a source that is due is not read: its chatbot is over the
// limit, or it is due by a schedule that the plan does not include. The error
// is Forbidden then.
func (s *crawler) suspended(ctx context.Context, source Source) error {
	if err := s.workspaces.writable(ctx, source.WorkspaceID, source.ChatbotID); err != nil {
		return err
	}
	if source.State == SourceSyncing { // its owner asked for it
		return nil
	}
	var p plan.Plan
	err := s.workspaces.InTx(ctx, func(ctx context.Context) (err error) {
		p, err = s.workspaces.planOf(ctx, source.WorkspaceID)
		return err
	})
	if err != nil {
		return err
	}
	return p.Admit(plan.Schedules, 1)
}

// suspend stores why a source is suspended, and when to look at it again.
func (s *crawler) suspend(ctx context.Context, source Source, why error) error {
	if !fault.Is(why, fault.Forbidden) {
		return why
	}
	due := s.now().Add(lookEvery)
	source.Reason, source.DueAt = reason(fault.As(why)), &due
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
	})
}

// count sets how many attempts at a source began and did not end.
func (s *crawler) count(ctx context.Context, source Source, begun int) error {
	return s.sources.SetSourceBegun(ctx, source.WorkspaceID, source.ID, source.Begun, begun)
}

// giveUp fails a source that ended the process, until its owner has it read again.
func (s *crawler) giveUp(ctx context.Context, source Source) error {
	source.State, source.DueAt = SourceFailed, nil
	source.Reason = fmt.Sprintf("The server stopped while it looked for this site's pages, %d times in a row. Add its pages one by one.", mostBegun)
	s.log.Error("source given up, since the process ended whenever it was read", "source_id", source.ID, "attempts", source.Begun)
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
	})
}

func (s *crawler) postponeSource(ctx context.Context, source Source, cause error) error {
	if ctx.Err() != nil { // the server stops, which is no attempt
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), countingTime)
		defer cancel()
		if err := s.count(after, source, source.Begun-1); err != nil {
			s.log.Log(ctx, fault.Level(err), "could not take back an attempt", "source_id", source.ID, "error", err)
		}
		return context.Cause(ctx)
	}
	source.Begun = 0
	failure := fault.As(cause)
	if failure.Kind == fault.RateLimited { // no attempt was made
		due := s.now().Add(max(failure.RetryAfter, time.Second))
		source.DueAt = &due
		return s.whileThere(ctx, source, func(ctx context.Context) error {
			return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
		})
	}
	if !waits(failure) {
		source.Attempts++
	}
	source.Reason, source.DueAt = reason(failure), nil
	var due time.Time
	switch {
	case isTransient(failure.Kind) && source.Attempts < mostAttempts:
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
	s.log.Log(ctx, fault.Level(cause), "source postponed", "source_id", source.ID, "state", source.State, "attempts", source.Attempts, "error", cause)
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
	})
}

// forgetSource deletes a source whose documents have all gone, and else waits
// for them.
func (s *crawler) forgetSource(ctx context.Context, source Source) error {
	documents, err := s.sources.SourceDocuments(ctx, source.WorkspaceID, source.ID)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return s.sources.DeleteSource(ctx, source.WorkspaceID, source.ID)
	}
	due := s.now().Add(sliceTime)
	source.DueAt = &due
	return s.sources.UpdateSource(ctx, source.WorkspaceID, source)
}

// whileThere is inWorkspace, unless the source is being removed by now: its
// owner may have done so while it was read.
func (s *crawler) whileThere(ctx context.Context, source Source, fn func(context.Context) error) error {
	return s.workspaces.change(ctx, source.WorkspaceID, []string{FetchWork}, func(ctx context.Context) error {
		now, err := s.sources.Source(ctx, source.WorkspaceID, source.ChatbotID, source.ID)
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
func (s *crawler) newPage(source Source, address string, depth int) Document {
	now := s.now()
	return Document{
		ID: id.New(s.random, "doc"), WorkspaceID: source.WorkspaceID, ChatbotID: source.ChatbotID, SourceID: source.ID,
		URL: address, Depth: depth, Title: plain.Shorten(address, maxTitle), Kind: HTML, State: Pending,
		DueAt: &now, UpdatedAt: now, CreatedAt: now,
	}
}

// follow adds the pages that a page links to and the rules admit.
func (s *crawler) follow(ctx context.Context, source Source, d Document, links []string) error {
	if d.Depth >= source.Rules.MaxDepth {
		return nil
	}
	seen := map[string]bool{}
	var found []Document
	for _, link := range links {
		address, ok := s.fetcher.Admit(source.URL, link, source.Rules)
		if ok && !seen[address] {
			seen[address] = true
			found = append(found, s.newPage(source, address, d.Depth+1))
		}
	}
	return s.addFound(ctx, source, found)
}

// original returns the page of the site that a page leads on to, or prefers to itself, and
// adds it to the source. It is empty if there is none, or none that can be read.
func (s *crawler) original(ctx context.Context, source Source, d Document, page Extracted) (string, error) {
	address, ok := s.fetcher.Admit(source.URL, cmp.Or(page.Refresh, page.Canonical), source.Rules)
	if !ok || address == d.URL {
		return "", nil
	}
	if page.Refresh == "" && (d.URL == source.URL || address == source.URL && pathOf(d.URL) != pathOf(address)) {
		return "", nil // many sites name the first page on all others, by mistake
	}
	if err := s.addFound(ctx, source, []Document{s.newPage(source, address, d.Depth)}); err != nil {
		return "", err
	}
	documents, err := s.sources.SourceDocuments(ctx, source.WorkspaceID, source.ID)
	if err != nil {
		return "", err
	}
	for _, other := range documents {
		// A page that is answered from gives way to one that is, too, and not to a hope.
		if other.URL == address && (other.Live > 0 || d.Live == 0 && other.State != Failed && other.State != Removing) {
			return address, nil
		}
	}
	return "", nil
}

// pathOf is the path of an address, alike for a folder and its index.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	folder, file := path.Split(u.Path)
	if strings.HasPrefix(file, "index.") {
		return folder
	}
	return u.Path
}

// addFound adds documents to a source, as many as its rules admit.
func (s *crawler) addFound(ctx context.Context, source Source, found []Document) error {
	if len(found) == 0 {
		return nil
	}
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		room, err := s.workspaces.roomForPages(ctx, source.WorkspaceID, len(found))
		if err != nil {
			return err
		}
		_, err = s.sources.CreateFound(ctx, source.WorkspaceID, source, found, source.Rules.MaxPages, room)
		return err
	})
}
