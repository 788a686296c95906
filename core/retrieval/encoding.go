package retrieval

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// Encoder is the port to a sentence encoder: a small model that makes a vector of a text
// and reads it more closely than the embedder of the index. Passages are encoded after
// they have been indexed, since that takes its time.
type Encoder interface {
	// Encode returns the encodings of passages, in order. A passage in a language
	// that the model does not know has an empty one.
	Encode(ctx context.Context, passages []Passage) ([]Encoding, error)
}

// QuestionEncoder is the port to the same model, for questions.
type QuestionEncoder interface {
	// EncodeQuestion returns the unit vector of a workspace's question, which nobody
	// may change, or nil for one in a language that the model does not know.
	EncodeQuestion(ctx context.Context, workspaceID, text string) ([]float32, error)
}

// Encodings is the port to the encodings of passages.
type Encodings interface {
	// Encodings returns those of the passages that have one, by [Passage.ID], and
	// none of another chatbot.
	Encodings(ctx context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]Encoding, error)
}

// Encoding is a passage's vector in eight bits a number: encodingMark, what a number
// of one stands for as a 32-bit float, little-endian, and the numbers. Behind it stand
// its parts: where each begins and ends in the text, as 32-bit integers, and its vector
// in the same way, without the mark.
type Encoding []byte

const (
	// encodingMark says how an encoding was made. One with another is not understood.
	encodingMark = 2
	encodingHead = 5
	partHead     = 12
)

// NewEncoding returns the encoding of a vector; that of none says that there is nothing
// to encode.
func NewEncoding(vector []float32) Encoding {
	return appendVector(append(make(Encoding, 0, encodingHead+len(vector)), encodingMark), vector)
}

// WithPart returns the encoding with the vector of a part, which is as long as the first.
func (e Encoding) WithPart(p Part, vector []float32) Encoding {
	e = binary.LittleEndian.AppendUint32(e, uint32(p.Start))
	return appendVector(binary.LittleEndian.AppendUint32(e, uint32(p.End)), vector)
}

func appendVector(e Encoding, vector []float32) Encoding {
	high := float32(0)
	for _, x := range vector {
		high = max(high, x, -x)
	}
	e = binary.LittleEndian.AppendUint32(e, math.Float32bits(high/math.MaxInt8))
	for _, x := range vector {
		number := int8(0)
		if high > 0 {
			number = int8(math.Round(float64(x / high * math.MaxInt8)))
		}
		e = append(e, byte(number))
	}
	return e
}

// cosine returns that of the angle to a unit vector, unless the encoding is not of a
// vector so long.
func (e Encoding) cosine(with []float32) (cosine float64, ok bool) {
	if len(with) == 0 || len(e) < encodingHead+len(with) || e[0] != encodingMark || (len(e)-encodingHead-len(with))%(partHead+len(with)) != 0 {
		return 0, false
	}
	return cosineAt(e[1:], with), true
}

// cosineAt is that of what a number of one stands for and the numbers.
func cosineAt(e []byte, with []float32) float64 {
	return float64(dot(e[4:4+len(with)], with) * stepOf(e))
}

// stepOf is what a number of one stands for.
func stepOf(e []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(e)) }

// parts returns the parts with how close each is to a unit vector.
func (e Encoding) parts(with []float32) []Part {
	if _, ok := e.cosine(with); !ok || !e.hasParts(len(with)) {
		return nil
	}
	var parts []Part
	for e = e[encodingHead+len(with):]; len(e) > 0; e = e[partHead+len(with):] {
		start, end := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:])
		parts = append(parts, Part{Start: int(start), End: int(end), Closeness: cosineAt(e[8:], with)})
	}
	return parts
}

// numberOf is what a byte stands for. Looking it up is faster than converting it.
var numberOf = func() (numbers [256]float32) {
	for i := range numbers {
		numbers[i] = float32(int8(i))
	}
	return numbers
}()

// dot returns the sum of the products of numbers in eight bits and as many others. Four sums
// at a time keep the processor from waiting for each.
func dot(numbers []byte, with []float32) float32 {
	var a, b, c, d float32
	for len(numbers) >= 4 && len(with) >= 4 {
		a += numberOf[numbers[0]] * with[0]
		b += numberOf[numbers[1]] * with[1]
		c += numberOf[numbers[2]] * with[2]
		d += numberOf[numbers[3]] * with[3]
		numbers, with = numbers[4:], with[4:]
	}
	for i, x := range numbers {
		a += numberOf[x] * with[i]
	}
	return a + b + c + d
}

// encoded is of how many of the best passages the encodings are looked at.
const encoded = 50

// EncodeWith has the searcher rank by the encodings of passages, too. It is called
// before the first search.
func (s *Searcher) EncodeWith(encodings Encodings, questions QuestionEncoder) {
	s.encodings, s.questions, s.ahead = encodings, questions, newAhead()
}

// lookAtEncodings puts the best hits, which are in order, in an order by how near their
// encodings are to the question's instead of their vectors ([candidates]). What hits without
// an encoding have counts as before. The scores stay the same, the highest with the first: whatever
// goes by them need not know of encodings. Where there are few hits, it adds those that
// only their encodings find. The function gives the question's vector.
func (s *Searcher) lookAtEncodings(ctx context.Context, scope Scope, query Query, encode encodeQuestion, found Hits, hits []*Hit) []*Hit {
	if s.encodings == nil {
		return hits
	}
	best, others := hits[:min(encoded, len(hits))], unfound(found, hits)
	ids := append(passageIDs(best), passageIDs(others)...)
	if len(ids) == 0 {
		return hits
	}
	encodings, err := s.encodings.Encodings(ctx, scope.WorkspaceID, scope.ChatbotID, ids)
	if err != nil {
		s.log.Warn("encodings of passages not read", "error", err)
		return hits
	}
	needed := slices.ContainsFunc(ids, func(id int64) bool { return len(encodings[id]) > encodingHead })
	s.ahead.learn(scope, needed)
	if !needed {
		return hits
	}
	question, err := encode()
	if err != nil {
		s.log.Warn("question not encoded", "error", err)
		return hits
	}
	s.order(best, question, encodings, len(found.Near) > 0)
	for _, hit := range best[:min(query.Limit, len(best))] {
		hit.Parts = encodings[hit.PassageID].parts(question)
	}
	hits = append(hits, closest(others, question, encodings, few-len(hits))...)
	for _, hit := range hits {
		hit.Compared = len(found.Near)
	}
	return hits
}

// encodedQuestion is the unit vector of a question, with a share of the earlier questions'.
func (s *Searcher) encodedQuestion(ctx context.Context, workspaceID string, query Query) ([]float32, error) {
	vector, err := s.questions.EncodeQuestion(ctx, workspaceID, query.Text)
	if err != nil || vector == nil {
		return nil, err
	}
	sum := slices.Clone(vector)
	share := s.tuning.Context
	for _, earlier := range slices.Backward(query.Context[max(0, len(query.Context)-encodedEarlier):]) {
		vector, err := s.questions.EncodeQuestion(ctx, workspaceID, earlier)
		if err != nil {
			return nil, err
		}
		add(sum, vector, float32(share))
		share *= s.tuning.Decay
	}
	toUnit(sum)
	return sum, nil
}

// encodedEarlier is how many earlier questions lend their direction to a question.
const encodedEarlier = 5
