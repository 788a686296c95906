package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/system"
	"parley/internal/id"
)

// Ports are what a check works with.
type Ports struct {
	Store   Store
	System  system.Access
	Server  Server
	Index   Index
	Numbers Numbers
	// Recorded writes into the audit log that a check begins, with the workspaces that it
	// plants.
	Recorded func(ctx context.Context, workspaceIDs []string) error
	// Announced tells the servers that a check begins, so that they alarm nobody because of its
	// requests, and returns what tells them that it has ended.
	Announced func(ctx context.Context) (ended func(context.Context) error, err error)
	// Progress is told what begins.
	Progress func(step string)
}

// Checker checks an installation.
type Checker struct {
	Ports
	settings Settings
	now      func() time.Time
	random   io.Reader
}

// New returns a checker.
func New(ports Ports, settings Settings, now func() time.Time, random io.Reader) *Checker {
	return &Checker{Ports: ports, settings: settings, now: now, random: random}
}

// run is one check.
type run struct {
	*Checker
	report *Report
	both   [2]*Workspace
	seeds  [2]*Seed
	// seen are the secrets that their own workspace was shown.
	seen map[string]bool
}

// cleanWithin bounds the cleanup after an interrupted check.
const cleanWithin = 2 * time.Minute

// Run checks the installation. Whatever happens, also when ctx ends, it takes away what it has
// planted; the report says what it could not.
func (c *Checker) Run(ctx context.Context) (report *Report, err error) {
	r := &run{Checker: c, report: &Report{Requests: map[string]int{}}, seen: map[string]bool{}}
	ended, err := c.Announced(ctx)
	if err != nil {
		return r.report, err
	}
	defer func() {
		if failure := ended(context.WithoutCancel(ctx)); failure != nil {
			err = errors.Join(err, failure)
		}
	}()
	if err := c.Server.Check(ctx); err != nil {
		return r.report, err
	}
	earlier, err := c.clean(ctx, false)
	r.report.Earlier = earlier
	if err != nil {
		return r.report, err
	}
	for i := range r.both {
		r.seeds[i], r.both[i] = NewSeed(c.random, c.settings, c.now())
		r.report.Workspaces = append(r.report.Workspaces, r.both[i].ID)
	}
	if err := c.Recorded(ctx, r.report.Workspaces); err != nil {
		return r.report, err
	}
	bounded, cancel := context.WithTimeout(ctx, Lasts-cleanWithin)
	defer cancel()
	err = r.check(bounded)
	switch { // whatever else failed, failed for this
	case ctx.Err() != nil:
		err = ctx.Err()
	case bounded.Err() != nil:
		err = fault.New(fault.Unavailable, "The check did not come to its end within %s.", Lasts-cleanWithin)
	}
	return r.report, errors.Join(err, r.cleanUp(ctx))
}

func (r *run) check(ctx context.Context) error {
	r.Progress("Planting two throw-away workspaces.")
	for i, w := range r.both {
		if err := r.plant(ctx, r.seeds[i], w); err != nil {
			return err
		}
	}
	r.report.Objects = len(r.both[0].Objects.IDs) + len(r.both[0].Objects.Documents)
	for i, w := range r.both {
		r.Progress(fmt.Sprintf("Reading workspace %d as its own members.", i+1))
		if err := r.readOwn(ctx, w); err != nil {
			return err
		}
	}
	r.Progress("Trying statements that forget the workspace.")
	if err := r.probe(ctx); err != nil {
		return err
	}
	for i, w := range r.both {
		r.Progress(fmt.Sprintf("Trying every route of workspace %d with the credentials of the other.", 2-i))
		if err := r.attempts(ctx, w, r.both[1-i]); err != nil {
			return err
		}
	}
	for i, w := range r.both {
		r.Progress(fmt.Sprintf("Searching for words of workspace %d as the other.", 2-i))
		if err := r.searches(ctx, w, r.both[1-i]); err != nil {
			return err
		}
	}
	r.report.Seen = len(r.seen)
	return nil
}

// plant adds a workspace to the database and its documents to the index.
func (r *run) plant(ctx context.Context, seed *Seed, w *Workspace) error {
	objects, err := r.Store.PlantThrowAway(ctx, w.ID, seed)
	if err != nil {
		return err
	}
	w.planted(seed, objects, r.Numbers)
	r.report.Planted += len(w.Canaries)
	for _, document := range objects.Documents {
		if err := r.Index.Fill(ctx, w.ID, objects.IDs["chatbot"], document); err != nil {
			return err
		}
	}
	return nil
}

// probe tries the second wall, both ways.
func (r *run) probe(ctx context.Context) error {
	for i, w := range r.both {
		probes, err := r.Store.ProbeWall(ctx, w.ID, r.both[1-i].ID)
		if err != nil {
			return err
		}
		for _, p := range probes {
			if p.Crossed != "" {
				r.report.cross(Crossing{Route: "SQL without a workspace condition", Credential: "the server's role for workspace " + w.ID, Object: "table " + p.Table, Reached: p.Crossed})
			}
		}
		r.report.Wall.Tables = probes
	}
	if len(r.report.Wall.Tables) == 0 {
		r.report.Wall.Off = r.settings.WallOff
	}
	return nil
}

// cleanUp removes the planted workspaces, however the check ended.
func (r *run) cleanUp(ctx context.Context) error {
	r.Progress("Taking both workspaces away.")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanWithin)
	defer cancel()
	var failures []error
	for _, w := range r.both {
		left, err := r.remove(ctx, w.ID)
		r.report.Left = append(r.report.Left, left...)
		if err != nil {
			r.report.Left = append(r.report.Left, "workspace "+w.ID+", which parley doctor isolation --clean takes away")
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// Clean takes away what earlier checks have left behind, also of one that began just now, and
// returns the workspaces.
func (c *Checker) Clean(ctx context.Context) ([]string, error) { return c.clean(ctx, true) }

func (c *Checker) clean(ctx context.Context, young bool) (removed []string, err error) {
	found, err := c.Store.ThrowAways(ctx, c.System)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if !young && c.now().Sub(f.CreatedAt) < Lasts {
			return removed, fault.New(fault.Conflict, "There is a throw-away workspace %s, which a check planted at %s. If that check does not run any more, take it away with parley doctor isolation --clean.",
				f.ID, f.CreatedAt.Format(time.RFC3339))
		}
		left, err := c.remove(ctx, f.ID)
		if err != nil {
			return removed, err
		}
		left = slices.DeleteFunc(left, func(what string) bool { return strings.HasSuffix(what, inAuditLog) }) // whatever had crossed
		if len(left) > 0 {
			return removed, fault.New(fault.Unavailable, "Not everything of workspace %s could be taken away: %s.", f.ID, strings.Join(left, ", "))
		}
		removed = append(removed, f.ID)
	}
	return removed, nil
}

// inAuditLog ends what is said of entries of the audit log, which nobody takes away.
const inAuditLog = " rows in audit_entries"

// remove takes a throw-away workspace away: out of the index first, since afterwards nobody
// knows what it had there.
func (c *Checker) remove(ctx context.Context, workspaceID string) (left []string, err error) {
	if !id.IsThrowAway(workspaceID) {
		return nil, fault.New(fault.Internal, "%s is no throw-away workspace.", workspaceID)
	}
	bots, err := c.Store.ThrowAwayDocuments(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	for bot, documents := range bots {
		if err := c.Index.Drop(ctx, workspaceID, bot); err != nil {
			return nil, err
		}
		for _, document := range documents {
			n, err := c.Index.Count(ctx, workspaceID, bot, document)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				left = append(left, fmt.Sprintf("%d passages of document %s in the index", n, document))
			}
		}
	}
	if err := c.Store.EraseThrowAway(ctx, workspaceID); err != nil {
		return nil, err
	}
	remaining, err := c.Store.RemainingOf(ctx, workspaceID)
	for _, table := range slices.Sorted(maps.Keys(remaining)) {
		left = append(left, fmt.Sprintf("%d rows in %s", remaining[table], table))
	}
	return left, err
}
