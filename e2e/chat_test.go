package e2e

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
)

const opening = "# Opening hours\n\nThe bakery opens at seven in the morning and closes at noon.\n\n## Holidays\n\nOn holidays the bakery stays closed.\n"

func TestAnsweredQuestion(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)

		t.Run("a question is answered from the documents", func(t *testing.T) {
			r := w.call("POST", "/api/v1/chat", `{"message":"When does the bakery open?"}`, bearer(baker.token))
			if r.StatusCode != 200 || r.Error != 0 || !strings.Contains(r.Data["message"].(string), "seven in the morning") {
				t.Fatalf("got %d %s", r.StatusCode, r.body)
			}
		})

		t.Run("a stream has the specification's events in order", func(t *testing.T) {
			all := w.stream(`{"message":"When does the bakery open?","format":"html"}`, bearer(baker.token)).rest()
			var kinds []string
			for _, e := range all {
				if e.done {
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
