package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestAnsweredQuestion(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)

		t.Run("a question is answered from the documents", func(t *testing.T) {
			r := w.Call("POST", "/api/v1/chat", `{"message":"When does the bakery open?"}`, harness.Bearer(baker.Token))
			if r.StatusCode != 200 || r.Error != 0 || !strings.Contains(r.Data["message"].(string), "seven in the morning") {
				t.Fatalf("got %d %s", r.StatusCode, r.Text)
			}
		})

		t.Run("a stream has the specification's events in order", func(t *testing.T) {
			all := w.Stream(`{"message":"When does the bakery open?","format":"html"}`, harness.Bearer(baker.Token)).Rest()
			var kinds []string
			for _, e := range all {
				if e.Done {
					e.Type = "[DONE]"
				}
				if len(kinds) == 0 || kinds[len(kinds)-1] != e.Type {
					kinds = append(kinds, e.Type)
				}
			}
			if got := strings.Join(kinds, " "); got != "conversation waiting delta formatted [DONE]" {
				t.Fatalf("got %s", got)
			}
		})
	})
}
