package e2e

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
)

// What the page of test questions does where no script runs.
func TestRemovedTestQuestionsWithoutScripts(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		v := w.signedIn(baker.email, baker.password)
		page := "/chatbots/" + baker.chatbot + "/improve/tests"
		v.goesTo(v.post(page, pairs{"question", "When does the bakery open?", "expects", "answer"}), page)
		questions, err := w.server.Insight.Tests.Questions(w.Context(), baker.workspace, baker.chatbot)
		w.must(err)
		first := page + "/" + questions[0].ID
		undo := page + "/undo?question=" + questions[0].ID
		// listed is what the page says, and whether it lists the question.
		listed := func(v *visitor) (said string, there bool) {
			got := v.get(page)
			return text(v.page(got)), strings.Contains(got.body, `href="`+first+`"`)
		}

		t.Run("a question that is removed is gone from the page and from the API, and offers the way back", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.post(first+"/remove", nil), page)
			got := v.get(page)
			if said := text(v.page(got)); !strings.Contains(said, "Test question removed.") || !strings.Contains(got.body, `action="`+undo+`"`) || strings.Contains(got.body, `href="`+first+`"`) {
				t.Errorf("the page says %q", said)
			}
			if r := v.ask("GET", "/api/chatbots/"+baker.chatbot+"/test-questions", ""); strings.Contains(r.body, questions[0].ID) {
				t.Errorf("the API lists %s", r.body)
			}
			if got := v.get(first); got.StatusCode != 404 {
				t.Errorf("its page answers %d", got.StatusCode)
			}
		})
		t.Run("undone, it is there again", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.post(undo, nil), page)
			if said, there := listed(v); !there || !strings.Contains(said, "Test question restored.") {
				t.Errorf("the page says %q", said)
			}
		})
		t.Run("what is there, or was removed through the API, is not undone", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.post(undo, nil), page)
			if said, there := listed(v); !there || !strings.Contains(said, "too late") {
				t.Errorf("the page says %q", said)
			}
			v.checkAnswer(v.ask("DELETE", "/api/chatbots/"+baker.chatbot+"/test-questions/"+questions[0].ID, ""), 200, 0)
			v.goesTo(v.post(undo, nil), page)
			if said, there := listed(v); there || !strings.Contains(said, "too late") {
				t.Errorf("the page says %q", said)
			}
		})
	})
}
