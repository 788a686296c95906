package retrieval

import (
	"context"
	"strings"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// hitsWanted is how many passages a question asks for.
const hitsWanted = 10

// question is what the product is asked, and the part of it that a yardstick is
// asked.
type question struct {
	query retrieval.Query
	// terms are the question's analyzed words, and vector is its direction.
	terms  []string
	vector []float32
}

// questions makes count of them.
func questions(ctx context.Context, c *corpus, embedder retrieval.Embedder, count int) ([]question, error) {
	made := make([]question, count)
	for i := range made {
		query := c.query(i)
		vectors, err := embedder.Questions(ctx, []string{query.Text})
		if err != nil {
			return nil, err
		}
		made[i] = question{query: query, vector: vectors[0]}
		for _, term := range lexical.FollowUp(query.Text, query.Context, query.Replies) {
			made[i].terms = append(made[i].terms, term.Text)
		}
	}
	return made, nil
}

// anyOf is the question in the language of FTS5.
func (q question) anyOf() string { return `"` + strings.Join(q.terms, `" OR "`) + `"` }
