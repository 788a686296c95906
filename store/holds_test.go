package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/ent/scope"
)

// wantFree reserves messages and checks how many a process may begin.
func (b *bundle) wantFree(workspaceID string, asked quota.Reservation, want int) {
	b.Helper()
	asked.Month, asked.Lease = thisMonth, max(asked.Lease, time.Minute)
	if got, err := b.ReserveMessages(b.Context(), workspaceID, asked); err != nil || got != want {
		b.Errorf("it may begin %d, want %d: %v", got, want, err)
	}
}

func TestReservedMessages(t *testing.T) {
	url := migratedPostgres.New(t)
	here, there := openBundle(t, url), openBundle(t, url)
	a := here.fill("a") // with two questions
	ctx := t.Context()
	begin := func(b *bundle) {
		b.Helper()
		opening := a.newTurn()
		opening.Reserved = true
		_, answer, err := b.BeginConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, opening)
		b.must(err)
		b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answer, Attempt: 1, Status: chat.Complete}))
	}
	lapse := func() {
		t.Helper()
		_, err := here.Raw(ctx).ExecContext(scope.System(ctx, everywhere), "UPDATE message_holds SET lease_until = now() - interval '1 second'")
		here.must(err)
	}

	t.Run("what one process has reserved, another does not get", func(t *testing.T) {
		here.wantFree(a.id, quota.Reservation{Limit: 10, Want: 5}, 5)
		there.wantFree(a.id, quota.Reservation{Limit: 10, Want: 5}, 3)
		there.wantFree(a.id, quota.Reservation{Limit: 10, Want: 5, Free: 3}, 3)
	})
	t.Run("what has begun is not counted as reserved, too", func(t *testing.T) {
		for range 5 {
			begin(here)
		}
		here.wantMessages(a.id, thisMonth, 7)
		here.wantFree(a.id, quota.Reservation{Limit: 10, Want: 5}, 0)
		here.wantFree(a.id, quota.Reservation{Limit: 11, Want: 5}, 1)
	})
	t.Run("a refused reservation writes nothing", func(t *testing.T) {
		before := here.dump("message_holds", "workspace_id", a.id)
		openBundle(t, url).wantFree(a.id, quota.Reservation{Limit: 11, Want: 5}, 0)
		if after := here.dump("message_holds", "workspace_id", a.id); after != before {
			t.Errorf("it changed\n%s\nto\n%s", before, after)
		}
	})
	t.Run("the reservations of a killed process are free again when its lease has ended", func(t *testing.T) {
		lapse()
		third := openBundle(t, url)
		third.wantFree(a.id, quota.Reservation{Limit: 11, Want: 9}, 4)
	})
	t.Run("what a stopped process gives back comes back at once", func(t *testing.T) {
		lapse()
		there.wantFree(a.id, quota.Reservation{Limit: 11, Want: 9}, 4)
		here.wantFree(a.id, quota.Reservation{Limit: 11, Want: 9}, 0)
		there.must(there.ReleaseMessages(ctx, everywhere))
		here.wantFree(a.id, quota.Reservation{Limit: 11, Want: 9}, 4)
	})
	t.Run("settled reservations leave the count as it is", func(t *testing.T) {
		begin(here)
		here.must(here.SettleMessages(ctx, everywhere, time.Now().UTC().Add(-time.Hour)))
		if n := here.count("SELECT COUNT(*) FROM message_holds"); n != 3 {
			t.Errorf("%d reservations are left", n)
		}
		lapse()
		here.must(here.SettleMessages(ctx, everywhere, time.Now().UTC().Add(time.Second)))
		here.wantMessages(a.id, thisMonth, 8)
		if n := here.count("SELECT COUNT(*) FROM message_holds"); n != 0 {
			t.Errorf("%d reservations are left", n)
		}
		if n := here.count("SELECT COUNT(*) FROM usages WHERE shard > 255"); n != 0 {
			t.Errorf("%d rows of a process are left", n)
		}
		here.wantFree(a.id, quota.Reservation{Limit: 11, Want: 9}, 3)
	})
	t.Run("a workspace is deleted with its reservations", func(t *testing.T) {
		here.must(here.DeleteWorkspace(ctx, a.id))
		if n := here.count("SELECT COUNT(*) FROM message_holds"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

func TestMessagesAreReservedWhileTheWorkspaceIsLocked(t *testing.T) {
	b := openBundle(t, migratedPostgres.New(t))
	a := b.fill("a")
	b.must(b.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := b.LockWorkspace(ctx, a.id); err != nil {
			return err
		}
		beside, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err := b.ReserveMessages(beside, a.id, quota.Reservation{Month: thisMonth, Limit: 10, Want: 1, Lease: time.Minute})
		return err
	}))
}

// Whatever is done to reservations at once must end, without a deadlock.
func TestReservationsDoNotBlockOneAnother(t *testing.T) {
	url := migratedPostgres.New(t)
	b := openBundle(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// run lets processes reserve and settle, and do something else.
	run := func(a tenancy, during func(process *bundle) error) {
		var all sync.WaitGroup
		for range 4 {
			process := openBundle(t, url)
			all.Go(func() {
				for range 30 {
					asked := quota.Reservation{Month: thisMonth, Limit: 1_000, Want: 1, Lease: time.Microsecond}
					_, err := process.ReserveMessages(ctx, a.id, asked)
					if err == nil || fault.Is(err, fault.Conflict) { // the workspace is gone
						err = process.SettleMessages(ctx, everywhere, time.Now().UTC())
					}
					if err == nil {
						err = during(process)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	}
	t.Run("while questions begin", func(t *testing.T) {
		a := b.fill("a")
		run(a, func(process *bundle) error {
			opening := a.newTurn()
			opening.Reserved = true
			_, _, err := process.BeginConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, opening)
			return err
		})
		b.wantMessages(a.id, thisMonth, 2+4*30)
	})
	t.Run("while the workspace is deleted", func(t *testing.T) {
		a := b.fill("b")
		var once sync.Once
		run(a, func(process *bundle) (err error) {
			once.Do(func() { err = process.DeleteWorkspace(ctx, a.id) })
			return err
		})
	})
}
