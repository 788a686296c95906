package api

import (
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// TestNoRouteAsksTheModelWithoutATicket calls all routes of the program, and has the test
// questions asked, while the plan admits no question: the server's own model hears none.
func TestNoRouteAsksTheModelWithoutATicket(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*plan.Limits)
		asks   bool
	}{
		"the month is used up":       {func(l *plan.Limits) { l.MessagesPerMonth, l.PlaygroundPerMonth = 0, 0 }, false},
		"every question is too long": {func(l *plan.Limits) { l.MessageChars = 1 }, false},
		"there are questions left":   {func(*plan.Limits) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(t, llmtest.Recording())
			w := harness.Start(t, harness.WithModel(model))
			w.HasNoRates()
			mine := w.NewFullWorkspace("baker")
			w.HasNoHurry()
			for _, name := range plan.Names() { // a route takes another one
				w.Includes(name, c.change)
			}
			before := model.Arrived()
			for _, r := range harness.Routes {
				t.Run(r.Name(), func(t *testing.T) {
					w, asked := w.Within(t), model.Arrived()
					w.Try(r, mine.IDs, credential(w, mine, r))
					if now := model.Arrived(); now != asked && !c.asks {
						t.Errorf("the model is asked %d times", now-asked)
					}
				})
			}
			if asked := model.Arrived() != before; asked != c.asks {
				t.Errorf("the model is asked: %t", asked)
			}
		})
	}
}
