package bge

import (
	"container/heap"
	"context"
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// rememberedQuestions is how many questions' vectors a process remembers: some
	// 8 MiB. A conversation's earlier questions are among them, and questions that
	// are often asked.
	rememberedQuestions = 4096
	// questionCut is how many pieces of a question are read: whoever sends long ones
	// must not take others' processor.
	questionCut = 64
	// questionStart is how much of a question is read, in bytes, which surely has more
	// pieces unless it is nothing but spaces or very long words.
	questionStart = 2 << 10
)

// hash is a question's.
type hash [sha256.Size]byte

// remembered are the vectors of questions, by workspace: what one asks makes no other's
// answers faster. When there are too many, the workspace that has most forgets the one
// that it has not asked for longest, so that nobody's questions drive out another's.
type remembered struct {
	mu sync.Mutex
	of map[string]*questionsOf
	// bySize is a heap with the workspace that has most first.
	bySize bySize
	count  int
	most   int
}

// questionsOf are those of one workspace, at a place of the heap.
type questionsOf struct {
	*simplelru.LRU[hash, []float32]
	workspaceID string
	place       int
}

func newRemembered(most int) *remembered {
	return &remembered{of: map[string]*questionsOf{}, most: most}
}

func (r *remembered) get(workspaceID string, question hash) ([]float32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own := r.of[workspaceID]; own != nil {
		return own.Get(question)
	}
	return nil, false
}

func (r *remembered) add(workspaceID string, question hash, vector []float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.of[workspaceID]
	if own == nil {
		own = &questionsOf{workspaceID: workspaceID}
		own.LRU, _ = simplelru.NewLRU[hash, []float32](r.most+1, nil) // fails below one
		r.of[workspaceID] = own
		heap.Push(&r.bySize, own)
	}
	if own.Contains(question) {
		return
	}
	own.Add(question, vector)
	heap.Fix(&r.bySize, own.place)
	if r.count++; r.count > r.most {
		r.forget()
	}
}

// forget makes the workspace with most questions forget one.
func (r *remembered) forget() {
	largest := r.bySize[0]
	largest.RemoveOldest()
	r.count--
	if largest.Len() > 0 {
		heap.Fix(&r.bySize, largest.place)
		return
	}
	heap.Remove(&r.bySize, largest.place)
	delete(r.of, largest.workspaceID)
}

// bySize is a [heap.Interface].
type bySize []*questionsOf

func (h bySize) Len() int           { return len(h) }
func (h bySize) Less(i, j int) bool { return h[i].LRU.Len() > h[j].LRU.Len() }
func (h bySize) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *bySize) Push(x any) {
	own := x.(*questionsOf)
	own.place = len(*h)
	*h = append(*h, own)
}

func (h *bySize) Pop() any {
	last := len(*h) - 1
	own := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return own
}

// EncodeQuestion returns the unit vector of a workspace's question, which nobody may change,
// or nil for one that is blank or clearly in another language than English. One of ten words
// takes some 0.7 ms, unless the workspace asked it lately.
func (e *Encoder) EncodeQuestion(ctx context.Context, workspaceID, text string) ([]float32, error) {
	text = start(strings.TrimSpace(text), questionStart)
	if text == "" {
		return nil, nil
	}
	key := sha256.Sum256([]byte(text))
	if vector, ok := e.questions.get(workspaceID, key); ok {
		return vector, nil
	}
	if !isEnglish(text) {
		return nil, nil
	}
	m, err := loadQuestions()
	if err != nil {
		return nil, err
	}
	leave, err := e.turns.take(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	defer leave()
	vector := m.vector(text, questionCut)
	e.questions.add(workspaceID, key, vector)
	return vector, nil
}
