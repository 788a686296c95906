package prompt

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/retrieval"
	"parley/text/tokens"
)

// TestLengths holds the table of docs/models.md: what a prompt takes of three contexts.
func TestLengths(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	bot := &chatbot.Chatbot{Name: "Shop", Instructions: "Be friendly and brief. Call customers by their first name if they give it.", Answering: chatbot.Answering{Grounding: chatbot.Strict}}
	prose := strings.Repeat("Orders are sent within two days. You can return what you have not opened. ", 18)
	var found []retrieval.Result
	for i := range 5 {
		found = append(found, retrieval.Result{Passage: retrieval.Passage{ID: int64(i + 1), Title: "Delivery and returns", HeadingPath: []string{"Returns"}, Place: "page 3", Text: prose}})
	}
	var before []Message
	for range 300 {
		before = append(before, Message{Role: UserRole, Text: prose[:120]}, Message{Role: AssistantRole, Text: prose[:600]})
	}
	for _, context := range []int{4_096, 32_768, 131_072} {
		asked := Question{Text: "Can I return an opened bottle tomorrow?", Query: "Can I return an opened bottle tomorrow?", Bot: bot, Date: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)}
		window := Window{Tokens: context, Count: tokens.Count}
		bare, _ := Compose(asked, window)
		asked.Passages, asked.History = found, before
		full, given := Compose(asked, window)
		fixed, all := counted(bare), counted(full)
		row := fmt.Sprintf("| %d | %d (%.1f %%) | %d | %d | %d |", context, fixed, 100*float64(fixed)/float64(context), len(given), (len(full.Messages)-2)/2, all)
		if !strings.Contains(string(docs), row) {
			t.Errorf("docs/models.md lacks the row\n%s", row)
		}
		if all > context-context/20-reserved(bot, context) {
			t.Errorf("%d tokens do not fit into %d", all, context)
		}
	}
}

func counted(p Prompt) (sum int) {
	for _, m := range p.Messages {
		sum += tokens.Count(m.Text)
	}
	return sum
}
