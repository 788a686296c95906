package encoding

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"parley/core/retrieval"
	"parley/core/system"
	"parley/core/system/grant"
	"parley/text/encode"
)

// world is a store in memory, an encoder that takes a second a passage, and their clock.
type world struct {
	left   map[retrieval.Scope]int
	order  []string // the chatbots, as they were worked for
	broken string   // a workspace whose passages cannot be stored
	rested time.Duration
	time   time.Time
	looks  int
	begun  map[int64]int // attempts by passage
	// encoded are the passages of each attempt, fails is its failure, and countedBefore how
	// often the first of them was counted before it.
	encoded       [][]int64
	fails         error
	countedBefore int
	come          map[int]retrieval.Scope // whose passage comes after so many looks
}

func (w *world) ChatbotsUnencoded(context.Context, system.Access) ([]retrieval.Scope, error) {
	if c, ok := w.come[w.looks]; ok {
		w.left = map[retrieval.Scope]int{c: 1, scope("ws_large", "large"): w.left[scope("ws_large", "large")]}
	}
	w.looks++
	chatbots := slices.SortedFunc(maps.Keys(w.left), func(a, b retrieval.Scope) int {
		return cmp.Or(cmp.Compare(a.WorkspaceID, b.WorkspaceID), cmp.Compare(a.ChatbotID, b.ChatbotID))
	})
	return slices.DeleteFunc(chatbots, func(c retrieval.Scope) bool { return w.left[c] == 0 }), nil
}

func (w *world) Unencoded(_ context.Context, workspaceID, chatbotID string, limit int) ([]retrieval.Passage, error) {
	chatbot := scope(workspaceID, chatbotID)
	w.order = append(w.order, chatbot.ChatbotID)
	passages := make([]retrieval.Passage, min(limit, w.left[chatbot]))
	for i := range passages {
		id := int64(w.left[chatbot] - i)
		passages[i] = retrieval.Passage{ID: id, Begun: w.begun[id]}
	}
	return passages, nil
}

func (w *world) CountAttempt(_ context.Context, _ string, ids []int64, by int) error {
	if w.begun == nil {
		w.begun = map[int64]int{}
	}
	for _, id := range ids {
		w.begun[id] += by
	}
	return nil
}

func (w *world) SaveEncodings(_ context.Context, workspaceID string, encodings map[int64]encode.Encoding) error {
	if workspaceID == w.broken {
		return errors.New("the disk is full")
	}
	for id := range encodings {
		delete(w.begun, id)
	}
	w.left[retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: w.order[len(w.order)-1]}] -= len(encodings)
	return nil
}

func (w *world) CountUnencoded(context.Context, system.Access) (int, error) {
	n := 0
	for _, left := range w.left {
		n += left
	}
	return n, nil
}

func (w *world) Encode(_ context.Context, passages []retrieval.Passage) ([]encode.Encoding, error) {
	w.time = w.time.Add(time.Duration(len(passages)) * time.Second)
	ids := make([]int64, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	if len(ids) > 0 {
		w.encoded, w.countedBefore = append(w.encoded, ids), w.begun[ids[0]]
	}
	if w.fails != nil {
		return nil, w.fails
	}
	made := make([]encode.Encoding, len(passages))
	for i := range made {
		made[i] = encode.New(nil)
	}
	return made, nil
}

func (w *world) Warm() error { return nil }

func (w *world) service() *Service {
	return New(w, grant.Because("a test"), w, func() time.Time { return w.time }, func(_ context.Context, pause time.Duration) {
		w.rested += pause
		w.time = w.time.Add(pause)
	})
}

func scope(workspaceID, chatbotID string) retrieval.Scope {
	return retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}
}

// work works for some seconds, and returns how many passages are left, as often as it told.
func (w *world) work(t *testing.T, seconds int) (told []int, err error) {
	t.Helper()
	err = w.service().Work(t.Context(), w.time.Add(time.Duration(seconds)*time.Second), func(left int) { told = append(told, left) })
	return told, err
}

func TestWork(t *testing.T) {
	t.Run("all passages are encoded, those of a small workspace before all of a large one", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws_large", "large"): 20, scope("ws_small", "small"): 1}}
		told, err := w.work(t, 43)
		if err != nil || told[0] != 21 || told[len(told)-1] != 0 || !slices.Equal(w.order, []string{"large", "small", "large", "large"}) {
			t.Errorf("%v are left after %v, %v", told, w.order, err)
		}
		if w.rested != 22*time.Second {
			t.Errorf("it rested %v", w.rested)
		}
	})
	t.Run("chatbots of a workspace alternate, and have one slot together", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws_a", "large"): 9, scope("ws_a", "small"): 1, scope("ws_b", "other"): 9}}
		if _, err := w.work(t, 60); err != nil || !slices.Equal(w.order, []string{"large", "other", "small", "other", "large"}) {
			t.Errorf("the order was %v, %v", w.order, err)
		}
	})
	t.Run("it stops at its time, and goes on at the next call", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws", "large"): 40}}
		began := w.time
		if _, err := w.work(t, 50); err != nil || w.left[scope("ws", "large")] != 8 || w.time.Sub(began) > 65*time.Second {
			t.Errorf("%v are left after %v, %v", w.left, w.time.Sub(began), err)
		}
		if _, err := w.work(t, 50); err != nil || w.left[scope("ws", "large")] != 0 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
	t.Run("a new document is encoded long before a large one is done", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws_large", "large"): 40}, come: map[int]retrieval.Scope{1: scope("ws_small", "small")}}
		if _, err := w.work(t, 100); err != nil || !slices.Equal(w.order[:4], []string{"large", "large", "small", "large"}) {
			t.Errorf("the order was %v, %v", w.order, err)
		}
	})
	t.Run("passages of a new document are found where nothing was left", func(t *testing.T) {
		w := &world{come: map[int]retrieval.Scope{3: scope("ws", "new")}}
		if told, err := w.work(t, 10); err != nil || !slices.Equal(told[:5], []int{0, 0, 0, 1, 0}) {
			t.Errorf("%v were left, %v", told, err)
		}
	})
	t.Run("a workspace that fails holds no other up, and is left out until the next call", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws_a", "a"): 3, scope("ws_b", "b"): 9}, broken: "ws_a"}
		if _, err := w.work(t, 60); err == nil || w.left[scope("ws_b", "b")] != 0 || !slices.Equal(w.order, []string{"a", "b", "b"}) {
			t.Errorf("%v are left after %v, %v", w.left, w.order, err)
		}
		w.broken = ""
		if _, err := w.work(t, 60); err != nil || w.left[scope("ws_a", "a")] != 0 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
	t.Run("a passage that ended the process three times is given up, and each beside it is encoded alone", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws", "a"): 3}, begun: map[int64]int{3: 1, 2: 3, 1: 1}}
		if _, err := w.work(t, 60); err != nil || w.left[scope("ws", "a")] != 0 {
			t.Errorf("%v are left, %v", w.left, err)
		}
		if !slices.EqualFunc(w.encoded, [][]int64{{3}, {1}}, slices.Equal) {
			t.Errorf("%v were encoded", w.encoded)
		}
	})
	t.Run("an attempt is counted before the passages are encoded, and taken back if the server stops", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws", "a"): 1}, fails: errors.New("the server stops")}
		if _, err := w.work(t, 2); err == nil || w.countedBefore != 1 || w.begun[1] != 0 {
			t.Errorf("%d attempts before, %d after, %v", w.countedBefore, w.begun[1], err)
		}
	})
	t.Run("it ends with the server", func(t *testing.T) {
		w := &world{left: map[retrieval.Scope]int{scope("ws", "a"): 3}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.service().Work(ctx, w.time.Add(time.Minute), func(int) {}); err != nil || w.left[scope("ws", "a")] != 3 {
			t.Errorf("%v are left, %v", w.left, err)
		}
	})
}
