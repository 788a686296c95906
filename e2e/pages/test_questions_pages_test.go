package pages

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// What the page of test questions does where no script runs.
func TestRemovedTestQuestionsWithoutScripts(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		v := w.SignedIn(baker.Email, baker.Password)
		page := "/chatbots/" + baker.Chatbot + "/improve/tests"
		v.GoesTo(v.Post(page, harness.Pairs{"question", "When does the bakery open?", "expects", "answer"}), page)
		questions, err := w.Server.Insight.Tests.Questions(w.Context(), baker.Workspace, baker.Chatbot)
		w.Must(err)
		first := page + "/" + questions[0].ID
		undo := page + "/undo?question=" + questions[0].ID
		// listed is what the page says, and whether it lists the question.
		listed := func(v *harness.Visitor) (said string, there bool) {
			got := v.Get(page)
			return harness.Text(v.Page(got)), strings.Contains(got.Text, `href="`+first+`"`)
		}

		t.Run("a question that is removed is gone from the page and from the API, and offers the way back", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.Post(first+"/remove", nil), page)
			got := v.Get(page)
			if said := harness.Text(v.Page(got)); !strings.Contains(said, "Test question removed.") || !strings.Contains(got.Text, `action="`+undo+`"`) || strings.Contains(got.Text, `href="`+first+`"`) {
				t.Errorf("the page says %q", said)
			}
			if r := v.Ask("GET", "/api/chatbots/"+baker.Chatbot+"/test-questions", ""); strings.Contains(r.Text, questions[0].ID) {
				t.Errorf("the API lists %s", r.Text)
			}
			if got := v.Get(first); got.StatusCode != 404 {
				t.Errorf("its page answers %d", got.StatusCode)
			}
		})
		t.Run("undone, it is there again", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.Post(undo, nil), page)
			if said, there := listed(v); !there || !strings.Contains(said, "Test question restored.") {
				t.Errorf("the page says %q", said)
			}
		})
		t.Run("what is there, or was removed through the API, is not undone", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.Post(undo, nil), page)
			if said, there := listed(v); !there || !strings.Contains(said, "too late") {
				t.Errorf("the page says %q", said)
			}
			v.CheckAnswer(v.Ask("DELETE", "/api/chatbots/"+baker.Chatbot+"/test-questions/"+questions[0].ID, ""), 200, 0)
			v.GoesTo(v.Post(undo, nil), page)
			if said, there := listed(v); there || !strings.Contains(said, "too late") {
				t.Errorf("the page says %q", said)
			}
		})
	})
}
