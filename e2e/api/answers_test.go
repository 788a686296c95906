package api

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

// isRight reports whether an answer contains one of the alternatives and lacks what it
// must not contain.
func isRight(r harness.Reply, contains, lacks string) bool {
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
		names, err := filepath.Glob(filepath.Join("..", "..", pattern))
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
	w := harness.Start(t)
	shop := w.NewTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	w.Settled(shop)
	t.Run("a question that the documents don't answer gets what to do next, and is a gap", func(t *testing.T) {
		r := w.Asked(shop, "How do I back up my data?")
		message, _ := r.Data["message"].(string)
		if r.Data["outcome"] != "no_answer" || !strings.Contains(message, "contact us") {
			t.Errorf("got %s", r.Text)
		}
		w.Must(w.Server.Insight.Roller.Roll(w.Context()))
		n, err := w.Server.Insight.Gaps.Count(w.Context(), shop.Workspace, shop.Chatbot)
		if err != nil || n != 1 {
			t.Errorf("there are %d gaps: %v", n, err)
		}
	})
	t.Run("a greeting and thanks are returned, and are no gaps", func(t *testing.T) {
		for message, says := range map[string]string{"hello": "Hello! Ask ", "Vielen Dank!": "Gern geschehen."} {
			r := w.Asked(shop, message)
			if said, _ := r.Data["message"].(string); r.Data["outcome"] != "answered" || !strings.HasPrefix(said, says) {
				t.Errorf("%s: got %s", message, r.Text)
			}
		}
		w.Must(w.Server.Insight.Roller.Roll(w.Context()))
		if n, err := w.Server.Insight.Gaps.Count(w.Context(), shop.Workspace, shop.Chatbot); err != nil || n != 1 {
			t.Errorf("there are %d gaps: %v", n, err)
		}
	})
	t.Run("the owner's text is said in its place", func(t *testing.T) {
		w.Must(w.Server.Chatbots.Update(w.Context(), shop.Workspace, shop.Chatbot, chatbot.Settings{Name: "Shop", NoAnswer: "Call 555-0142."}))
		if r := w.Asked(shop, "What is the capital of Spain?"); r.Data["outcome"] != "no_answer" || r.Data["message"] != "Call 555-0142." {
			t.Errorf("got %s", r.Text)
		}
	})
}

// The README shows these two.
func TestQuestionsOfTheReadme(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	shop := w.NewTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	w.Settled(shop)
	first := w.Asked(shop, "How do I return something?")
	if !isRight(first, "1. Write to orders@harborbikes.example with your order number", "hygiene seal") {
		t.Errorf("got %s", first.Text)
	}
	conversation := fmt.Sprintf("%.0f", first.Data["conversation_id"])
	second := askIn(w, conversation, "And what can I not return?", shop.Token)
	if !isRight(second, "- Helmets whose hygiene seal is broken\n- Bikes built to order", "Print the return label") {
		t.Errorf("got %s", second.Text)
	}
}
