package knowledge

import (
	"context"
	"sync"
	"time"

	"parley/core/fault"
)

// longestPause is how soon a workspace whose sites are all busy is looked at
// again: meanwhile another site may have been added.
const longestPause = 5 * time.Second

// busySites remembers, in this process, the sources whose hosts take no request
// for a while. Their documents stay due, and untouched.
type busySites struct {
	mu    sync.Mutex
	until map[string]busySite // by source
}

type busySite struct {
	workspaceID string
	until       time.Time
}

func (b *busySites) postpone(workspaceID, sourceID string, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == nil {
		b.until = map[string]busySite{}
	}
	b.until[sourceID] = busySite{workspaceID, until}
}

// sources returns a workspace's sources that are left alone just now. It forgets the
// sources, of any workspace, whose time is over.
func (b *busySites) sources(workspaceID string, now time.Time) (ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, site := range b.until {
		switch {
		case !site.until.After(now):
			delete(b.until, id)
		case site.workspaceID == workspaceID:
			ids = append(ids, id)
		}
	}
	return ids
}

// pause is the time until the first source of a workspace is free again.
func (b *busySites) pause(workspaceID string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	least := time.Duration(0)
	for _, site := range b.until {
		if left := site.until.Sub(now); site.workspaceID == workspaceID && left > 0 && (least == 0 || left < least) {
			least = left
		}
	}
	return min(least, longestPause)
}

// postponeHost leaves a document as it was before its host refused a reader, and
// the host's source alone for a while.
func (s *Worker) postponeHost(ctx context.Context, d *Document, cause error) error {
	s.busy.postpone(d.WorkspaceID, d.SourceID, s.now().Add(max(fault.As(cause).RetryAfter, time.Second)))
	next := *d
	next.State, next.Begun = Pending, 0
	return s.move(ctx, d, next)
}
