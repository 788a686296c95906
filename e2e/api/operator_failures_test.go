package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// errorLines counts the lines of the log that call for the operator.
func errorLines(w *harness.Instance, with string) (n int) {
	for line := range strings.Lines(w.ServerLog.String()) {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, with) {
			n++
		}
	}
	return n
}

func TestWhoMustAct(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		reply llmtest.Reply
		code  string
	}{
		"a refused key":             {llmtest.Reply{Status: 401}, "model_key_rejected"},
		"an account without credit": {llmtest.Reply{Status: 402}, "model_unpaid"},
		"an unknown model":          {llmtest.Reply{Status: 404}, "model_unknown"},
	} {
		t.Run("of the server's own model, "+what+" is the operator's: nobody else is told to act, and the log calls once", func(t *testing.T) {
			t.Parallel()
			own := llmtest.NewServer(t, c.reply)
			w := harness.Start(t, harness.WithModel(own))
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			for range 3 {
				r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
				w.CheckAnswer(r, 500, 5)
				if !strings.Contains(r.ErrorMessage, "the operator of this server has been told") || strings.Contains(r.ErrorMessage, "owner") || r.Header.Get("X-Error-Code") != c.code {
					t.Errorf("the caller reads %q, %s", r.ErrorMessage, r.Header.Get("X-Error-Code"))
				}
			}
			if n := errorLines(w, ""); n != 1 {
				t.Errorf("the log calls %d times:\n%s", n, w.ServerLog)
			}
			if errorLines(w, "code="+c.code) != 1 {
				t.Errorf("the line does not say why:\n%s", w.ServerLog)
			}
		})
		t.Run("of a workspace's own provider, "+what+" is the owner's, and the log calls nobody", func(t *testing.T) {
			t.Parallel()
			theirs := llmtest.NewServer(t, c.reply)
			w := harness.Start(t, harness.WithLoopback)
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			chooseModel(w, baker, theirs, chatbot.ModelChoice{})
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 500, 5)
			if !strings.Contains(r.ErrorMessage, "chatbot's owner must") && c.code != "model_unpaid" {
				t.Errorf("the caller reads %q", r.ErrorMessage)
			}
			if n := errorLines(w, ""); n != 0 {
				t.Errorf("the log calls %d times:\n%s", n, w.ServerLog)
			}
		})
	}
	t.Run("an index that cannot be searched is the operator's", func(t *testing.T) {
		t.Parallel()
		broken := func(x retrieval.Index) retrieval.Index { return harness.BrokenIndex{Index: x} }
		w := harness.StartWith(t, app.Options{Index: broken})
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		for range 2 {
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 500, 5)
			if !strings.Contains(r.ErrorMessage, "the operator of this server has been told") {
				t.Errorf("the caller reads %q", r.ErrorMessage)
			}
		}
		if n := errorLines(w, "code=retrieval_failed"); n != 1 {
			t.Errorf("the log calls %d times:\n%s", n, w.ServerLog)
		}
	})
}
