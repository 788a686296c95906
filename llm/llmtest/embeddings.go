package llmtest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// Embeddings is a double of an embedding model's server. Its only route is
// POST /v1/embeddings. Safe for concurrent use.
type Embeddings struct {
	server    *httptest.Server
	dimension int
	closing   chan struct{}

	mu       sync.Mutex
	requests []EmbeddingRequest
	next     []EmbeddingReply
	always   EmbeddingReply
	// most is how many texts it takes at a time, if that is bounded, and refusal how
	// it refuses more.
	most    int
	refusal Reply
}

// EmbeddingRequest is a client's request.
type EmbeddingRequest struct {
	Header     http.Header `json:"-"`
	Model      string      `json:"model"`
	Input      []string    `json:"input"`
	Dimensions int         `json:"dimensions"`
}

// EmbeddingReply scripts one answer. The zero value answers with the vectors
// of [Direction]. From Reply it uses Status, RetryAfter, ErrorBody, CutAfter,
// Hold (before the headers), and Raw, which replaces the body.
type EmbeddingReply struct {
	Reply
	// Backwards sends the last vector first.
	Backwards bool
	// Vectors replaces the vectors, in any number.
	Vectors [][]float32
}

// NewEmbeddings starts a server whose vectors have the given dimension unless the
// request sets another. It stops when the test ends.
func NewEmbeddings(t testing.TB, dimension int) *Embeddings {
	t.Helper()
	e := &Embeddings{dimension: dimension, closing: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", e.embed)
	e.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(e.closing)
		e.server.CloseClientConnections()
		e.server.Close()
	})
	return e
}

// BaseURL is the address for a client's configuration. It ends with /v1.
func (e *Embeddings) BaseURL() string { return e.server.URL + "/v1" }

// Next queues replies for the next requests, ahead of the permanent reply.
func (e *Embeddings) Next(replies ...EmbeddingReply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next = append(e.next, replies...)
}

// Always sets the permanent reply.
func (e *Embeddings) Always(reply EmbeddingReply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.always = reply
}

// Most makes the server refuse requests of more than n texts with a reply.
func (e *Embeddings) Most(n int, refusal Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.most, e.refusal = n, refusal
}

// Requests returns the requests so far, in order.
func (e *Embeddings) Requests() []EmbeddingRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]EmbeddingRequest(nil), e.requests...)
}

// Asked counts the texts so far that contain part.
func (e *Embeddings) Asked(part string) (times int) {
	for _, request := range e.Requests() {
		for _, text := range request.Input {
			if strings.Contains(text, part) {
				times++
			}
		}
	}
	return times
}

func (e *Embeddings) arrive(request EmbeddingRequest) EmbeddingReply {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	if e.most > 0 && len(request.Input) > e.most {
		return EmbeddingReply{Reply: e.refusal}
	}
	if len(e.next) == 0 {
		return e.always
	}
	reply := e.next[0]
	e.next = e.next[1:]
	return reply
}

func (e *Embeddings) embed(w http.ResponseWriter, r *http.Request) {
	request := EmbeddingRequest{Header: r.Header.Clone()}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Model == "" || len(request.Input) == 0 {
		refuse(w, Reply{Status: http.StatusBadRequest})
		return
	}
	reply := e.arrive(request)
	if reply.Hold != nil && !reply.Hold.wait(r.Context().Done(), e.closing) {
		return
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		refuse(w, reply.Reply)
		return
	}
	body := e.body(request, reply)
	w.Header().Set("Content-Type", "application/json")
	if reply.CutAfter > 0 && reply.CutAfter < len(body) {
		_, _ = io.WriteString(w, body[:reply.CutAfter])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, body)
}

// embedding is an item of a response, as in OpenAI's API reference.
type embedding struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

func (e *Embeddings) body(request EmbeddingRequest, reply EmbeddingReply) string {
	if len(reply.Raw) > 0 {
		return strings.Join(reply.Raw, "\n")
	}
	vectors := reply.Vectors
	if vectors == nil {
		dimension := e.dimension
		if request.Dimensions > 0 {
			dimension = request.Dimensions
		}
		for _, text := range request.Input {
			vectors = append(vectors, Direction(text, dimension))
		}
	}
	data := make([]embedding, len(vectors))
	for i, vector := range vectors {
		at := i
		if reply.Backwards {
			at = len(vectors) - 1 - i
		}
		data[at] = embedding{"embedding", i, vector}
	}
	text, err := json.Marshal(map[string]any{
		"object": "list", "data": data, "model": request.Model,
		"usage": map[string]int{"prompt_tokens": len(request.Input), "total_tokens": len(request.Input)},
	})
	if err != nil {
		panic(err) // A test set vectors that JSON cannot express.
	}
	return string(text)
}

// Direction returns a vector for a text, not normalized: texts that share words
// have similar vectors.
func Direction(text string, dimension int) []float32 {
	vector := make([]float32, dimension)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		vector[0] = 1
	}
	for _, word := range words {
		sum := fnv.New32a()
		_, _ = io.WriteString(sum, word)
		vector[sum.Sum32()%uint32(dimension)]++
	}
	return vector
}
