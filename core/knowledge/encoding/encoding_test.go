package encoding

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"parley/core/retrieval"
)

// world is a store in memory, an encoder that takes a second a passage, and their clock.
type world struct {
	left   map[string][]int64 // by workspace
	order  []string           // the workspaces, as they were worked for
	broken string             // a workspace whose passages cannot be stored
	rested time.Duration
	time   time.Time
}

func (w *world) WorkspacesUnencoded(context.Context) ([]string, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(w.left)) {
		if len(w.left[name]) > 0 {
			names = append(names, name)
		}
	}
	return names, nil
}

func (w *world) Unencoded(_ context.Context, workspaceID string, limit int) ([]retrieval.Passage, error) {
	var passages []retrieval.Passage
	for _, id := range w.left[workspaceID][:min(limit, len(w.left[workspaceID]))] {
		passages = append(passages, retrieval.Passage{ID: id, Text: workspaceID})
	}
	return passages, nil
}

func (w *world) SaveEncodings(_ context.Context, workspaceID string, encodings map[int64]retrieval.Encoding) error {
	if workspaceID == w.broken {
		return errors.New("the disk is full")
	}
	w.order = append(w.order, workspaceID)
	w.left[workspaceID] = slices.DeleteFunc(w.left[workspaceID], func(id int64) bool { return encodings[id] != nil })
	return nil
}

func (w *world) CountUnencoded(context.Context) (int, error) {
	n := 0
	for _, ids := range w.left {
		n += len(ids)
	}
	return n, nil
}

func (w *world) Encode(_ context.Context, passages []retrieval.Passage) ([]retrieval.Encoding, error) {
	w.time = w.time.Add(time.Duration(len(passages)) * time.Second)
	made := make([]retrieval.Encoding, len(passages))
	for i := range made {
		made[i] = retrieval.NewEncoding(nil)
	}
	return made, nil
}

func (w *world) service() *Service {
	return New(w, w, func() time.Time { return w.time }, func(_ context.Context, pause time.Duration) {
		w.rested += pause
		w.time = w.time.Add(pause)
	})
}

func ids(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i + 1)
	}
	return list
}

func TestWork(t *testing.T) {
	t.Run("all passages are encoded, those of a small workspace before all of a large one", func(t *testing.T) {
		w := &world{left: map[string][]int64{"ws_large": ids(20), "ws_small": ids(1)}}
		if err := w.service().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, _ := w.service().Left(t.Context()); n != 0 || !slices.Equal(w.order, []string{"ws_large", "ws_small", "ws_large", "ws_large"}) {
			t.Errorf("%d are left after %v", n, w.order)
		}
		if w.rested != 21*time.Second {
			t.Errorf("it rested %v", w.rested)
		}
	})
	t.Run("it stops before a minute is over, and goes on at the next call", func(t *testing.T) {
		w := &world{left: map[string][]int64{"ws_large": ids(40)}}
		began := w.time
		if err := w.service().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, _ := w.service().Left(t.Context()); n != 8 || w.time.Sub(began) > 65*time.Second {
			t.Errorf("%d are left after %v", n, w.time.Sub(began))
		}
		if err := w.service().Work(t.Context()); err != nil || len(w.left["ws_large"]) != 0 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
	t.Run("a workspace that fails holds no other up", func(t *testing.T) {
		w := &world{left: map[string][]int64{"ws_a": ids(3), "ws_b": ids(9)}, broken: "ws_a"}
		if err := w.service().Work(t.Context()); err == nil || len(w.left["ws_b"]) != 0 || len(w.left["ws_a"]) != 3 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
	t.Run("it ends with the server", func(t *testing.T) {
		w := &world{left: map[string][]int64{"ws_a": ids(3)}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.service().Work(ctx); err != nil || len(w.left["ws_a"]) != 3 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
}
