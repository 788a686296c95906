package retrieval

import (
	"context"
	"slices"

	"parley/core/fault"
	"parley/text/encode"
)

// Encoder is the port to a sentence encoder: a small model that makes a vector of a text
// and reads it more closely than the embedder of the index. Passages are encoded after
// they have been indexed, since that takes its time.
type Encoder interface {
	// Encode returns the encodings of passages, in order. A passage in a language
	// that the model does not know has an empty one.
	Encode(ctx context.Context, passages []Passage) ([]encode.Encoding, error)
}

// QuestionEncoder is the port to the same model, for questions.
type QuestionEncoder interface {
	// EncodeQuestion returns the unit vector of a workspace's question, which nobody
	// may change, or nil for one in a language that the model does not know.
	EncodeQuestion(ctx context.Context, workspaceID, text string) ([]float32, error)
}

// Encodings is the port to the encodings of passages.
type Encodings interface {
	// Encodings returns the encodings of the passages with these ids, by [Passage.ID].
	// It leaves out passages without an encoding and passages of other chatbots.
	Encodings(ctx context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]encode.Encoding, error)
}

// encoded is of how many of the best passages the encodings are looked at.
const encoded = 50

// EncodeWith has the searcher rank by the encodings of passages, too. It is called
// before the first search.
func (s *Searcher) EncodeWith(encodings Encodings, questions QuestionEncoder) {
	s.encodings, s.questions, s.prefetch = encodings, questions, newPrefetch()
}

// orderByEncodings puts the best hits, which are in order, in an order by how near their
// encodings are to the question's instead of their vectors ([candidates]). What hits without
// an encoding have counts as before. The scores stay the same, the highest with the first: whatever
// goes by them need not know of encodings. Where there are few hits, it adds those that
// only their encodings find. The function gives the question's vector.
func (s *Searcher) orderByEncodings(ctx context.Context, scope Scope, query Query, ask encodeQuestion, found Hits, hits []*Hit) []*Hit {
	if s.encodings == nil {
		return hits
	}
	best, others := hits[:min(encoded, len(hits))], nearestUnfound(found, hits)
	ids := append(passageIDs(best), passageIDs(others)...)
	if len(ids) == 0 {
		return hits
	}
	encodings, err := s.encodings.Encodings(ctx, scope.WorkspaceID, scope.ChatbotID, ids)
	if err != nil {
		s.log.Log(ctx, fault.Level(err), "encodings of passages not read", "error", err)
		return hits
	}
	needed := slices.ContainsFunc(ids, func(id int64) bool { return encodings[id].HasVector() })
	s.prefetch.record(scope, needed)
	if !needed {
		return hits
	}
	question, err := ask()
	if err != nil {
		s.log.Log(ctx, fault.Level(err), "question not encoded", "error", err)
		return hits
	}
	s.order(best, question, encodings, len(found.Near) > 0)
	for _, hit := range best[:min(query.Limit, len(best))] {
		hit.Parts = encodings[hit.PassageID].Parts(question)
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
		encode.Add(sum, vector, float32(share))
		share *= s.tuning.Decay
	}
	encode.ToUnit(sum)
	return sum, nil
}

// encodedEarlier is how many earlier questions lend their direction to a question.
const encodedEarlier = 5
