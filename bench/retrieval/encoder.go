package retrieval

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"parley/core/retrieval"
	encoding "parley/core/retrieval/encoder"
	"parley/text/encode"
	"parley/text/encode/bge"
)

// encoder encodes each question as if nobody had asked it before, and has any encodings of
// passages at hand: a server makes those beforehand, and their numbers take no time.
type encoder struct {
	questions *encoding.Encoder
	asked     atomic.Int64
	atHand    [256]encode.Encoding
}

func newEncoder() *encoder {
	e := &encoder{questions: encoding.New()}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range e.atHand {
		vector := make([]float32, bge.Width)
		for j := range vector {
			vector[j] = float32(random.NormFloat64())
		}
		e.atHand[i] = encode.New(vector)
	}
	return e
}

// Encode returns one of the encodings for each passage.
func (e *encoder) Encode(_ context.Context, passages []retrieval.Passage) ([]encode.Encoding, error) {
	encodings := make([]encode.Encoding, len(passages))
	for i, p := range passages {
		encodings[i] = e.atHand[uint64(p.ID)%uint64(len(e.atHand))]
	}
	return encodings, nil
}

// EncodeQuestion encodes a question.
func (e *encoder) EncodeQuestion(ctx context.Context, _, text string) ([]float32, error) {
	return e.questions.EncodeQuestion(ctx, strconv.FormatInt(e.asked.Add(1), 10), text)
}
