package knowledge_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
)

// model is an embedder whose vectors come from the letters of a text.
type model struct {
	mu     sync.Mutex
	name   string
	free   bool
	asked  []string
	failed error
	// short makes it answer with a vector too few.
	short bool
	// longer is how many numbers its vectors have beyond two.
	longer int
	// embedding runs before each batch.
	embedding func()
}

func (m *model) Name() string   { return m.name }
func (m *model) Costly() bool   { return !m.free }
func (m *model) Centered() bool { return false }

func (m *model) Questions(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = append([]float32{1, 0}, make([]float32, m.longer)...)
	}
	return vectors, m.failed
}

func (m *model) Passages(_ context.Context, texts []string) ([][]float32, error) {
	call(m.embedding)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return nil, m.failed
	}
	m.asked = append(m.asked, texts...)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New32a()
		h.Write([]byte(text))
		angle := float64(h.Sum32() % 360)
		vectors[i] = append([]float32{float32(math.Cos(angle)), float32(math.Sin(angle))}, make([]float32, m.longer)...)
	}
	if m.short {
		return vectors[1:], nil
	}
	return vectors, nil
}

// texts returns what it was asked for since the last call.
func (m *model) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.asked
	m.asked = nil
	return all
}

// withModel is a library that embeds, from an empty index on.
func withModel(t *testing.T, m *model) *library {
	t.Helper()
	l := newLibrary(t)
	l.use(m)
	_, err := l.Repair(t.Context())
	l.must(err)
	return l
}

// use starts the service again with an embedder.
func (l *library) use(m *model) {
	l.ports.Embedder = m
	l.open()
}

func TestEmbedding(t *testing.T) {
	ctx := t.Context()

	t.Run("a costly embedder is asked only once for a text", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		same := strings.Repeat("The same words stand here again. ", 100)
		d := l.add("Twice", "# A\n\n"+bread+"\n\n"+"# Same\n\n"+same+"\n\n# Same\n\n"+same)
		asked := m.texts()
		seen := map[string]bool{}
		for _, text := range asked {
			if seen[text] {
				t.Errorf("it was asked twice for %.40q", text)
			}
			seen[text] = true
		}
		if len(asked) >= d.Passages || len(asked) == 0 {
			t.Errorf("it was asked for %d texts of %d passages", len(asked), d.Passages)
		}
		_, err := l.Documents.Reindex(ctx, home, bot)
		l.must(err)
		l.wantRebuilt(1)
		l.wantWhole(d.ID)
		if asked = m.texts(); len(asked) != 0 {
			t.Errorf("it was asked again for %q", asked)
		}
	})

	t.Run("of a changed page it is asked for what changed", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		l.world.set(start, page{title: "t", text: long("wort", 6)})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		first := len(m.texts())
		l.world.set(start, page{title: "t", text: strings.Replace(long("wort", 6), "wort3 ", "anders ", 1)})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		if n := len(m.texts()); n == 0 || n > first/2 { // not the whole page
			t.Errorf("it was asked for %d texts after %d", n, first)
		}
	})

	t.Run("one that costs nothing is asked each time", func(t *testing.T) {
		m := &model{name: "m", free: true}
		l := withModel(t, m)
		d := l.add("Bread", bread)
		m.texts()
		_, err := l.Documents.Reindex(ctx, home, bot)
		l.must(err)
		if n := len(m.texts()); n != d.Passages {
			t.Errorf("it was asked for %d texts", n)
		}
	})

	t.Run("a retry goes on where it was, and an owner sees how far that is", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		d := l.addFile("long.pdf", long("wort", 100))
		batches := 0
		m.embedding = func() {
			if batches++; batches == 2 {
				m.failed = fault.New(fault.Upstream, "The embedding server answers with status 503.")
			}
		}
		l.work()
		l.wantState(d.ID, knowledge.Indexing, "503")
		if now := l.get(d.ID); now.Indexed == 0 || now.Indexed >= now.Passages {
			t.Errorf("%d of %d passages are prepared", now.Indexed, now.Passages)
		}
		before := m.texts()
		m.failed, m.embedding = nil, nil
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(d.ID)
		if after := m.texts(); len(before)+len(after) != l.get(d.ID).Passages {
			t.Errorf("it was asked for %d and then for %d texts", len(before), len(after))
		}
	})

	t.Run("how far it is does not change when an index is built anew", func(t *testing.T) {
		l := withModel(t, &model{name: "m"})
		d := l.addFile("long.pdf", long("wort", 100))
		l.work()
		l.wantWhole(d.ID)
		l.wantRebuilt(1)
		l.wantWhole(d.ID)
	})

	t.Run("too few vectors are the embedder's failure", func(t *testing.T) {
		m := &model{name: "m", short: true}
		l := withModel(t, m)
		d := l.add("Bread", bread)
		l.wantState(d.ID, knowledge.Indexing, "vectors for")
	})
}

// A model may be exchanged behind its name.
func TestVectorsOfAnotherLength(t *testing.T) {
	ctx := t.Context()

	t.Run("a document whose batches have vectors of different lengths fails with that reason", func(t *testing.T) {
		m := &model{name: "m", free: true}
		l := withModel(t, m)
		d := l.addFile("long.pdf", long("wort", 100))
		m.embedding = func() { m.longer++ }
		for range 8 {
			l.work()
			l.clock.advance(3 * time.Hour)
		}
		l.wantState(d.ID, knowledge.Failed, "vectors of different lengths")
		if n, err := l.index.Count(ctx, homeScope, d.ID); n != 0 || err != nil {
			t.Errorf("the index holds %d of its passages: %v", n, err)
		}
	})

	t.Run("vectors that were kept are of no use to a document that has others", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		text := long("wort", 6)
		l.must(l.Documents.Remove(ctx, home, bot, l.add("Long", text).ID))
		l.must(l.index.Rebuild(ctx, retrieval.IndexVersion(l.ports.Embedder), func(context.Context, retrieval.Filler) error { return nil }))
		m.longer = 1
		l.wantWhole(l.add("Long", text+bread).ID)
	})

	t.Run("a document whose vectors do not fit the index fails with what is to be done", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		l.add("Bread", bread)
		m.longer = 1
		l.wantState(l.add("Cakes", cakes).ID, knowledge.Indexing, "parley reindex")
	})

	t.Run("a question whose vector does not fit the index is searched by words", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		l.add("Bread", bread)
		m.longer = 1
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

func TestIndexOfAnotherVersion(t *testing.T) {
	ctx := t.Context()
	vectors := func(l *library) bool {
		l.Helper()
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.index.mu.Lock()
		defer l.index.mu.Unlock()
		return l.index.queries[len(l.index.queries)-1].Vector != nil
	}

	t.Run("an index without vectors is searched by words until it is built anew", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.use(&model{name: "m"})
		l.must(l.Check(ctx))
		if vectors(l) {
			t.Error("it was searched by a vector")
		}
		l.wantRepaired(1)
		if !vectors(l) {
			t.Error("it is searched by words alone")
		}
	})

	t.Run("so is one with vectors of another model", func(t *testing.T) {
		l := withModel(t, &model{name: "m"})
		l.add("Bread", bread)
		if !vectors(l) {
			t.Error("it is searched by words alone")
		}
		l.use(&model{name: "another"})
		l.must(l.Check(ctx))
		if vectors(l) {
			t.Error("it was searched by a vector")
		}
		l.wantRepaired(1)
		if !vectors(l) {
			t.Error("it is searched by words alone")
		}
	})

	t.Run("an embedder that fails leaves the words", func(t *testing.T) {
		m := &model{name: "m"}
		l := withModel(t, m)
		l.add("Bread", bread)
		m.failed = errors.New("away")
		if vectors(l) {
			t.Error("it was searched by a vector")
		}
	})
}
