package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"parley/core/retrieval"
	"parley/internal/jsonsize"
	"parley/llm/upstream"
)

// embedTexts is how many texts go into one request, unless the server takes fewer.
const embedTexts = 64

// maxEmbeddings bounds the size of a server's response in bytes: 64 vectors of
// 4,096 numbers written out.
const maxEmbeddings = 16 << 20

// maxDimensions is how long a vector may be, and maxBeside how many values may stand
// beside it.
const (
	maxDimensions = 8192
	maxBeside     = 20
)

// Embedder makes vectors through a server's /v1/embeddings. It is safe for
// concurrent use.
type Embedder struct {
	model      *Model
	dimensions int
	// fewer is how many texts the server takes at a time, once it has refused more.
	fewer atomic.Int32
}

var _ retrieval.Embedder = (*Embedder)(nil)

// NewEmbedder returns an embedder without contacting its server. Dimensions is the
// length to which the server should shorten vectors; zero leaves it to the server.
func NewEmbedder(config Config, dimensions int) (*Embedder, error) {
	if dimensions < 0 || dimensions > maxDimensions {
		return nil, errors.New("openai: dimensions are from 0 to 8,192")
	}
	if config.Timeout <= 0 {
		config.Timeout = time.Minute
	}
	model, err := New(config)
	if err != nil {
		return nil, err
	}
	return &Embedder{model: model, dimensions: dimensions}, nil
}

// Name is the model's name with the requested dimensions.
func (e *Embedder) Name() string { return fmt.Sprintf("%s/%d", e.model.config.Model, e.dimensions) }

// Costly reports that vectors are worth keeping.
func (e *Embedder) Costly() bool { return true }

// Centered reports that nothing is known about the cosines of unlike texts.
func (e *Embedder) Centered() bool { return false }

// Questions is Passages: these servers do not distinguish the two.
func (e *Embedder) Questions(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Passages(ctx, texts)
}

// Passages returns a vector of length one for each text, in order.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(e.most(), len(texts))
		made, err := e.embedInParts(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		vectors, texts = append(vectors, made...), texts[n:]
	}
	return vectors, nil
}

// most is how many texts go into the next request.
func (e *Embedder) most() int {
	if fewer := e.fewer.Load(); fewer > 0 {
		return int(fewer)
	}
	return embedTexts
}

// embedInParts sends texts again in halves if the server refuses them together. The
// size is remembered once all of them have vectors: a single text can be refused, too.
func (e *Embedder) embedInParts(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.embed(ctx, texts)
	if err == nil || len(texts) < 2 || !mayTakeFewer(err) {
		return vectors, err
	}
	half := (len(texts) + 1) / 2
	vectors = make([][]float32, 0, len(texts))
	for rest := texts; len(rest) > 0; {
		n := min(half, e.most(), len(rest))
		made, err := e.embedInParts(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		vectors, rest = append(vectors, made...), rest[n:]
	}
	if half < e.most() {
		e.fewer.Store(int32(half))
	}
	return vectors, nil
}

// mayTakeFewer reports whether a server that refused texts may take them in parts.
func mayTakeFewer(err error) bool {
	var refused *upstream.Refusal
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.StatusCode {
	case http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return refused.TooMany || upstream.TooLong(err)
}

type embeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitzero"`
}

type embeddingReply struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

func (e *Embedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	limited, cancel := context.WithTimeout(ctx, e.model.config.limits.Timeout)
	defer cancel()
	body, err := json.Marshal(embeddingRequest{Model: e.model.config.Model, Input: texts, Dimensions: e.dimensions})
	if err != nil {
		return nil, err
	}
	response, err := e.model.client.Post(limited, "embeddings", "application/json", body)
	if err != nil {
		return nil, e.failure(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	whole, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxEmbeddings))
	if err == nil {
		err = jsonsize.Check(whole, len(texts)*(maxDimensions+maxBeside))
	}
	var reply embeddingReply
	if err == nil {
		err = json.Unmarshal(whole, &reply)
	}
	if err != nil {
		return nil, e.failure(ctx, err)
	}
	vectors, err := reply.inOrder(len(texts))
	if err != nil {
		return nil, e.failure(ctx, err)
	}
	return vectors, nil
}

// failure is a fault that holds none of the server's text. The account is the operator's.
func (e *Embedder) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := upstream.Fault(err).ForOperator()
	failed.Message = "The embedding model of this server did not answer, and the operator of this server has been told."
	return failed
}

// inOrder returns the vectors in the order of the texts, normalized.
func (r embeddingReply) inOrder(n int) ([][]float32, error) {
	vectors := make([][]float32, n)
	for _, item := range r.Data {
		if item.Index < 0 || item.Index >= n || vectors[item.Index] != nil || len(item.Embedding) == 0 {
			return nil, errVectors
		}
		unit, ok := normalize(item.Embedding)
		if !ok {
			return nil, errVectors
		}
		vectors[item.Index] = unit
	}
	for _, vector := range vectors {
		if vector == nil || len(vector) != len(vectors[0]) {
			return nil, errVectors
		}
	}
	return vectors, nil
}

// normalize scales a vector to length one. A vector of zeros, or with a number
// that is not finite, has no direction.
func normalize(vector []float32) ([]float32, bool) {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range vector {
		vector[i] *= scale
	}
	return vector, true
}
