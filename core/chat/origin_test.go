package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"parley/core/chatbot"
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
