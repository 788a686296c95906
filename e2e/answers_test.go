package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/text/split"
	"parley/text/suggest"
)

// isRight reports whether an answer contains one of the alternatives and lacks what it
// must not contain.
func isRight(r reply, contains, lacks string) bool {
	message, _ := r.Data["message"].(string)
	if lacks != "" && strings.Contains(message, lacks) {
		return false
	}
	for alternative := range strings.SplitSeq(contains, " || ") {
		if strings.Contains(message, alternative) {
			return true
		}
	}
	return false
}

// filesOf are the texts of files.
func filesOf(t *testing.T, patterns ...string) (texts []string) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	return texts
}

func TestUnansweredQuestion(t *testing.T) {
	t.Parallel()
	w := start(t)
	shop := w.newTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	w.settled(shop)
	t.Run("a question that the documents don't answer gets what to do next, and is a gap", func(t *testing.T) {
		r := w.asked(shop, "How do I back up my data?")
		message, _ := r.Data["message"].(string)
		if r.Data["outcome"] != "no_answer" || !strings.Contains(message, "contact us") {
			t.Errorf("got %s", r.body)
		}
		w.must(w.server.Insight.Roller.Roll(w.Context()))
		n, err := w.server.Insight.Gaps.Count(w.Context(), shop.workspace, shop.chatbot)
		if err != nil || n != 1 {
			t.Errorf("there are %d gaps: %v", n, err)
		}
	})
	t.Run("a greeting and thanks are returned, and are no gaps", func(t *testing.T) {
		for message, says := range map[string]string{"hello": "Hello! Ask ", "Vielen Dank!": "Gern geschehen."} {
			r := w.asked(shop, message)
			if said, _ := r.Data["message"].(string); r.Data["outcome"] != "answered" || !strings.HasPrefix(said, says) {
				t.Errorf("%s: got %s", message, r.body)
			}
		}
		w.must(w.server.Insight.Roller.Roll(w.Context()))
		if n, err := w.server.Insight.Gaps.Count(w.Context(), shop.workspace, shop.chatbot); err != nil || n != 1 {
			t.Errorf("there are %d gaps: %v", n, err)
		}
	})
	t.Run("the owner's text is said in its place", func(t *testing.T) {
		w.must(w.server.Chatbots.Update(w.Context(), shop.workspace, shop.chatbot, chatbot.Settings{Name: "Shop", NoAnswer: "Call 555-0142."}))
		if r := w.asked(shop, "What is the capital of Spain?"); r.Data["outcome"] != "no_answer" || r.Data["message"] != "Call 555-0142." {
			t.Errorf("got %s", r.body)
		}
	})
}

// The README shows these two.
func TestQuestionsOfTheReadme(t *testing.T) {
	t.Parallel()
	w := start(t)
	shop := w.newTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	w.settled(shop)
	first := w.asked(shop, "How do I return something?")
	if !isRight(first, "1. Write to orders@harborbikes.example with your order number", "hygiene seal") {
		t.Errorf("got %s", first.body)
	}
	conversation := fmt.Sprintf("%.0f", first.Data["conversation_id"])
	second := w.askIn(conversation, "And what can I not return?", shop.token)
	if !isRight(second, "- Helmets whose hygiene seal is broken\n- Bikes built to order", "Print the return label") {
		t.Errorf("got %s", second.body)
	}
}
