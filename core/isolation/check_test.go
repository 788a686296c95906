package isolation

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/internal/id"
)

// fake is an installation that answers everything with the same text.
type fake struct {
	answer   Answer
	failsAt  int // the request that fails, if it is not zero
	requests int
	// planted are the workspaces that there are, with when they were made.
	planted map[string]time.Time
	left    map[string]int64
	dropped []string
	// stuck says that nothing can be erased.
	stuck bool
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (f *fake) PlantThrowAway(_ context.Context, workspaceID string, seed *Seed) (Objects, error) {
	f.planted[workspaceID] = now
	seed.Text("documents.content")
	return Objects{IDs: map[string]string{"chatbot": seed.NewID("cb"), "id": seed.NewID("cb")}, Documents: []string{seed.NewID("doc")}, Conversation: 1, Tried: 2, Message: 3, Delivery: 4}, nil
}

func (f *fake) ThrowAways(context.Context, system.Access) (all []Found, err error) {
	for workspaceID, at := range f.planted {
		all = append(all, Found{workspaceID, at})
	}
	return all, nil
}

func (f *fake) ThrowAwayDocuments(_ context.Context, workspaceID string) (map[string][]string, error) {
	return map[string][]string{"cb of " + workspaceID: nil}, nil
}

func (f *fake) Fingerprint(context.Context, string) (map[string]string, error) { return nil, nil }

func (f *fake) EraseThrowAway(_ context.Context, workspaceID string) error {
	if f.stuck {
		return errAway
	}
	delete(f.planted, workspaceID)
	return nil
}

func (f *fake) RemainingOf(context.Context, string) (map[string]int64, error) { return f.left, nil }

func (f *fake) ProbeWall(context.Context, string, string) ([]Probe, error) { return nil, nil }

func (f *fake) Check(context.Context) error { return nil }

func (f *fake) Send(context.Context, Request) (Answer, error) {
	if f.requests++; f.requests == f.failsAt {
		return Answer{}, errAway
	}
	return f.answer, nil
}

var errAway = errors.New("away")

func (f *fake) Fill(context.Context, string, string, string) error { return nil }

func (f *fake) Drop(_ context.Context, _, chatbotID string) error {
	f.dropped = append(f.dropped, chatbotID)
	return nil
}

func (f *fake) Count(context.Context, string, string, string) (int, error) { return 0, nil }

func (f *fake) Search(context.Context, string, string, string) (string, error) { return "", nil }

func (f *fake) Hits(context.Context, string, string, string) ([]string, error) { return nil, nil }

func (f *fake) checker() *Checker {
	return New(Ports{
		Store: f, Server: f, Index: f, Numbers: numbers{}, Progress: func(string) {},
		Recorded: func(context.Context, []string) error { return nil },
		Announced: func(context.Context) (func(context.Context) error, error) {
			return func(context.Context) error { return nil }, nil
		},
	}, Settings{Plan: plan.Enterprise, WallOff: "there is none", Mint: func(kind chatbot.TokenKind) (string, string, string) {
		return chatbot.MintThrowAway(rand.Reader, kind)
	}}, func() time.Time { return now }, rand.Reader)
}

func TestCheckCleansUp(t *testing.T) {
	t.Run("a check that fails takes away what it has planted", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{}, failsAt: 7}
		if _, err := f.checker().Run(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("it says %v", err)
		}
		if len(f.planted) > 0 || len(f.dropped) != 2 {
			t.Errorf("there are %v, and the index was told of %v", f.planted, f.dropped)
		}
	})
	t.Run("a server that shows workspaces to nobody is of another installation", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{}, answer: Answer{Status: 404}}
		if _, err := f.checker().Run(t.Context()); !errors.Is(err, errOtherInstallation) {
			t.Errorf("it says %v", err)
		}
	})
	t.Run("what cannot be taken away is in the report", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{}, failsAt: 7, left: map[string]int64{"gaps": 3}}
		report, _ := f.checker().Run(t.Context())
		if !slices.Equal(report.Left, []string{"3 rows in gaps", "3 rows in gaps"}) || report.OK() {
			t.Errorf("it is %v", report.Left)
		}
	})
	t.Run("a workspace that cannot be erased is in the report of an interrupted check, too", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{}, stuck: true}
		ctx, cancel := context.WithCancel(t.Context())
		c := f.checker()
		c.Progress = func(string) { cancel() }
		report, err := c.Run(ctx)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errAway) || len(report.Left) != 2 || !strings.Contains(report.Left[0], "--clean") {
			t.Errorf("it says %v, and that there is left %v", err, report.Left)
		}
	})

	old, young := id.NewThrowAway(rand.Reader, "ws", id.NewTag(rand.Reader)), id.NewThrowAway(rand.Reader, "ws", id.NewTag(rand.Reader))
	t.Run("the next check takes away what one has left that cannot run any more", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{old: now.Add(-Lasts)}, failsAt: 7}
		report, _ := f.checker().Run(t.Context())
		if !slices.Equal(report.Earlier, []string{old}) || len(f.planted) > 0 {
			t.Errorf("it took away %v, and there are %v", report.Earlier, f.planted)
		}
	})
	t.Run("beside one that may still run it plants nothing, and says what to do", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{young: now.Add(-Lasts + time.Second)}}
		_, err := f.checker().Run(t.Context())
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), young) || len(f.planted) != 1 || f.requests > 0 {
			t.Errorf("it says %v, and there are %v", err, f.planted)
		}
		removed, err := f.checker().Clean(t.Context())
		if err != nil || !slices.Equal(removed, []string{young}) || len(f.planted) > 0 {
			t.Errorf("cleaning took away %v: %v", removed, err)
		}
	})
	t.Run("nothing else is ever taken away", func(t *testing.T) {
		f := &fake{planted: map[string]time.Time{id.New(rand.Reader, "ws"): {}}}
		if removed, err := f.checker().Clean(t.Context()); err == nil || len(removed) > 0 || len(f.planted) != 1 || len(f.dropped) > 0 {
			t.Errorf("it took away %v: %v", removed, err)
		}
	})
}
