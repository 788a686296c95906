package auditlog

import (
	"slices"
	"testing"

	"parley/core/audit"
	views "parley/views/auditlog"
)

func TestNamesInTheAuditLog(t *testing.T) {
	const guide, gone = "cb_0123456789abcdefghjkmnpq", "cb_zzzzzzzzzzzzzzzzzzzzzzzz"
	named := views.Piece{Text: "<Guide>", URL: "/chatbots/" + guide}
	names := nameList{guide: named}
	for text, want := range map[string][]views.Piece{
		"Of the chatbot " + guide + ".":     {{Text: "Of the chatbot "}, named, {Text: "."}},
		"chatbots: " + guide + ", " + gone:  {{Text: "chatbots: "}, named, {Text: ", "}, {Text: "(deleted)", Title: gone}},
		"name: cb_1 → cb_0123456789abcdefg": {{Text: "name: cb_1 → cb_0123456789abcdefg"}},
		"":                                  nil,
	} {
		if got := names.in(text); !slices.Equal(got, want) {
			t.Errorf("%q is shown as %+v", text, got)
		}
	}
	t.Run("a conversation is one of its chatbot, which may be gone", func(t *testing.T) {
		if got := names.object(audit.Object{Kind: "conversation", ID: guide}); got != named {
			t.Errorf("it is of %+v", got)
		}
		if got := names.object(audit.Object{Kind: "conversation", ID: gone}); got.Text != "a deleted chatbot" || got.URL != "" {
			t.Errorf("it is of %+v", got)
		}
	})
	t.Run("what was renamed has the name of then and leads to where it is now", func(t *testing.T) {
		if got := names.object(audit.Object{Kind: "chatbot", ID: guide, Name: "Old"}); got != (views.Piece{Text: "Old", URL: named.URL}) {
			t.Errorf("it is %+v", got)
		}
	})
}
