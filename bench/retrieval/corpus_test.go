package retrieval

import (
	"slices"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/text/lexical"
	"parley/text/tokens"
)

func TestCorpus(t *testing.T) {
	c := newCorpus()
	t.Run("no two words are alike", func(t *testing.T) {
		if got := len(slices.Compact(slices.Sorted(slices.Values(c.words)))); got != vocabularySize {
			t.Fatalf("%d different words", got)
		}
	})
	t.Run("the same number makes the same document and question", func(t *testing.T) {
		if a, b := c.document(aboutDocuments, 7), newCorpus().document(aboutDocuments, 7); a.Content != b.Content {
			t.Error("the documents differ")
		}
		if a, b := c.query(7), newCorpus().query(7); a.Text != b.Text || !slices.Equal(a.Context, b.Context) {
			t.Error("the questions differ")
		}
	})
	t.Run("each section of a document becomes a passage of about 150 terms", func(t *testing.T) {
		sum := 0
		for number := range 20 {
			passages := knowledge.Split(c.document(aboutDocuments, number), chatbot.Chatbot{}, tokens.Count)
			if len(passages) != perDocument {
				t.Fatalf("%d passages", len(passages))
			}
			for _, p := range passages {
				sum += len(lexical.Passage(p.Title, p.HeadingPath, p.Text))
			}
		}
		if mean := sum / 20 / perDocument; mean < 130 || mean > 180 {
			t.Fatalf("%d terms on the average", mean)
		}
	})
}
