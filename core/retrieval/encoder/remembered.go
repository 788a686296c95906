package encoder

import (
	"container/heap"
	"crypto/sha256"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// rememberedQuestions is how many questions' vectors a process remembers: some 8 MiB. A
// conversation's earlier questions are among them, and questions that are often asked.
const rememberedQuestions = 4096

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

// questionsOf has the vectors of one workspace's questions. Its place is its index in the
// heap.
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
