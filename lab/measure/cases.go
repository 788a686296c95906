package measure

import (
	"context"
	"fmt"
	"strings"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/text/split"
)

// groundingCase is a question with its answer and passages.
type groundingCase struct {
	question, answer string
	// relevant are the best passages from the relevant documents, and found the
	// best of all.
	relevant, found []retrieval.Result
	documents       map[string]bool
}

// readCases reads the files, and finds passages for each question. It drops questions
// without a relevant passage among them.
func (t *indexed) readCases(ctx context.Context, files Files) ([]groundingCase, error) {
	queries, err := readQueries(files.Queries)
	if err != nil {
		return nil, err
	}
	judged, err := readJudgments(files.Judgments)
	if err != nil {
		return nil, err
	}
	passages, err := t.indexPassages(ctx, files.Corpus)
	if err != nil {
		return nil, err
	}
	var cases []groundingCase
	for _, q := range queries {
		ranking, err := t.Search(ctx, q.query("conversation"))
		if err != nil {
			return nil, err
		}
		c := groundingCase{question: q.Text, answer: q.Target, documents: map[string]bool{}}
		for id, grade := range judged[q.name()] {
			c.documents[id] = grade > 0
		}
		for _, r := range ranking {
			c.add(passages[r.DocumentID])
		}
		if len(c.relevant) == 0 {
			continue
		}
		if c.answer == "" {
			c.answer = beginning(c.relevant[0].Text)
		}
		cases = append(cases, c)
	}
	if len(cases) < 2 {
		return nil, fault.New(fault.Invalid, "The measurement needs at least two questions for which a relevant document is found.")
	}
	return cases, nil
}

func (c *groundingCase) add(p retrieval.Passage) {
	if len(c.found) < answeredFrom {
		c.found = append(c.found, retrieval.Result{Passage: p})
	}
	if c.documents[p.DocumentID] && len(c.relevant) < answeredFrom {
		c.relevant = append(c.relevant, retrieval.Result{Passage: p})
	}
}

// indexPassages indexes each passage as a separate document, and returns the passages
// by the ids of those documents.
func (t *indexed) indexPassages(ctx context.Context, corpus string) (map[string]retrieval.Passage, error) {
	passages := map[string]retrieval.Passage{}
	err := t.port.Rebuild(ctx, t.Version(), func(ctx context.Context, into retrieval.Filler) error {
		return readLines(corpus, func(line corpusLine) error {
			for _, p := range knowledge.Split(line.document(), chatbot.Chatbot{}, nil) {
				id := fmt.Sprintf("%s#%d", p.DocumentID, p.Ordinal)
				title := strings.Join(append([]string{p.Title}, p.HeadingPath...), " ")
				if _, err := t.AddAt(ctx, into, len(passages), split.Document{ID: id, Title: title, Content: p.Text}, true); err != nil {
					return err
				}
				passages[id] = p
			}
			return ctx.Err()
		})
	})
	return passages, err
}

// maxBeginning is how much of a passage serves as an answer, in bytes.
const maxBeginning = 400

// beginning returns the first sentences of a text.
func beginning(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxBeginning {
		return text
	}
	if end := strings.LastIndex(text[:maxBeginning], ". "); end > 0 {
		return text[:end+1]
	}
	return strings.ToValidUTF8(text[:maxBeginning], "")
}
