package turn_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system/grant"
	chatstore "parley/store/chat"
)

const day = 24 * time.Hour

// talk is a conversation with one question and its answer.
func (r *rig) talk(workspaceID string) int64 {
	r.Helper()
	id, err := r.ask(r.Context(), callerOf(workspaceID, plan.Unlimited), 0)
	r.must(err)
	return id
}

// wantLeft fails unless exactly these of some conversations are there.
func (r *rig) wantLeft(workspaceID string, of []int64, want ...int64) {
	r.Helper()
	var left []int64
	for _, id := range of {
		_, err := chatstore.NewConversations(r.db).Conversation(r.Context(), workspaceID, "cb_"+workspaceID, id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			r.Fatal(err)
		}
		if err == nil {
			left = append(left, id)
		}
	}
	if !slices.Equal(left, want) {
		r.Errorf("left are %v, want %v", left, want)
	}
}

func TestDeleteOld(t *testing.T) {
	t.Run("conversations end with their last message's days, and their messages with them", func(t *testing.T) {
		r := newRig(t)
		silent, continued := r.talk(home), r.talk(home)
		elsewhere := r.talk(foreign)
		empty, err := r.Chats.CreateConversation(t.Context(), callerOf(home, 1), chat.Start{})
		r.must(err)
		r.now = r.now.Add(30*day - time.Second)
		_, err = r.ask(t.Context(), callerOf(home, plan.Unlimited), continued)
		r.must(err)
		all := []int64{silent, continued, empty.ID}

		for _, c := range []struct {
			after time.Duration
			left  []int64
		}{{0, all}, {time.Second, all}, {time.Second, []int64{continued}}, {30*day - 2*time.Second, []int64{continued}}, {time.Second, nil}} {
			r.now = r.now.Add(c.after)
			deleted, err := r.Chats.DeleteOld(t.Context(), home, chat.Retention{Days: 30})
			r.must(err)
			if deleted > len(all) {
				t.Errorf("%d were deleted", deleted)
			}
			r.wantLeft(home, all, c.left...)
		}
		r.wantLeft(foreign, []int64{elsewhere}, elsewhere)
		if messages, err := chatstore.NewConversations(r.db).Messages(t.Context(), home, silent, 0, 0); err != nil || len(messages) != 0 {
			t.Errorf("%d messages are left: %v", len(messages), err)
		}
	})

	t.Run("a conversation that is just being answered stays", func(t *testing.T) {
		r := newRig(t)
		asked, err := r.Begin(t.Context(), callerOf(home, plan.Unlimited), turn.Ask{Message: "Question?"})
		r.must(err)
		r.now = r.now.Add(31 * day)
		_, err = r.Chats.DeleteOld(t.Context(), home, chat.Retention{Days: 30})
		r.must(err)
		id := asked.Conversation.ID
		r.wantLeft(home, []int64{id}, id)
		asked.Abandon(t.Context())
	})

	t.Run("as many as there are go, however many at once", func(t *testing.T) {
		r := newRig(t)
		const many = 450
		r.must(r.db.InTx(t.Context(), func(ctx context.Context) error {
			for range many {
				if _, err := chatstore.NewConversations(r.db).CreateConversation(ctx, home, chat.Conversation{ChatbotID: "cb_" + home, Status: chat.Active, Origin: chat.API, CreatedAt: r.now}); err != nil {
					return err
				}
			}
			return nil
		}))
		r.now = r.now.Add(31 * day)
		if deleted, err := r.Chats.DeleteOld(t.Context(), home, chat.Retention{Days: 30}); err != nil || deleted != many {
			t.Errorf("%d were deleted: %v", deleted, err)
		}
	})

	t.Run("a number of days below one, or beyond all time, deletes nothing", func(t *testing.T) {
		r := newRig(t)
		id := r.talk(home)
		r.now = r.now.Add(1_000 * day)
		for _, days := range []int{plan.Unlimited, 0, -1 << 63, 1<<63 - 1} {
			if deleted, err := r.Chats.DeleteOld(t.Context(), home, chat.Retention{Days: days}); err != nil || deleted != 0 {
				t.Errorf("of %d days %d were deleted: %v", days, deleted, err)
			}
		}
		r.wantLeft(home, []int64{id}, id)
	})
}

func TestRetentionAfterADowngrade(t *testing.T) {
	t.Run("older messages stay as long as the earlier plan kept them, and new ones are deleted sooner", func(t *testing.T) {
		r := newRig(t)
		early := r.talk(home)
		r.now = r.now.Add(day)
		kept := chat.Retention{Days: 30, KeptBefore: r.now, KeptDays: 365}
		late := r.talk(home)
		both := []int64{early, late}
		for _, c := range []struct {
			after time.Duration
			left  []int64
		}{{30*day + time.Second, []int64{early}}, {334*day - 2*time.Second, []int64{early}}, {2 * time.Second, nil}} {
			r.now = r.now.Add(c.after)
			_, err := r.Chats.DeleteOld(t.Context(), home, kept)
			r.must(err)
			r.wantLeft(home, both, c.left...)
		}
	})

	t.Run("messages from under a plan that keeps everything stay", func(t *testing.T) {
		r := newRig(t)
		id := r.talk(home)
		kept := chat.Retention{Days: 30, KeptBefore: r.now.Add(day), KeptDays: plan.Unlimited}
		r.now = r.now.Add(10_000 * day)
		_, err := r.Chats.DeleteOld(t.Context(), home, kept)
		r.must(err)
		r.wantLeft(home, []int64{id}, id)
	})
}

// kept has a name of its own, as Retentions is a method.
type kept = chatstore.Retentions

// stubborn is a store that deletes nothing of one workspace.
type stubborn struct {
	*kept
	workspaceID string
	fail        error
}

func (s stubborn) DeleteOldConversations(ctx context.Context, workspaceID string, since, before time.Time, limit int) (int, error) {
	if workspaceID == s.workspaceID {
		return 0, s.fail
	}
	return s.kept.DeleteOldConversations(ctx, workspaceID, since, before, limit)
}

func TestDeleteExpired(t *testing.T) {
	t.Run("each workspace keeps its conversations for the days of its plan", func(t *testing.T) {
		r := newRig(t)
		plans := map[string]plan.Name{"ws_a": plan.Starter, "ws_b": plan.Basic, "ws_c": plan.Enterprise}
		talks := map[string]int64{}
		for id, name := range plans {
			r.must(addWorkspace(t.Context(), r.db, id, name))
			talks[id] = r.talk(id)
		}
		for _, c := range []struct {
			after time.Duration
			left  []string
		}{{30 * day, []string{"ws_a", "ws_b", "ws_c"}}, {day, []string{"ws_b", "ws_c"}}, {60 * day, []string{"ws_c"}}, {10_000 * day, []string{"ws_c"}}} {
			r.now = r.now.Add(c.after)
			r.must(r.Chats.DeleteExpired(t.Context()))
			for id, talk := range talks {
				if slices.Contains(c.left, id) {
					r.wantLeft(id, []int64{talk}, talk)
				} else {
					r.wantLeft(id, []int64{talk})
				}
			}
		}
	})

	t.Run("a workspace that fails stops no other, and is reported", func(t *testing.T) {
		away := errors.New("away")
		for failing, other := range map[string]string{foreign: home, home: foreign} {
			r := newRig(t)
			stays, goes := r.talk(failing), r.talk(other)
			r.now = r.now.Add(1_000 * day)
			err := chat.New(chat.Ports{Retentions: stubborn{chatstore.NewRetentions(r.db), failing, away}, System: grant.Because("a test")}, nil, func() time.Time { return r.now }, slog.New(slog.DiscardHandler)).DeleteExpired(t.Context())
			if !errors.Is(err, away) {
				t.Errorf("got %v", err)
			}
			r.wantLeft(failing, []int64{stays}, stays)
			r.wantLeft(other, []int64{goes})
		}
	})

	t.Run("it stops with its context", func(t *testing.T) {
		r := newRig(t)
		id := r.talk(home)
		r.now = r.now.Add(1_000 * day)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := r.Chats.DeleteExpired(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		r.wantLeft(home, []int64{id}, id)
	})
}
