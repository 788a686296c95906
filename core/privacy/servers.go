package privacy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
)

// ownIndex is the index of this server, where each server has one for itself. No other
// server can count or clear it.
type ownIndex interface {
	// Name returns a name that no other server's index has.
	Name(ctx context.Context) (string, error)
	// Clear takes all that a workspace has out of the index and its files, and counts
	// what is left.
	Clear(ctx context.Context, workspaceID string) (left int64, err error)
	// Running names the indexes of the servers that run, this one among them if it does.
	Running(ctx context.Context) ([]string, error)
}

// indexOf begins what receipts call the entries of one server's index.
const indexOf = "index_of_"

// stoppedFor is how long a server may have stood still and still clears its index when it
// starts. One that stood still for longer builds a new index.
const stoppedFor = 7 * 24 * time.Hour

// servers has every server clear its own index of workspaces that were erased.
type servers struct {
	ports Ports
	now   func() time.Time
	// caughtUp says that this process has looked at what was erased before it started.
	caughtUp bool
}

// Work clears this server's index of the workspaces that were erased, and writes on their
// receipts what it counts afterwards. It is for one caller at a time.
func (s *servers) Work(ctx context.Context) error {
	if s.ports.Own == nil {
		return nil
	}
	erased, err := s.ports.Erasures.PendingErasures(ctx, s.ports.System, maxReceipts)
	failures := []error{err}
	if !s.caughtUp {
		before, err := s.ports.Erasures.ErasuresSince(ctx, s.ports.System, Workspace, s.now().Add(-stoppedFor))
		erased, failures = append(erased, before...), append(failures, err)
	}
	for _, e := range erased {
		if e.Kind != Workspace {
			continue
		}
		if err := s.clearIndex(ctx, e); err != nil {
			failures = append(failures, fmt.Errorf("clear the index of workspace %s: %w", e.WorkspaceID, err))
		}
	}
	err = errors.Join(failures...)
	s.caughtUp = s.caughtUp || err == nil
	return err
}

// clearIndex clears this server's index of a workspace, unless it has done so or the workspace
// is still there.
func (s *servers) clearIndex(ctx context.Context, e Erasure) error {
	if s.ports.Own == nil {
		return nil
	}
	name, err := s.ports.Own.Name(ctx)
	if err != nil {
		return err
	}
	if left, counted := e.Remaining[indexOf+name]; counted && left == 0 {
		return nil
	}
	if _, err := s.ports.Tenants.Workspaces.Workspace(ctx, e.WorkspaceID); !fault.Is(err, fault.NotFound) {
		return err
	}
	left, err := s.ports.Own.Clear(ctx, e.WorkspaceID)
	if err != nil {
		return err
	}
	return s.ports.InTx(ctx, func(ctx context.Context) error {
		now, err := s.ports.Erasures.LockErasure(ctx, e.WorkspaceID, e.ID)
		if err != nil {
			return err
		}
		now.Remaining[indexOf+name] = left
		return s.ports.Erasures.SettleErasure(ctx, e.WorkspaceID, now)
	})
}

// running names the servers for which the receipt of an erasure has to wait.
func (r *Receipts) running(ctx context.Context, e Erasure) ([]string, error) {
	if r.ports.Own == nil || e.Kind != Workspace {
		return nil, nil
	}
	return r.ports.Own.Running(ctx)
}

// withServers adds to what remains what servers have counted in their indexes. One that
// runs and has not counted yet has all that there was.
func withServers(remaining Counts, e Erasure, running []string) Counts {
	all := maps.Clone(remaining)
	for kind, left := range e.Remaining {
		if name, is := strings.CutPrefix(kind, indexOf); is && (left == 0 || slices.Contains(running, name)) {
			all[kind] = left
		}
	}
	for _, name := range running {
		if _, counted := all[indexOf+name]; !counted {
			all[indexOf+name] = e.Erased[IndexEntries]
		}
	}
	return all
}
