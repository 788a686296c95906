package knowledge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	billingstore "parley/store/billing"
)

// limited gives the workspace's plan room for so many bytes.
func (l *library) limited(bytes int) {
	l.Helper()
	p, err := l.db.Plan(l.Context(), plan.Standard)
	l.must(err)
	p.Limits.StoredBytes = bytes
	l.must(billingstore.NewPlans(l.db.Store).UpdatePlan(l.Context(), p))
}

func (l *library) stored() int {
	l.Helper()
	_, n, err := l.db.KnowledgeSizes(l.Context(), home)
	l.must(err)
	return n
}

// send adds a file of so many bytes that cannot be read.
func (l *library) send(name string, bytes int) (knowledge.Document, error) {
	l.world.mu.Lock()
	l.world.files[name] = page{err: errScan}
	l.world.mu.Unlock()
	body := []byte(name + strings.Repeat("x", bytes-len(name)))
	return l.Documents.Add(l.Context(), home, bot, knowledge.NewDocument{File: &knowledge.Upload{Name: name, Body: body}})
}

func TestStorage(t *testing.T) {
	const size = 10_000

	t.Run("files that cannot be read do not fill the disk, however many are sent at once", func(t *testing.T) {
		l := newLibrary(t)
		const limit = 5*(size+knowledge.DocumentBytes) + size
		l.limited(limit)
		var sending sync.WaitGroup
		var mu sync.Mutex
		admitted := 0
		for n := range 12 {
			sending.Go(func() {
				_, err := l.send(fmt.Sprintf("%d.pdf", n), size)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					admitted++
				} else if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "MB of files and texts") {
					t.Errorf("it is refused with %v", err)
				}
			})
		}
		sending.Wait()
		if admitted != 5 || l.stored() != 5*(size+knowledge.DocumentBytes) {
			t.Errorf("%d files were admitted, %d bytes of %d are stored", admitted, l.stored(), limit)
		}
		l.work()
		if _, err := l.send("after.pdf", size); !fault.Is(err, fault.Forbidden) {
			t.Errorf("what failed counts no more: %v", err)
		}
	})

	t.Run("many small documents do not, either", func(t *testing.T) {
		l := newLibrary(t)
		l.limited(3 * knowledge.DocumentBytes)
		l.add("a", "a")
		l.add("b", "b")
		_, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{Title: "c", Content: "c"})
		l.wantKind(err, fault.Forbidden)
	})

	t.Run("a text that is too long for the plan is not stored in place of its file", func(t *testing.T) {
		l := newLibrary(t)
		l.limited(knowledge.DocumentBytes + len(bread) - 1)
		l.world.set("https://page/", page{text: bread})
		l.pageAt("https://page/", knowledge.Never)
		l.work()
		l.wantState(l.at("https://page/").ID, knowledge.Failed, "MB of files and texts")
	})

	t.Run("a file makes room for its own text", func(t *testing.T) {
		l := newLibrary(t)
		l.limited(knowledge.DocumentBytes + len(bread))
		d := l.addFile("a.pdf", bread)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("the pages of a site do not fill the disk, and the source says so", func(t *testing.T) {
		l := newLibrary(t)
		l.limited(4*knowledge.DocumentBytes + 100)
		for n := range 20 {
			l.world.sitemap = append(l.world.sitemap, fmt.Sprintf("https://site/%d", n))
		}
		source := l.site(knowledge.DefaultRules(), knowledge.Never)
		l.work()
		if n := len(l.list()); n != 4 {
			t.Errorf("%d pages were added", n)
		}
		if got := l.source(source.ID); got.State != knowledge.SourceReady || !strings.Contains(got.Reason, "storage is full") {
			t.Errorf("the source is %s: %q", got.State, got.Reason)
		}
	})
}

func TestFreedStorage(t *testing.T) {
	const size = 10_000

	t.Run("a canceled upload frees its bytes at once", func(t *testing.T) {
		l := newLibrary(t)
		d, err := l.send("a.pdf", size)
		l.must(err)
		l.must(l.Documents.Cancel(t.Context(), home, bot, d.ID))
		if n := l.stored(); n != knowledge.DocumentBytes {
			t.Errorf("%d bytes are stored", n)
		}
		l.wantState(d.ID, knowledge.Failed, "add it again")
	})

	t.Run("one that is removed does, even while the index is away", func(t *testing.T) {
		l := newLibrary(t)
		d, err := l.send("a.pdf", size)
		l.must(err)
		l.work()
		l.index.away = true
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		if n := l.stored(); n != knowledge.DocumentBytes {
			t.Errorf("%d bytes are stored", n)
		}
		l.index.away = false
		l.clock.advance(day)
		l.work()
		if n := l.stored(); n != 0 {
			t.Errorf("%d bytes are stored", n)
		}
	})

	t.Run("a file that could not be read goes after seven days, and its row stays with the reason", func(t *testing.T) {
		l := newLibrary(t)
		failed, err := l.send("a.pdf", size)
		l.must(err)
		l.work()
		l.clock.advance(7 * day)
		waiting := l.addFile("b.pdf", bread) // not failed, however old
		l.must(l.Retention.DeleteExpired(t.Context()))
		if n := l.stored(); n != size+len(bread)+2*knowledge.DocumentBytes {
			t.Errorf("after seven days %d bytes are stored", n)
		}
		l.clock.advance(1)
		l.clock.advance(day)
		l.must(l.Retention.DeleteExpired(t.Context()))
		if n := l.stored(); n != len(bread)+2*knowledge.DocumentBytes {
			t.Errorf("%d bytes are stored", n)
		}
		l.wantState(failed.ID, knowledge.Failed, fault.As(errScan).Message)
		l.work()
		l.wantWhole(waiting.ID)
	})

	t.Run("Retry asks for a file that has gone, and the same file sent again is read", func(t *testing.T) {
		l := newLibrary(t)
		d, err := l.send("a.pdf", size)
		l.must(err)
		l.work()
		l.clock.advance(8 * day)
		l.must(l.Retention.DeleteExpired(t.Context()))
		err = l.Documents.Retry(t.Context(), home, bot, d.ID)
		l.wantKind(err, fault.Conflict)
		if !strings.Contains(err.Error(), "Add the file again") {
			t.Errorf("it says %v", err)
		}
		l.wantState(d.ID, knowledge.Failed, fault.As(errScan).Message)

		again, err := l.send("a.pdf", size)
		l.must(err)
		if again.ID != d.ID || l.stored() != size+knowledge.DocumentBytes {
			t.Errorf("it is %s with %d bytes stored", again.ID, l.stored())
		}
		delete(l.world.files, "a.pdf")
		l.work()
		l.wantWhole(d.ID)
	})
}
