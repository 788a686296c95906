// Package encoder encodes passages, and the questions of workspaces: it remembers whose
// question had which vector, and shares the processors between those who ask.
//
// It does not own how a text becomes a vector (package text/encode/bge), or when a passage
// gets one (package core/knowledge/encoding).
package encoder

import (
	"context"
	"crypto/sha256"

	"parley/core/retrieval"
	"parley/text/encode"
	"parley/text/encode/bge"
)

// Encoder encodes passages and questions. The first call unpacks the model, unless
// [Encoder.Warm] has. It is safe for concurrent use.
type Encoder struct {
	questions *remembered
	slots     *slots
}

var (
	_ retrieval.Encoder         = (*Encoder)(nil)
	_ retrieval.QuestionEncoder = (*Encoder)(nil)
)

// New returns an encoder.
func New() *Encoder { return &Encoder{newRemembered(rememberedQuestions), newSlots()} }

// Warm unpacks the model, so that no question waits for that. It takes about a second.
func (*Encoder) Warm() error { return bge.Warm() }

// Encode returns the encodings of passages, in order. See [bge.Passages].
func (*Encoder) Encode(ctx context.Context, passages []retrieval.Passage) ([]encode.Encoding, error) {
	return bge.Passages(ctx, retrieval.PlainPassages(passages))
}

// EncodeQuestion returns the unit vector of a workspace's question, which nobody may change,
// or nil for one that is blank or clearly in another language than English. One of ten words
// takes some 0.7 ms, unless the workspace asked it lately.
func (e *Encoder) EncodeQuestion(ctx context.Context, workspaceID, text string) ([]float32, error) {
	text = bge.Beginning(text)
	if text == "" {
		return nil, nil
	}
	key := sha256.Sum256([]byte(text))
	if vector, ok := e.questions.get(workspaceID, key); ok {
		return vector, nil
	}
	if !bge.IsEnglish(text) {
		return nil, nil
	}
	model, err := bge.OpenQuestions()
	if err != nil {
		return nil, err
	}
	release, err := e.slots.acquire(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	defer release()
	vector := model.Vector(text)
	e.questions.add(workspaceID, key, vector)
	return vector, nil
}
