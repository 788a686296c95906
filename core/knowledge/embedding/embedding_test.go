package embedding

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/retrieval"
)

// counting is an embedder whose vectors have a length, and which remembers the
// texts that it was asked for.
type counting struct {
	costly bool
	length int
	asked  []string
}

func (c *counting) Name() string   { return "counting" }
func (c *counting) Costly() bool   { return c.costly }
func (c *counting) Centered() bool { return true }

func (c *counting) Passages(_ context.Context, texts []string) ([][]float32, error) {
	c.asked = append(c.asked, texts...)
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = make([]float32, c.length)
	}
	return vectors, nil
}

func (c *counting) Questions(ctx context.Context, texts []string) ([][]float32, error) {
	return c.Passages(ctx, texts)
}

// kept is a store in memory, by workspace and hash.
type kept map[string][]float32

func (k kept) Embeddings(_ context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	for _, h := range hashes {
		if vector, ok := k[workspaceID+model+h]; ok {
			found[h] = vector
		}
	}
	return found, nil
}

func (k kept) SaveEmbeddings(_ context.Context, workspaceID, model string, vectors map[string][]float32, _ time.Time) error {
	for h, vector := range vectors {
		k[workspaceID+model+h] = vector
	}
	return nil
}

// passages are so many different ones.
func passages(n int) []retrieval.Passage {
	all := make([]retrieval.Passage, n)
	for i := range all {
		all[i] = retrieval.Passage{ID: int64(i + 1), Title: "Hours", HeadingPath: []string{"Monday"}, Text: fmt.Sprint("Open from ", i)}
	}
	return all
}

func TestEntries(t *testing.T) {
	owner := Owner{WorkspaceID: "ws", DocumentID: "doc", SourceID: "src"}
	entries := func(t *testing.T, m *Maker, of Owner, all []retrieval.Passage) []retrieval.Entry {
		t.Helper()
		made, err := m.Entries(t.Context(), of, all)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}

	t.Run("without an embedder an entry has the terms of title, headings and text, and no vector", func(t *testing.T) {
		made := entries(t, NewMaker(nil, nil, time.Now), owner, passages(1))
		e := made[0]
		if len(made) != 1 || e.PassageID != 1 || e.DocumentID != "doc" || e.SourceID != "src" || e.Vector != nil {
			t.Errorf("got %+v", made)
		}
		for _, term := range []string{"hour", "monday", "open"} {
			if !slices.Contains(e.Terms, term) {
				t.Errorf("%s is not among %v", term, e.Terms)
			}
		}
	})
	t.Run("an embedder sees the title and the headings above the text", func(t *testing.T) {
		c := &counting{length: 2}
		made := entries(t, NewMaker(c, nil, time.Now), owner, passages(1))
		if len(made[0].Vector) != 2 || !slices.Equal(c.asked, []string{"Hours\nMonday\n\nOpen from 0"}) {
			t.Errorf("it was asked for %q and made %v", c.asked, made)
		}
	})
	t.Run("a costly embedder is asked once for a text, in each workspace", func(t *testing.T) {
		c := &counting{costly: true, length: 2}
		m := NewMaker(c, kept{}, time.Now)
		twice := append(passages(2), passages(2)...)
		for range 2 {
			entries(t, m, owner, twice)
		}
		if len(c.asked) != 2 {
			t.Errorf("it was asked for %q", c.asked)
		}
		entries(t, m, Owner{WorkspaceID: "other", DocumentID: "doc"}, twice)
		if len(c.asked) != 4 {
			t.Errorf("another workspace got vectors that it had not paid for: %q", c.asked)
		}
	})
	t.Run("stored vectors of another length are made anew", func(t *testing.T) {
		c, store := &counting{costly: true, length: 2}, kept{}
		m := NewMaker(c, store, time.Now)
		entries(t, m, owner, passages(1))
		c.length = 3 // the server's model has changed
		for _, e := range entries(t, m, owner, passages(2)) {
			if len(e.Vector) != 3 {
				t.Errorf("the vector of passage %d has %d numbers", e.PassageID, len(e.Vector))
			}
		}
	})
	t.Run("progress is told between the batches of a costly embedder, and may stop it", func(t *testing.T) {
		c := &counting{costly: true, length: 2}
		var told []int
		of := owner
		of.Progress = func(_ context.Context, embedded int) error {
			told = append(told, embedded)
			if len(told) == 2 {
				return fault.New(fault.Conflict, "removed")
			}
			return nil
		}
		_, err := NewMaker(c, kept{}, time.Now).Entries(t.Context(), of, passages(4*embedBatch))
		if !fault.Is(err, fault.Conflict) || !slices.Equal(told, []int{embedBatch, 2 * embedBatch}) || len(c.asked) != 2*embedBatch {
			t.Errorf("it was told %v, and asked for %d texts: %v", told, len(c.asked), err)
		}
	})
}

// miscounting answers with one vector, whatever it is asked for.
type miscounting struct{ counting }

func (miscounting) Passages(context.Context, []string) ([][]float32, error) {
	return [][]float32{{1}}, nil
}

func TestTooFewVectors(t *testing.T) {
	_, err := NewMaker(&miscounting{}, nil, time.Now).Entries(t.Context(), Owner{}, passages(2))
	if !fault.Is(err, fault.Upstream) {
		t.Errorf("got %v", err)
	}
}
