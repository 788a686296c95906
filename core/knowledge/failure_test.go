package knowledge_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

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
		l.wantState(d.ID, knowledge.Pending, "Something went wrong on this server")
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

	t.Run("a document waits for the operator for as long as it takes, and is not given up", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: fault.New(fault.Unavailable, "This server cannot read files.").ForOperator()}
		d := l.addFile("a.pdf", bread)
		for range 100 {
			l.work()
			l.wantState(d.ID, knowledge.Pending, "This server cannot read files.")
			if now := l.get(d.ID); !now.Waits() || now.Attempts != 0 {
				t.Fatalf("after %d attempts it is due at %v", now.Attempts, now.DueAt)
			}
			l.clock.advance(time.Minute)
		}
		delete(l.world.files, "a.pdf")
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("an index that loses passages is found out", func(t *testing.T) {
		l := newLibrary(t)
		l.index.after = func() { l.must(l.index.Remove(t.Context(), homeScope, l.list()[0].ID)) }
		d := l.add("Bread", bread)
		l.wantState(d.ID, knowledge.Indexing, "The index of this server has not kept the whole document")
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(d.ID)
	})
}
