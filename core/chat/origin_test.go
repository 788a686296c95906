package chat

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
)

func TestTitleOf(t *testing.T) {
	long := strings.Repeat("naïve words ", 20)
	for question, want := range map[string]string{
		"When do you open?":            "When do you open?",
		" \n When\tdo\r\nyou   open? ": "When do you open?",
		strings.Repeat("é", 120):       strings.Repeat("é", 120),
		strings.Repeat("é", 121):       strings.Repeat("é", 119) + "…",
		long:                           strings.TrimSuffix(strings.Repeat("naïve words ", 9)+"naïve", " ") + "…",
	} {
		got := TitleOf(question)
		if got != want || utf8.RuneCountInString(got) > maxTitle {
			t.Errorf("the title of %q is %q, want %q", question, got, want)
		}
	}
}

func TestWhoMayUseAConversation(t *testing.T) {
	token := &chatbot.Principal{Token: chatbot.Token{ID: "tok_1"}}
	anna, ben := &chatbot.Principal{MemberID: "usr_anna"}, &chatbot.Principal{MemberID: "usr_ben"}
	tried := Conversation{Origin: OriginOf(anna), BegunBy: anna.CallerID()}
	public := Conversation{Origin: OriginOf(token), BegunBy: token.CallerID()}
	for _, c := range []struct {
		who string
		by  *chatbot.Principal
		of  Conversation
		may bool
	}{
		{"a member their own of the playground", anna, tried, true},
		{"another member it", ben, tried, false},
		{"a token it", token, tried, false},
		{"a token its own", token, public, true},
		{"another token of the chatbot that", &chatbot.Principal{Token: chatbot.Token{ID: "tok_2"}}, public, true},
		{"a member that", anna, public, false},
	} {
		if got := c.of.Admits(c.by, ""); got != c.may {
			t.Errorf("%s: %t", c.who, got)
		}
	}
}

func TestThePlaygroundHasAMonthOfItsOwn(t *testing.T) {
	l, q := newLedger()
	small := plan.Plan{Title: "Small", Limits: plan.Limits{MessagesPerMonth: 1, PlaygroundPerMonth: 2}}
	take := func(origin Origin) error {
		ticket, err := q.Take(t.Context(), "ws", origin, small)
		if err != nil {
			return err
		}
		month, reserved := ticket.Counts(origin, l.now)
		if want := map[Origin]string{API: "2026-11", Playground: "2026-11-playground"}[origin]; month != want || !reserved {
			t.Errorf("%s counts in %s, reserved: %t", origin, month, reserved)
		}
		l.stored["ws "+month]++
		ticket.Keep()
		return nil
	}
	for _, c := range []struct {
		origin Origin
		want   string
	}{
		{Playground, ""},
		{Playground, ""},
		{Playground, "Your playground questions for this month are used up: the Small plan includes 2. Wait for the next month or upgrade the plan."},
		{API, ""},
		{API, "The Small plan includes 1 messages a month, and you have used them all. Wait for the next month or upgrade the plan."},
	} {
		err := take(c.origin)
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.RateLimited) || fault.As(err).Message != c.want || fault.As(err).RetryAfter < time.Hour) {
			t.Errorf("%s gives %v, want %q", c.origin, err, c.want)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	for _, c := range []struct {
		status  Status
		unknown bool
		want    Outcome
	}{
		{Complete, false, Answered},
		{Complete, true, NoAnswer},
		{Failed, true, OutcomeFailed},
		{Stopped, true, OutcomeStopped},
		{Interrupted, true, OutcomeInterrupted},
		{Generating, false, ""},
	} {
		if got := OutcomeOf(c.status, c.unknown); got != c.want {
			t.Errorf("%s, unknown %t, is %q, want %q", c.status, c.unknown, got, c.want)
		}
	}
}
