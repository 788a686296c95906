package answer

import (
	"slices"
	"testing"

	"parley/core/answer/prompt"
	"parley/core/retrieval"
)

func TestAddEarlier(t *testing.T) {
	t.Run("the search gets the questions and what was answered, but not that nothing was found", func(t *testing.T) {
		query := retrieval.Query{Text: "Does it deliver?"}
		addEarlier(&query, []prompt.Message{
			{Role: prompt.AssistantRole, Text: "Welcome to the city guide."},
			{Role: prompt.UserRole, Text: "Where can I eat?"},
			{Role: prompt.AssistantRole, Text: "At the Golden Crab,"},
			{Role: prompt.AssistantRole, Text: "at the pier."},
			{Role: prompt.UserRole, Text: "Who owns it?"},
			{Role: prompt.AssistantRole, Text: "Nothing was found."},
			{Role: prompt.UserRole, Text: "And the pier?"},
			{Role: prompt.ToolRole, Text: "a tool's result"},
		}, "Nothing was found.")
		if want := []string{"", "Where can I eat?", "Who owns it?", "And the pier?"}; !slices.Equal(query.Context, want) {
			t.Errorf("questions are %q, want %q", query.Context, want)
		}
		if want := []string{"Welcome to the city guide.", "At the Golden Crab,\nat the pier."}; !slices.Equal(query.Replies, want) {
			t.Errorf("replies are %q, want %q", query.Replies, want)
		}
	})
	t.Run("it gets no courtesy, nor what returns it", func(t *testing.T) {
		query := retrieval.Query{Text: "Does it deliver?"}
		addEarlier(&query, []prompt.Message{
			{Role: prompt.UserRole, Text: "Hello there!"},
			{Role: prompt.AssistantRole, Text: "Hello! Ask the city guide a question."},
			{Role: prompt.UserRole, Text: "Where can I eat?"},
			{Role: prompt.AssistantRole, Text: "At the Golden Crab."},
		}, "Nothing was found.")
		if want := []string{"Where can I eat?"}; !slices.Equal(query.Context, want) || !slices.Equal(query.Replies, []string{"At the Golden Crab."}) {
			t.Errorf("questions are %q, and replies %q", query.Context, query.Replies)
		}
	})
}
