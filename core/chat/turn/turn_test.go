package turn

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chat/quota"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
)

// oneConversation is a database with conversation 1, as other processes and
// mishaps make it look.
type oneConversation struct {
	Turns
	chat.Conversations
	// busy is until when another process answers in it.
	busy time.Time
	// away is until when the database cannot be used.
	away     time.Time
	panics   bool
	finished []Answer
	// tied is to whom the conversation was tied.
	tied string
}

func (s *oneConversation) InTx(ctx context.Context, fn func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(ctx)
}

func (s *oneConversation) Conversation(context.Context, string, string, int64) (chat.Conversation, error) {
	return chat.Conversation{ID: 1, WorkspaceID: "ws", Origin: chat.API}, nil
}

func (s *oneConversation) BeginTurn(_ context.Context, _ string, opening Opening) (int64, []chat.Message, error) {
	if s.panics {
		panic("of the database")
	}
	if time.Now().Before(s.busy) {
		return 0, nil, fault.New(fault.Conflict, "busy")
	}
	s.tied = opening.EndUser
	earlier := []chat.Message{{ID: 4, Role: chat.User, Content: "Question 41?"}}
	return 7, earlier[:min(opening.Earlier, 1)], nil
}

func (s *oneConversation) LastMessages(context.Context, string, int64, int64, int) ([]chat.Message, error) {
	return []chat.Message{{ID: 4, Role: chat.User, Content: "Question 41?"}, {ID: 6, Role: chat.User, Content: "Question 42?"}}, nil
}

func (s *oneConversation) FinishTurn(ctx context.Context, _ string, answer Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if time.Now().Before(s.away) {
		return fault.New(fault.Unavailable, "away")
	}
	s.finished = append(s.finished, answer)
	return nil
}

// nothingFound is a knowledge without passages.
type nothingFound struct{ err error }

func (n nothingFound) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	return nil, n.err
}

// documents are found for any question: a passage of each.
type documents []string

func (p documents) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	var found []retrieval.Result
	for _, id := range p {
		found = append(found, retrieval.Result{Passage: retrieval.Passage{DocumentID: id, Text: "of " + id}})
	}
	return found, nil
}

// says is a model that says its text and then waits for the end of ctx, if
// asked to.
type says struct {
	text  string
	waits bool
	seen  *prompt.Prompt
}

func (m says) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if m.seen != nil {
		*m.seen = asked
	}
	if err := emit(m.text); err != nil {
		return answer.Generated{}, err
	}
	if m.waits {
		<-ctx.Done()
		return answer.Generated{}, ctx.Err()
	}
	return answer.Generated{Model: "says"}, nil
}

func (says) Check(context.Context) error { return nil }
func (says) Name() string                { return "says" }
func (says) Count(text string) int       { return len(text) }
func (says) Traits() answer.Traits       { return answer.Traits{Context: 1 << 20} }

func serviceWith(store *oneConversation, searcher answer.Searcher, model answer.Model) *Service {
	log := slog.New(slog.DiscardHandler)
	return New(Config{
		Turns: store, Chats: chat.New(chat.Ports{Conversations: store}, nil, time.Now, log), Quota: quota.New(nil, time.Now),
		Answers: answer.New(searcher, answer.Always(model), nil, time.Now, log), Now: time.Now, Log: log,
	})
}

var caller = &chatbot.Principal{
	Chatbot: chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"},
	Plan:    plan.Plan{Limits: plan.Limits{MessageChars: 100, MessagesPerMonth: plan.Unlimited}},
}

func question() Ask {
	return Ask{Ref: chat.Ref{ConversationID: 1}, Message: "Question 42?"}
}

func isFree(t *testing.T, s *Service) {
	t.Helper()
	if len(s.conversations.lines) != 0 || len(s.running.all()) != 0 {
		t.Errorf("%d conversations are queued for, %d answers are running", len(s.conversations.lines), len(s.running.all()))
	}
}

func TestBusyElsewhere(t *testing.T) {
	t.Run("a turn waits for another process's turn, and then sees its messages", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var seen prompt.Prompt
			s := serviceWith(&oneConversation{busy: start.Add(12 * time.Second)}, nothingFound{}, says{text: "Yes.", seen: &seen})
			turn, err := s.Begin(t.Context(), caller, question())
			if err != nil {
				t.Fatal(err)
			}
			if late := time.Since(start) - 12*time.Second; late < 0 || late > queuePoll {
				t.Errorf("it began %v late", late)
			}
			if _, err := turn.Run(t.Context(), func(Event) error { return nil }); err != nil {
				t.Fatal(err)
			}
			var history []string
			for _, m := range seen.Messages {
				history = append(history, m.Text)
			}
			all := strings.Join(history, "\n")
			if strings.Count(all, "Question 41?") != 1 || strings.Count(all, "Question 42?") != 1 {
				t.Errorf("the prompt is %q", all)
			}
			isFree(t, s)
		})
	})

	t.Run("after 30 s it is refused as busy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			s := serviceWith(&oneConversation{busy: start.Add(time.Hour)}, nothingFound{}, says{})
			_, err := s.Begin(t.Context(), caller, question())
			if !fault.Is(err, fault.Conflict) || time.Since(start) != 30*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			isFree(t, s)
		})
	})

	t.Run("a caller that leaves while waiting frees the queue at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, gone := time.Now(), errors.New("gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(5*time.Second, func() { cancel(gone) })
			s := serviceWith(&oneConversation{busy: start.Add(time.Hour)}, nothingFound{}, says{})
			_, err := s.Begin(ctx, caller, question())
			if err != gone || time.Since(start) != 5*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			isFree(t, s)
		})
	})
}

func TestEndUserOfALaterTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, ask := &oneConversation{}, question()
		ask.ExternalUserID = "alice"
		turn, err := serviceWith(store, nothingFound{}, says{text: "Yes."}).Begin(t.Context(), caller, ask)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := turn.Run(t.Context(), nil); err != nil || store.tied != "alice" {
			t.Errorf("the conversation is tied to %q: %v", store.tied, err)
		}
	})
}

func TestTurnThatFailsToBegin(t *testing.T) {
	t.Run("a panic of the database leaves nobody waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := serviceWith(&oneConversation{panics: true}, nothingFound{}, says{})
			_, err := s.Begin(t.Context(), caller, question())
			if !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(), "panic") {
				t.Errorf("the panic is hidden from who logs it: %v", err)
			}
			isFree(t, s)
		})
	})

	t.Run("a search that fails stores the answer as failed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &oneConversation{}
			s := serviceWith(store, nothingFound{err: errors.New("broken")}, says{})
			if _, err := s.Begin(t.Context(), caller, question()); !fault.Is(err, fault.Upstream) {
				t.Errorf("got %v", err)
			}
			if len(store.finished) != 1 || store.finished[0].Status != chat.Failed {
				t.Errorf("stored is %v", store.finished)
			}
			isFree(t, s)
		})
	})

	t.Run("a caller who has left gets the cause, and the answer is stored as interrupted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gone := errors.New("gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(gone)
			store := &oneConversation{}
			s := serviceWith(store, nothingFound{}, says{})
			if _, err := s.Begin(ctx, caller, question()); err != gone {
				t.Errorf("got %v", err)
			}
			for _, answer := range store.finished {
				if answer.Status != chat.Interrupted {
					t.Errorf("stored is %v", answer)
				}
			}
			isFree(t, s)
		})
	})
}

func TestStoredAnswer(t *testing.T) {
	begun := func(t *testing.T, store *oneConversation, model answer.Model) (*Service, *Turn) {
		t.Helper()
		s := serviceWith(store, nothingFound{}, model)
		turn, err := s.Begin(t.Context(), caller, question())
		if err != nil {
			t.Fatal(err)
		}
		return s, turn
	}

	t.Run("a turn that ends with its ctx is stored as interrupted, with what was generated", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gone := errors.New("gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			store := &oneConversation{}
			s, turn := begun(t, store, says{text: "At last", waits: true})
			time.AfterFunc(time.Second, func() { cancel(gone) })
			answer, err := turn.Run(ctx, func(Event) error { return nil })
			if !errors.Is(err, gone) || answer.Status != chat.Interrupted || answer.Text != "At last" {
				t.Errorf("got %v, %v", answer, err)
			}
			if len(store.finished) != 1 || !reflect.DeepEqual(store.finished[0], answer) {
				t.Errorf("stored is %v", store.finished)
			}
			isFree(t, s)
		})
	})

	t.Run("a database that is away for a moment loses no answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &oneConversation{away: time.Now().Add(8 * time.Second)}
			s, turn := begun(t, store, says{text: "Yes."})
			if _, err := turn.Run(t.Context(), nil); err != nil {
				t.Errorf("got %v", err)
			}
			if len(store.finished) != 1 || store.finished[0].Status != chat.Complete {
				t.Errorf("stored is %v", store.finished)
			}
			isFree(t, s)
		})
	})

	t.Run("one that stays away fails the turn after 10 s, and frees the conversation", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			s, turn := begun(t, &oneConversation{away: start.Add(time.Hour)}, says{text: "Yes."})
			answer, err := turn.Run(t.Context(), nil)
			if !fault.Is(err, fault.Unavailable) || answer.Text != "Yes." || time.Since(start) != 10*time.Second {
				t.Errorf("after %v: %v, %v", time.Since(start), answer, err)
			}
			isFree(t, s)
		})
	})
}

func TestSourcesOfAnAnswer(t *testing.T) {
	t.Run("an answer says which passages it was given, the best first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &oneConversation{}
			s := serviceWith(store, documents{"doc_b", "doc_a", "doc_b"}, says{text: "Yes."})
			turn, err := s.Begin(t.Context(), caller, question())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := turn.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			var given []string
			for _, source := range store.finished[0].Citations {
				given = append(given, source.DocumentID)
			}
			if !slices.Equal(given, []string{"doc_b", "doc_a", "doc_b"}) {
				t.Errorf("stored is %+v", store.finished)
			}
		})
	})
}

func TestAnswerWithoutKnowledge(t *testing.T) {
	willing := caller
	willing.Chatbot.AnswerWithoutKnowledge = true

	t.Run("a chatbot that may answers when its knowledge cannot be searched, from nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen prompt.Prompt
			store := &oneConversation{}
			s := serviceWith(store, nothingFound{err: errors.New("away")}, says{text: "Hello.", seen: &seen})
			turn, err := s.Begin(t.Context(), willing, question())
			if err != nil {
				t.Fatal(err)
			}
			answer, err := turn.Run(t.Context(), nil)
			if err != nil || answer.Text != "Hello." || answer.Status != chat.Complete || len(answer.Citations) != 0 {
				t.Errorf("got %+v, %v", answer, err)
			}
			if len(seen.Passages) != 0 || seen.Question != "Question 42?" {
				t.Errorf("the prompt is %+v", seen)
			}
			isFree(t, s)
		})
	})

	t.Run("a caller who leaves during the search gets the cause, not an answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gone := errors.New("gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(gone)
			s := serviceWith(&oneConversation{}, nothingFound{err: context.Canceled}, says{})
			if _, err := s.Begin(ctx, willing, question()); err != gone {
				t.Errorf("got %v", err)
			}
			isFree(t, s)
		})
	})
}
