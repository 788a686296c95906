package e2e

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
)

// canaryHolder is a workspace with its canary in every text, a word that nobody
// else may ever read.
type canaryHolder struct {
	tenantOf
	canary, foreign string
	owner           header
}

var topics = []string{
	"deliveries", "refunds", "holidays", "warranty", "parking", "insurance", "allergies", "invoices", "gift cards", "repairs",
}

const (
	questionsEach = 200
	askersEach    = 4
)

func (w *instance) newCanaryHolder(canary, foreign string) canaryHolder {
	w.Helper()
	var documents []string
	for _, topic := range topics {
		documents = append(documents, fmt.Sprintf("# Rules for %s of %s\n\nThe rule for %s is: ask %s at the counter first.\n", topic, canary, topic, canary))
	}
	h := canaryHolder{canary: canary, foreign: foreign, tenantOf: w.newTenant(canary, plan.Enterprise, documents...)}
	user, err := w.server.Program.Tenants.Users.ByEmail(w.Context(), h.email)
	w.must(err)
	h.owner = w.session(user.ID)
	return h
}

// ask asks one question in one of the ways, and reads by session what it can.
func (h canaryHolder) ask(w *instance, n int) {
	question := fmt.Sprintf(`{"message":"What is the rule for %s? (%d)"}`, topics[n%len(topics)], n)
	var answers []reply
	switch n % 3 {
	case 0:
		answers = append(answers, w.call("POST", "/api/v1/chat", question, bearer(h.token)))
	case 1:
		answers = append(answers, w.call("POST", "/api/v1/chat/stream", question, bearer(h.token)))
	case 2:
		first := w.call("POST", "/api/v1/chat", question, bearer(h.token))
		id := fmt.Sprintf("%.0f", first.Data["conversation_id"])
		answers = append(answers, first, w.call("GET", "/api/v1/conversations/"+id+"/messages", "", bearer(h.token)))
	}
	switch n % 5 {
	case 0:
		answers = append(answers, w.call("GET", "/api/chatbots/"+h.chatbot+"/documents", "", h.owner))
	case 1:
		answers = append(answers, w.call("GET", "/api/chatbots/"+h.chatbot+"/api-tokens", "", h.owner))
	case 2:
		answers = append(answers, w.call("POST", "/api/chatbots/"+h.chatbot+"/evaluate", `{"questions":[{"question":"What is the rule for `+topics[n%len(topics)]+`?"}]}`, h.owner))
	case 3:
		answers = append(answers, w.call("GET", "/chatbots/"+h.chatbot+"/knowledge", "", h.owner))
	case 4:
		answers = append(answers, w.call("GET", "/chatbots/"+h.chatbot+"/knowledge/removed", "", h.owner))
	}
	for _, answer := range answers {
		w.expect(answer, 200)
		if !strings.Contains(answer.body, h.canary) {
			w.Errorf("%s does not answer from its own: %s", answer.Request.URL.Path, shortened(answer.body))
		}
		if strings.Contains(answer.body, h.foreign) {
			w.Errorf("%s has the canary of another workspace: %s", answer.Request.URL.Path, shortened(answer.body))
		}
	}
}

func TestCanaries(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		holders := []canaryHolder{w.newCanaryHolder("zorblax", "quentrix"), w.newCanaryHolder("quentrix", "zorblax")}

		t.Run("no answer has the canary of another workspace", func(t *testing.T) {
			for _, h := range holders {
				for asker := range askersEach {
					t.Run(fmt.Sprintf("asker %d of %s", asker, h.canary), func(t *testing.T) {
						t.Parallel()
						inner := w.within(t)
						for n := asker; n < questionsEach; n += askersEach {
							h.ask(inner, n)
						}
					})
				}
			}
		})
		t.Run("the log has no message, answer, token, password or session", func(t *testing.T) {
			for _, h := range holders {
				_, session, _ := strings.Cut(h.owner.value, "=")
				w.within(t).notLogged(h.canary, h.token, h.password, session, "What is the rule", "at the counter")
			}
		})
	})
}
