package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

var errScan = fault.New(fault.Invalid, "This PDF is a scan without text.")

func TestFailures(t *testing.T) {
	t.Run("what will not pass fails at once, with the reason, and is not tried again", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: errScan}
		d := l.addFile("a.pdf", bread)
		l.work()
		l.wantState(d.ID, knowledge.Failed, "This PDF is a scan without text.")
		if l.get(d.ID).DueAt != nil {
			t.Error("it is due")
		}
	})

	t.Run("a file without text fails with the reason", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", " \n")
		l.work()
		l.wantState(d.ID, knowledge.Failed, "There is no text in it.")
	})

	t.Run("a text that is too large fails with the reason", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", strings.Repeat("x", knowledge.MaxContent+1))
		l.work()
		l.wantState(d.ID, knowledge.Failed, "larger than 5 MiB")
	})

	t.Run("what no database takes is left out of a text", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", "The rye \x00loaf\xff.")
		l.work()
		l.wantWhole(d.ID)
		if got := l.get(d.ID).Content; got != "The rye loaf\uFFFD." {
			t.Errorf("it is %q", got)
		}
	})

	t.Run("what may pass is tried again, with longer and longer pauses, and fails in the end", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: fault.New(fault.Unavailable, "No room just now.")}
		d := l.addFile("a.pdf", bread)
		var pauses []time.Duration
		for {
			l.work()
			now := l.get(d.ID)
			if now.DueAt == nil {
				break
			}
			l.wantState(d.ID, knowledge.Pending, "No room just now.")
			pause := now.DueAt.Sub(l.clock.Now())
			pauses = append(pauses, pause)
			l.clock.advance(pause - time.Second)
			l.work() // nothing is due yet
			if got := l.get(d.ID).Attempts; got != len(pauses) {
				t.Errorf("after %d attempts it says %d", len(pauses), got)
			}
			l.clock.advance(time.Second)
		}
		want := "[30s 1m0s 2m0s 4m0s 8m0s 16m0s 32m0s]"
		if fmt.Sprint(pauses) != want {
			t.Errorf("the pauses are %v, want %s", pauses, want)
		}
		l.wantState(d.ID, knowledge.Failed, "No room just now.")
	})

	t.Run("the other side says how long to wait", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set("https://site/", page{err: &fault.Error{Kind: fault.Upstream, Message: "Too many requests.", RetryAfter: time.Hour}})
		l.pageAt("https://site/", knowledge.Never)
		l.work()
		if due := l.at("https://site/").DueAt; due == nil || due.Sub(l.clock.Now()) != time.Hour {
			t.Errorf("it is due at %v", due)
		}
	})

	t.Run("an owner does not read internals", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: errors.New("nil pointer at 0xdead")}
		d := l.addFile("a.pdf", bread)
		l.work()
		l.wantState(d.ID, knowledge.Pending, "Something went wrong here, not with the document.")
	})

	t.Run("a document that fails does not hold up the others", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: errScan}
		failing, fine := l.addFile("a.pdf", bread), l.addFile("b.pdf", cakes)
		l.work()
		l.wantState(failing.ID, knowledge.Failed, "scan")
		l.wantWhole(fine.ID)
	})

	t.Run("while the index is away documents wait, and are indexed when it is back", func(t *testing.T) {
		l := newLibrary(t)
		l.index.away = true
		typed, file := l.add("Bread", bread), l.addFile("a.pdf", cakes)
		l.work()
		l.wantState(typed.ID, knowledge.Indexing, "The index is away.")
		l.wantState(file.ID, knowledge.Indexing, "The index is away.")
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.index.away = false
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(typed.ID)
		l.wantWhole(file.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("an index that loses passages is found out", func(t *testing.T) {
		l := newLibrary(t)
		l.index.after = func() { l.must(l.index.Remove(t.Context(), homeScope, l.list()[0].ID)) }
		d := l.add("Bread", bread)
		l.wantState(d.ID, knowledge.Indexing, "The index holds 0 of")
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(d.ID)
	})
}

func TestRetryAndCancel(t *testing.T) {
	ctx := context.Background()

	t.Run("a failed document is read again when its owner says so", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: errScan}
		d := l.addFile("a.pdf", bread)
		l.work()
		l.queue.take()
		delete(l.world.files, "a.pdf")
		l.must(l.Retry(ctx, home, bot, d.ID))
		if got := l.queue.take(); len(got) != 1 {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("one that waits for another try need not wait", func(t *testing.T) {
		l := newLibrary(t)
		l.index.away = true
		d := l.add("Bread", bread)
		l.index.away = false
		l.work()
		l.wantState(d.ID, knowledge.Indexing, "The index is away.")
		l.must(l.Retry(ctx, home, bot, d.ID))
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("a text whose file is not kept any more keeps its places", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{places: []knowledge.Place{{Offset: 0, Name: "page 1"}}}
		l.index.away = true
		d := l.addFile("a.pdf", bread)
		l.work()
		l.must(l.Cancel(ctx, home, bot, d.ID))
		l.index.away = false
		l.must(l.Retry(ctx, home, bot, d.ID))
		l.work()
		l.wantWhole(d.ID)
		if got := l.get(d.ID).Places; len(got) != 1 || len(l.world.extracted) != 1 {
			t.Errorf("its places are %v after %d extractions", got, len(l.world.extracted))
		}
	})

	t.Run("there is nothing to retry or to cancel of what is ready", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.wantKind(l.Retry(ctx, home, bot, d.ID), fault.Conflict)
		l.wantKind(l.Cancel(ctx, home, bot, d.ID), fault.Conflict)
		l.index.lie = true
		l.must(l.Remove(ctx, home, bot, d.ID))
		l.wantKind(l.Retry(ctx, home, bot, d.ID), fault.Conflict)
		l.wantKind(l.Cancel(ctx, home, bot, d.ID), fault.Conflict)
	})

	t.Run("a cancelled document is not worked on", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		l.must(l.Cancel(ctx, home, bot, d.ID))
		l.work()
		l.wantState(d.ID, knowledge.Failed, "Cancelled.")
		if len(l.world.extracted) != 0 {
			t.Error("it was extracted")
		}
		l.must(l.Retry(ctx, home, bot, d.ID))
		l.work()
		l.wantWhole(d.ID)
	})

	for name, hook := range map[string]func(l *library, cancel func()){
		"while it is extracted":         func(l *library, cancel func()) { l.world.extracting = cancel },
		"before it goes into the index": func(l *library, cancel func()) { l.index.before = cancel },
		"after it went into the index":  func(l *library, cancel func()) { l.index.after = cancel },
	} {
		t.Run("a document can be cancelled "+name, func(t *testing.T) {
			l := newLibrary(t)
			d := l.addFile("a.pdf", bread)
			hook(l, func() { l.must(l.Cancel(ctx, home, bot, d.ID)) })
			l.work()
			l.wantState(d.ID, knowledge.Failed, "Cancelled.")
			l.wantAnswered("When is rye baked?", "midnight", false)
			if n, err := l.index.Count(ctx, homeScope, d.ID); n != 0 || err != nil {
				t.Errorf("the index holds %d of its passages: %v", n, err)
			}
			l.must(l.Retry(ctx, home, bot, d.ID))
			l.work()
			l.wantWhole(d.ID)
		})
		t.Run("what it was before is answered from if that is done "+name, func(t *testing.T) {
			l := newLibrary(t)
			l.world.set("https://site/", page{text: bread})
			source := l.pageAt("https://site/", knowledge.Never)
			l.work()
			d := l.at("https://site/")
			l.world.set("https://site/", page{text: cakes})
			l.must(l.SyncSource(ctx, home, bot, source.ID))
			hook(l, func() { l.must(l.Cancel(ctx, home, bot, d.ID)) })
			l.work()
			l.wantState(d.ID, knowledge.Failed, "Cancelled.")
			l.wantAnswered("When is rye baked?", "midnight", true)
			l.wantAnswered("When is plum cake baked?", "Sundays", false)
			l.must(l.Retry(ctx, home, bot, d.ID))
			l.work()
			l.wantWhole(d.ID)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
		})
	}

	t.Run("cancelling and retrying in the middle of the work is in order", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		l.index.after = func() {
			l.must(l.Cancel(ctx, home, bot, d.ID))
			l.must(l.Retry(ctx, home, bot, d.ID))
		}
		l.work()
		l.wantWhole(d.ID)
	})
}

func TestTurns(t *testing.T) {
	t.Run("one turn is about five seconds, and says that there is more", func(t *testing.T) {
		l := newLibrary(t)
		for i := range 5 {
			l.addFile(fmt.Sprintf("%d.pdf", i), bread)
		}
		slow := func() { l.clock.advance(3 * time.Second) }
		for i, want := range []bool{true, true, false} {
			l.world.extracting = func() { slow(); l.world.extracting = slow }
			if more, err := l.Work(t.Context(), home); more != want || err != nil {
				t.Errorf("turn %d: more is %v, %v", i, more, err)
			}
		}
		l.wantStates(slices.Repeat([]knowledge.State{knowledge.Ready}, 5)...)
	})

	t.Run("work that is broken off goes on where it was", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		stop := errors.New("the server stops")
		ctx, cancel := context.WithCancelCause(t.Context())
		l.world.extracting = func() { cancel(stop) }
		if _, err := l.Work(ctx, home); !errors.Is(err, stop) {
			t.Errorf("the error is %v", err)
		}
		l.wantState(d.ID, knowledge.Extracting, "")
		l.work()
		l.wantWhole(d.ID)
		if n := l.get(d.ID).Attempts; n != 0 {
			t.Errorf("that counts as %d attempts", n)
		}
	})

	t.Run("a sweep enqueues what has become due, and nobody else", func(t *testing.T) {
		l := newLibrary(t)
		l.index.away = true
		l.add("Bread", bread)
		l.queue.take()
		l.must(l.Sweep(t.Context()))
		if got := l.queue.take(); len(got) != 0 {
			t.Errorf("enqueued is %v", got)
		}
		l.clock.advance(time.Minute)
		l.must(l.Sweep(t.Context()))
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
	})

	t.Run("a document whose adder has died is found by a sweep", func(t *testing.T) {
		l := newLibrary(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.index.before = cancel
		d, err := l.Add(ctx, home, bot, knowledge.NewDocument{Title: "Bread", Content: bread})
		l.must(err)
		l.work() // it is the adder's still
		if l.get(d.ID).State == knowledge.Ready {
			t.Error("it is ready")
		}
		l.clock.advance(30 * time.Second)
		l.must(l.Sweep(t.Context()))
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
	})
}

func TestFinish(t *testing.T) {
	t.Run("work is not finished while something is due", func(t *testing.T) {
		l := newLibrary(t)
		completed := 0
		finish := func() bool {
			more, err := l.Finish(t.Context(), home, func(context.Context) error { completed++; return nil })
			l.must(err)
			return more
		}
		l.addFile("a.pdf", bread)
		if !finish() || completed != 0 {
			t.Errorf("it was completed %d times", completed)
		}
		l.work()
		if finish() || completed != 1 {
			t.Errorf("it was completed %d times", completed)
		}
	})

	t.Run("what completing fails with is handed on", func(t *testing.T) {
		l := newLibrary(t)
		if _, err := l.Finish(t.Context(), home, func(context.Context) error { return errAway }); !errors.Is(err, errAway) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("the work of a workspace that has gone can be completed", func(t *testing.T) {
		l := newLibrary(t)
		completed := false
		more, err := l.Finish(t.Context(), "ws_gone", func(context.Context) error { completed = true; return nil })
		if more || err != nil || !completed {
			t.Errorf("more is %v, completed %v: %v", more, completed, err)
		}
	})

	t.Run("nothing that is added at the same time is lost", func(t *testing.T) {
		l := newLibrary(t)
		const adders, each = 4, 10
		var adding sync.WaitGroup
		for a := range adders {
			adding.Go(func() {
				for i := range each {
					l.addFile(fmt.Sprintf("%d-%d.pdf", a, i), bread)
				}
			})
		}
		added := make(chan struct{})
		go func() { adding.Wait(); close(added) }()
		for last := false; !last; {
			select {
			case <-added:
				last = true
			default:
			}
			// A job runs as long as there is more; the next one is enqueued.
			for len(l.queue.take()) > 0 {
				for more := true; more; {
					l.work()
					var err error
					more, err = l.Finish(t.Context(), home, func(context.Context) error { l.queue.take(); return nil })
					l.must(err)
				}
			}
		}
		l.wantStates(slices.Repeat([]knowledge.State{knowledge.Ready}, adders*each)...)
	})
}
