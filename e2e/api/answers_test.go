package api

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/split"
	"parley/core/knowledge/suggest"
	"parley/core/plan"
	"parley/e2e/harness"
)

// checkedQuestion is a question of ours, with what a right answer contains and lacks.
type checkedQuestion struct{ text, contains, lacks string }

// questionsOf reads lines with a question, what a right answer contains, as
// alternatives with "||" between them, and what it lacks.
func questionsOf(t *testing.T, name string) (questions []checkedQuestion) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata", "answers", name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := append(strings.Split(strings.TrimRight(line, "\r\n"), "\t"), "", "")
		questions = append(questions, checkedQuestion{cells[0], cells[1], cells[2]})
	}
	return questions
}

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

// Without a language model answers are quotations. They are held to what was reached:
// docs/answers.md has the figures.
func TestAnswersWithoutModel(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	shop := w.NewTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	documentation := w.NewTenant("documentation", plan.Enterprise, filesOf(t, "README.md", "SECURITY.md", "docs/*.md", "docs/api/*.md")...)
	w.Settled(shop)
	w.Settled(documentation)
	for _, c := range []struct {
		sentence, questions string
		asked               harness.Tenant
		atLeast             int
	}{
		{"questions about the shop are answered", "shop", shop, 34},
		{"questions about the shop that nothing was chosen by are answered", "shop-left-out", shop, 18},
		{"questions about this documentation are answered", "documentation", documentation, 20},
		{"plain questions about the shop are answered", "shop-plain", shop, 48},
		{"questions of strangers about the shop are answered", "shop-strangers", shop, 25},
		{"and so are those of customers", "shop-customers", shop, 9},
		{"plain questions about this documentation are answered", "documentation-plain", documentation, 23},
		{"questions of operators about this documentation are answered", "documentation-operators", documentation, 8},
		{"and so are those of owners", "documentation-owners", documentation, 8},
		{"questions that the shop cannot answer get no answer", "shop-unanswerable", shop, 16},
		{"and so do those that nothing was chosen by", "shop-left-out-unanswerable", shop, 9},
		{"and those of people who are at the wrong place", "shop-strange", shop, 9},
	} {
		t.Run(c.sentence, func(t *testing.T) { checkAnswers(w, t, c.questions, c.asked, c.atLeast) })
	}
}

// The shop's passages are encoded, as they are where nothing says otherwise.
func TestAnswersFromEncodedPassages(t *testing.T) {
	t.Parallel()
	w, encode := startEncoding(t)
	shop := w.NewTenant("shop", plan.Enterprise, filesOf(t, "internal/demo/pages/*.md")...)
	w.Settled(shop)
	encode()
	for _, c := range []struct {
		sentence, questions string
		atLeast             int
	}{
		{"questions about the shop are answered", "shop", 34},
		{"questions about the shop that nothing was chosen by are answered", "shop-left-out", 17},
		{"plain questions about the shop are answered", "shop-plain", 48},
		{"questions of strangers about the shop are answered", "shop-strangers", 24},
		{"and so are those of customers", "shop-customers", 8},
		{"questions that the shop cannot answer get no answer", "shop-unanswerable", 15},
		{"and so do those that nothing was chosen by", "shop-left-out-unanswerable", 9},
		{"and those of people who are at the wrong place", "shop-strange", 8},
	} {
		t.Run(c.sentence, func(t *testing.T) { checkAnswers(w, t, c.questions, shop, c.atLeast) })
	}
}

// checkAnswers asks the questions of a file, and reports which answers are not right.
func checkAnswers(w *harness.Instance, t *testing.T, questions string, asked harness.Tenant, atLeast int) {
	t.Helper()
	right := 0
	var wrong strings.Builder
	for _, question := range questionsOf(t, questions) {
		r := w.Asked(asked, strings.ReplaceAll(question.text, `"`, `\"`))
		answered := r.Data["outcome"] == "answered"
		if answered && question.contains != "" && isRight(r, question.contains, question.lacks) || !answered && question.contains == "" {
			right++
			continue
		}
		fmt.Fprintf(&wrong, "%s\n%s\n\n", question.text, r.Data["message"])
	}
	report := t.Logf
	if right < atLeast {
		report = t.Errorf
	}
	report("%d are right, and %d at least have to be. These are not:\n%s", right, atLeast, wrong.String())
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

func TestWordsWithAndWithoutHyphen(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	tn := w.NewTenant("workshop", plan.Enterprise, "# Service\n\nA tune-up costs $59 and takes a day.\n", "# Pickup\n\nPickup is free within the city.\n", "# Opening hours\n\nWe open at nine.\n")
	w.Settled(tn)
	for question, contains := range map[string]string{
		"Do you do tuneups?": "A tune-up costs $59", "How much is a tune up?": "A tune-up costs $59", "What does a tuneup cost?": "A tune-up costs $59", "Is there a pick-up?": "Pickup is free",
	} {
		t.Run("a word is found with a hyphen, without, and as two: "+question, func(t *testing.T) {
			if r := w.Asked(tn, question); r.Data["outcome"] != "answered" || !isRight(r, contains, "") {
				t.Errorf("got %s", r.Data["message"])
			}
		})
	}
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

// Whatever a chatbot suggests, it answers.
func TestSuggestionsAreAnswered(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	for name, pages := range map[string][]string{
		"shop":          filesOf(t, "internal/demo/pages/*.md"),
		"documentation": filesOf(t, "README.md", "SECURITY.md", "docs/*.md", "docs/api/*.md"),
		"german":        pools["german"].documents,
		"french":        pools["french"].documents,
		"spanish":       pools["spanish"].documents,
		"arabic":        pools["arabic"].documents,
		"chinese":       pools["chinese"].documents,
	} {
		t.Run("every question that the documents suggest is answered: "+name, func(t *testing.T) {
			w := w.Within(t)
			tn := w.NewTenant(name, plan.Enterprise, pages...)
			w.Settled(tn)
			documents := make([]suggest.Document, len(pages))
			for i, page := range pages {
				title := knowledge.TitleOf("page.md", page)
				passages := split.Split(split.Document{Title: title, Content: page}, split.Sizes{})
				documents[i] = suggest.Document{Kind: knowledge.Markdown, Title: title, Passages: passages}
			}
			questions := suggest.Read(documents).Questions(1000)
			if len(questions) < 2 {
				t.Errorf("they are %q", questions)
			}
			for _, question := range questions {
				if r := w.Asked(tn, strings.ReplaceAll(question, `"`, `\"`)); r.Data["outcome"] != "answered" {
					t.Errorf("%q is not", question)
				}
			}
		})
	}
}
