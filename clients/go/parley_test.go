package parley_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	parley "parley/clients/go"
)

// setting is what the tests of the program set: they run this package's tests against a
// real server.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: these tests need a server. Run `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder.", name)
	}
	return value
}

func client(t *testing.T, address string, options ...parley.Option) *parley.Client {
	t.Helper()
	options = append([]parley.Option{parley.WithPause(10 * time.Millisecond)}, options...)
	return parley.New(setting(t, address), setting(t, "PARLEY_TOKEN"), options...)
}

// manual is what the chatbot answers.
const manual = "Hold the button of the router for ten seconds [1]."

var question = parley.Question{Message: "How do I reset the router?"}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// whole reads a stream to its end.
func whole(t *testing.T, events iter.Seq2[parley.Event, error]) (text string, all []parley.Event) {
	t.Helper()
	for event, err := range events {
		must(t, err)
		all = append(all, event)
		switch event.Type {
		case parley.EventDelta:
			text += event.Content
		case parley.EventRestarted:
			text = ""
		}
	}
	return text, all
}

func types(events []parley.Event) (names []parley.EventType) {
	for _, e := range events {
		if len(names) == 0 || names[len(names)-1] != e.Type {
			names = append(names, e.Type)
		}
	}
	return names
}

func TestAsk(t *testing.T) {
	c := client(t, "PARLEY_URL")
	answer, err := c.Ask(t.Context(), question)
	must(t, err)
	if answer.Message != manual || answer.Outcome != parley.Answered || len(answer.Sources) == 0 || answer.Usage.TotalTokens == 0 {
		t.Errorf("the answer is %+v", answer)
	}
	t.Run("a conversation goes on", func(t *testing.T) {
		next, err := c.Ask(t.Context(), parley.Question{Message: "And then?", ConversationID: answer.ConversationID, Format: parley.HTML})
		must(t, err)
		if next.ConversationID != answer.ConversationID || next.Format != parley.HTML || !strings.HasPrefix(next.Message, "<p>") {
			t.Errorf("the answer is %+v", next)
		}
	})
	t.Run("its messages are read, oldest first", func(t *testing.T) {
		var roles []string
		for m, err := range c.Messages(t.Context(), answer.ConversationID) {
			must(t, err)
			roles = append(roles, m.Role)
		}
		if want := []string{"user", "assistant", "user", "assistant"}; !slices.Equal(roles, want) {
			t.Errorf("roles are %q", roles)
		}
	})
	t.Run("an answer is rated", func(t *testing.T) {
		must(t, c.Rate(t.Context(), answer.MessageID, parley.ThumbUp, "Thanks."))
		must(t, c.Rate(t.Context(), answer.MessageID, parley.NoRating, ""))
	})
}

func TestChatbot(t *testing.T) {
	chatbot, err := client(t, "PARLEY_URL").Chatbot(t.Context())
	must(t, err)
	if chatbot.ID == "" || chatbot.Name == "" || chatbot.Welcome == "" || chatbot.Limits.MessageChars == 0 {
		t.Errorf("it is %+v", chatbot)
	}
}

func TestFailures(t *testing.T) {
	wantError := func(t *testing.T, err error, status, code int) *parley.Error {
		t.Helper()
		e, is := errors.AsType[*parley.Error](err)
		if !is || e.Status != status || e.Code != code || e.Name == "" || e.Message == "" || e.RequestID == "" {
			t.Fatalf("the error is %#v", err)
		}
		return e
	}
	t.Run("a wrong token", func(t *testing.T) {
		_, err := parley.New(setting(t, "PARLEY_URL"), "parley_wrong").Ask(t.Context(), question)
		wantError(t, err, 401, parley.CodeUnauthenticated)
	})
	t.Run("an unknown conversation, also at the beginning of a stream", func(t *testing.T) {
		c := client(t, "PARLEY_URL")
		_, err := c.Ask(t.Context(), parley.Question{Message: "?", ConversationID: 1})
		wantError(t, err, 404, parley.CodeNotFound)
		for _, err := range c.Stream(t.Context(), parley.Question{Message: "?", ConversationID: 1}) {
			wantError(t, err, 404, parley.CodeNotFound)
		}
	})
	t.Run("a failing model ends an answer and a stream", func(t *testing.T) {
		c := client(t, "PARLEY_URL")
		_, err := c.Ask(t.Context(), parley.Question{Message: "Please fail."})
		wantError(t, err, 500, parley.CodeFailed)
	})
	t.Run("a server that is away", func(t *testing.T) {
		_, err := client(t, "PARLEY_GONE_URL", parley.WithTries(2)).Ask(t.Context(), question)
		if _, is := errors.AsType[*parley.Error](err); err == nil || is {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a context that ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := client(t, "PARLEY_GONE_URL").Ask(ctx, question); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestStream(t *testing.T) {
	q := question
	q.Include = []string{parley.IncludeSources, parley.IncludeUsage}
	want := []parley.EventType{parley.EventConversation, parley.EventDelta, parley.EventSources, parley.EventUsage}
	t.Run("pieces make the whole", func(t *testing.T) {
		text, events := whole(t, client(t, "PARLEY_URL").Stream(t.Context(), q))
		events = slices.DeleteFunc(events, func(e parley.Event) bool { return e.Type == parley.EventWaiting })
		if text != manual || !slices.Equal(types(events), want) {
			t.Errorf("%q from %v", text, types(events))
		}
		if usage := events[len(events)-1].Usage; usage.Outcome != parley.Answered || usage.Model == "" {
			t.Errorf("usage is %+v", usage)
		}
	})
	t.Run("the whole answer in another format comes last", func(t *testing.T) {
		_, events := whole(t, client(t, "PARLEY_URL").Stream(t.Context(), parley.Question{Message: question.Message, Format: parley.PlainText}))
		if last := events[len(events)-1]; last.Type != parley.EventFormatted || last.Format != parley.PlainText || last.Content != manual {
			t.Errorf("the last event is %+v", last)
		}
	})
	t.Run("a connection that is cut again and again is resumed with the scope chat alone, without a piece twice", func(t *testing.T) {
		text, events := whole(t, parley.New(setting(t, "PARLEY_CUT_URL"), setting(t, "PARLEY_CHAT_TOKEN"), parley.WithPause(10*time.Millisecond),
			parley.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})).Stream(t.Context(), q))
		events = slices.DeleteFunc(events, func(e parley.Event) bool { return e.Type == parley.EventWaiting })
		if text != manual || !slices.Equal(types(events), want) {
			t.Errorf("%q from %v", text, types(events))
		}
	})
	t.Run("an answer is read again from its beginning", func(t *testing.T) {
		c := client(t, "PARLEY_URL")
		answer, err := c.Ask(t.Context(), question)
		must(t, err)
		if text, _ := whole(t, c.Resume(t.Context(), answer.ConversationID, "")); text != manual {
			t.Errorf("it is %q", text)
		}
	})
	t.Run("a reader may leave", func(t *testing.T) {
		for event, err := range client(t, "PARLEY_URL").Stream(t.Context(), q) {
			must(t, err)
			if event.Type == parley.EventDelta {
				break
			}
		}
	})
	t.Run("an answer is stopped from elsewhere", func(t *testing.T) {
		c := client(t, "PARLEY_URL")
		var conversation parley.ID
		stopped := false
		for event, err := range c.Stream(t.Context(), parley.Question{Message: "Talk slowly.", Include: []string{parley.IncludeUsage}}) {
			must(t, err)
			switch event.Type {
			case parley.EventConversation:
				conversation = event.ConversationID
			case parley.EventDelta:
				if !stopped {
					got, err := c.Stop(t.Context(), conversation)
					must(t, err)
					stopped = got.Status == "stopped"
				}
			case parley.EventUsage:
				if event.Usage.Outcome != parley.Stopped {
					t.Errorf("the outcome is %q", event.Usage.Outcome)
				}
			}
		}
		if !stopped {
			t.Error("it was not stopped")
		}
	})
}

func TestTriesAgain(t *testing.T) {
	t.Run("a busy server is asked again when it says so, and the question is asked once", func(t *testing.T) {
		c := client(t, "PARLEY_BUSY_URL")
		answer, err := c.Ask(t.Context(), question)
		must(t, err)
		n := 0
		for _, err := range c.Messages(t.Context(), answer.ConversationID) {
			must(t, err)
			n++
		}
		if answer.Message != manual || n != 2 {
			t.Errorf("%q with %d messages", answer.Message, n)
		}
	})
	t.Run("whoever tries once gets the failure", func(t *testing.T) {
		_, err := client(t, "PARLEY_BUSY_URL", parley.WithTries(1)).Ask(t.Context(), question)
		if e, is := errors.AsType[*parley.Error](err); !is || e.Code != parley.CodeUnavailable {
			t.Errorf("the error is %v", err)
		}
	})
}
