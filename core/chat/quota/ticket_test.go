package quota

import (
	"strings"
	"testing"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
)

func TestATicketIsForOneAnswerToOneQuestion(t *testing.T) {
	_, q := newLedger()
	unlimited := plan.Plan{Limits: plan.Limits{MessageChars: 100, MessagesPerMonth: plan.Unlimited}}
	for name, take := range map[string]func() (*Ticket, error){
		"of a plan with a limit":              func() (*Ticket, error) { return q.Take(t.Context(), "ws", "cb", chat.API, including(10), "When?") },
		"of a plan without one":               func() (*Ticket, error) { return q.Take(t.Context(), "ws", "cb", chat.API, unlimited, "When?") },
		"of a message that is counted before": func() (*Ticket, error) { return q.Again(t.Context(), "ws", "cb", chat.API, unlimited, "When?") },
	} {
		ticket, err := take()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ticket.Spend("another"); err == nil {
			t.Errorf("one %s is spent by another workspace", name)
		}
		if question, err := ticket.Spend("ws"); err != nil || question != "When?" {
			t.Errorf("one %s gives %q, %v", name, question, err)
		}
		if _, err := ticket.Spend("ws"); err == nil {
			t.Errorf("one %s is spent twice", name)
		}
	}
	for name, ticket := range map[string]*Ticket{"no ticket": nil, "one that no quota made": {workspaceID: "ws", question: "When?"}} {
		if _, err := ticket.Spend("ws"); !fault.Is(err, fault.Internal) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

func TestNoTicketIsForAQuestionThatIsNotAdmitted(t *testing.T) {
	l, q := newLedger()
	for question, want := range map[string]string{
		"":                       "is required",
		" \n":                    "is required",
		"a\x00b":                 "must be valid UTF-8",
		"a\xff":                  "must be valid UTF-8",
		strings.Repeat("ä", 101): "longer than 100 characters",
	} {
		for name, take := range map[string]func() (*Ticket, error){
			"Take":  func() (*Ticket, error) { return q.Take(t.Context(), "ws", "cb", chat.API, including(10), question) },
			"Again": func() (*Ticket, error) { return q.Again(t.Context(), "ws", "cb", chat.API, including(10), question) },
		} {
			if ticket, err := take(); ticket != nil || !fault.Is(err, fault.Invalid) || !strings.Contains(fault.As(err).Message, want) {
				t.Errorf("%s of %.10q gives %v", name, question, err)
			}
		}
	}
	if l.asked != 0 {
		t.Errorf("the database was asked %d times", l.asked)
	}
	if _, err := q.Take(t.Context(), "ws", "cb", chat.API, including(10), strings.Repeat("ä", 100)); err != nil {
		t.Error(err)
	}
}
