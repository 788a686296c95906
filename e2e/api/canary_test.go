package api

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/e2e/harness"
)

const (
	questionsEach = 200
	askersEach    = 4
)

// ask asks one question in one of the ways, and reads by session what it can.
func ask(h harness.CanaryHolder, w *harness.Instance, n int) {
	question := fmt.Sprintf(`{"message":"What is the rule for %s? (%d)"}`, harness.Topics[n%len(harness.Topics)], n)
	var answers []harness.Reply
	switch n % 3 {
	case 0:
		answers = append(answers, w.Call("POST", "/api/v1/chat", question, harness.Bearer(h.Token)))
	case 1:
		answers = append(answers, w.Call("POST", "/api/v1/chat/stream", question, harness.Bearer(h.Token)))
	case 2:
		first := w.Call("POST", "/api/v1/chat", question, harness.Bearer(h.Token))
		id := fmt.Sprintf("%.0f", first.Data["conversation_id"])
		answers = append(answers, first, w.Call("GET", "/api/v1/conversations/"+id+"/messages", "", harness.Bearer(h.Token)))
	}
	switch n % 5 {
	case 0:
		answers = append(answers, w.Call("GET", "/api/chatbots/"+h.Chatbot+"/documents", "", h.Owner))
	case 1:
		answers = append(answers, w.Call("GET", "/api/chatbots/"+h.Chatbot+"/api-tokens", "", h.Owner))
	case 2:
		answers = append(answers, w.Call("POST", "/api/chatbots/"+h.Chatbot+"/evaluate", `{"questions":[{"question":"What is the rule for `+harness.Topics[n%len(harness.Topics)]+`?"}]}`, h.Owner))
	case 3:
		answers = append(answers, w.Call("GET", "/chatbots/"+h.Chatbot+"/knowledge", "", h.Owner))
	case 4:
		answers = append(answers, w.Call("GET", "/chatbots/"+h.Chatbot+"/knowledge/removed", "", h.Owner))
	}
	for _, answer := range answers {
		w.Expect(answer, 200)
		if !strings.Contains(answer.Text, h.Canary) {
			w.Errorf("%s does not answer from its own: %s", answer.Request.URL.Path, harness.Shortened(answer.Text))
		}
		if strings.Contains(answer.Text, h.Foreign) {
			w.Errorf("%s has the canary of another workspace: %s", answer.Request.URL.Path, harness.Shortened(answer.Text))
		}
	}
}

func TestCanaries(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		holders := []harness.CanaryHolder{w.NewCanaryHolder("zorblax", "quentrix"), w.NewCanaryHolder("quentrix", "zorblax")}

		t.Run("no answer has the canary of another workspace", func(t *testing.T) {
			for _, h := range holders {
				for asker := range askersEach {
					t.Run(fmt.Sprintf("asker %d of %s", asker, h.Canary), func(t *testing.T) {
						t.Parallel()
						inner := w.Within(t)
						for n := asker; n < questionsEach; n += askersEach {
							ask(h, inner, n)
						}
					})
				}
			}
		})
		t.Run("the log has no message, answer, token, password or session", func(t *testing.T) {
			for _, h := range holders {
				_, session, _ := strings.Cut(h.Owner.Value, "=")
				w.Within(t).NotLogged(h.Canary, h.Token, h.Password, session, "What is the rule", "at the counter")
			}
		})
	})
}
