package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

func TestAnIdleQueueWritesNothing(t *testing.T) {
	t.Parallel()
	h := newFixture(t, sqliteURL(t))
	db, err := h.store.JobsDB()
	h.must(err)
	defer db.Close()
	on := singleProcessDriver{riversqlite.New(db), newWakeups(1)}.GetExecutor()
	before := h.version()

	if jobs, err := on.JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{
		ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1, Queue: someWork,
	}); err != nil || len(jobs) != 0 {
		t.Errorf("the queue has %d jobs: %v", len(jobs), err)
	}
	if jobs, err := on.JobSchedule(t.Context(), &riverdriver.JobScheduleParams{Max: 1}); err != nil || len(jobs) != 0 {
		t.Errorf("%d jobs are due: %v", len(jobs), err)
	}
	term := &riverdriver.LeaderReelectParams{LeaderID: "test", ElectedAt: time.Now(), TTL: time.Minute}
	if leader, err := on.LeaderAttemptReelect(t.Context(), term); err != nil || leader.LeaderID != "test" {
		t.Errorf("%v leads: %v", leader, err)
	}

	if after := h.version(); after != before {
		t.Errorf("the file was written to: version %d after %d", after, before)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO river_queue (name) VALUES ('test')"); err != nil || h.version() == before {
		t.Errorf("a write goes unnoticed: %v", err)
	}
}

// version changes with every commit on any connection but the store's.
func (h *fixture) version() (n int) {
	h.Helper()
	h.must(h.store.InTx(h.Context(), func(ctx context.Context) error { return scan(ctx, &n, "PRAGMA data_version") }))
	return n
}
