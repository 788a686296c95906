package answer

import (
	"testing"

	"parley/core/chatbot"
	"parley/core/retrieval"
)

func TestWhereAreYou(t *testing.T) {
	address := []retrieval.Result{{Passage: retrieval.Passage{ID: 1, DocumentID: "doc_1", Text: "We are at 14 Quay Street."}, Score: 1}}
	for name, c := range map[string]struct {
		question string
		of       map[string][]retrieval.Result
		searches int
	}{
		"a question for a place that finds nothing is searched for again, by what places are called": {
			"Where are you?", map[string][]retrieval.Result{"Where are you?\naddress location street directions find us": address}, 2,
		},
		"one that finds something is searched for once": {"Where is the pool?", map[string][]retrieval.Result{"Where is the pool?": address}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			knows := &shelf{of: c.of}
			d := draftOf(t, pipeline(knows, script(answers(""))), &chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}, c.question, "")
			if err := d.Prepare(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if len(knows.asked) != c.searches || len(d.passages) != 1 {
				t.Errorf("%d searches found %d passages", len(knows.asked), len(d.passages))
			}
		})
	}
	t.Run("any other question that finds nothing is searched for once", func(t *testing.T) {
		knows := &shelf{}
		d := draftOf(t, pipeline(knows, script(answers(""))), &chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}, "Who are you?", "")
		if err := d.Prepare(t.Context(), nil); err != nil || len(knows.asked) != 1 {
			t.Errorf("%d searches, %v", len(knows.asked), err)
		}
	})
}
