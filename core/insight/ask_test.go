package insight_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/system"
)

// months counts as a database does.
type months struct{ counted []string }

func (m *months) CountQuestion(_ context.Context, _, month string, _ bool) error {
	m.counted = append(m.counted, month)
	return nil
}

func (m *months) UncountQuestion(_ context.Context, _, month string) error {
	m.counted = slices.Delete(m.counted, 0, 1)
	return nil
}

func (m *months) ReserveMessages(_ context.Context, _ string, asked quota.Reservation) (int, error) {
	return asked.Limit - len(m.counted), nil
}
func (*months) ReleaseMessages(context.Context, system.Access) error { return nil }

type nothing struct{}

func (nothing) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	return nil, nil
}

// counting is a model that counts how often it is asked.
type counting struct {
	answer.Model
	asked   int
	instead func() error
}

func (m *counting) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	m.asked++
	if m.instead != nil {
		return answer.Generated{}, m.instead()
	}
	return m.Model.Generate(ctx, asked, emit)
}

func TestAskingAgainCountsAsAPlaygroundQuestion(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }
	log, counted, model := slog.New(slog.DiscardHandler), &months{}, &counting{Model: extractive.New()}
	asker := insight.NewAsker(insight.AskerConfig{
		Answers: answer.New(nothing{}, answer.Always(model), nil, now, log), Quota: quota.New(counted, now), Months: counted, Now: now, Log: log,
	})
	member := &chatbot.Principal{
		MemberID: "usr_a", Chatbot: chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"},
		Plan: plan.Plan{Title: "Small", Limits: plan.Limits{MessageChars: 20, PlaygroundPerMonth: 3}},
	}
	ask := func(ctx context.Context, question string) error {
		_, err := asker.AskAgain(ctx, member, question)
		return err
	}
	want := func(what string, questions, calls int) {
		t.Helper()
		if len(counted.counted) != questions || model.asked != calls || questions > 0 && counted.counted[0] != "2026-11-playground" {
			t.Errorf("%s: %v are counted, and the model was asked %d times", what, counted.counted, model.asked)
		}
	}
	if err := ask(t.Context(), "When do you open today?"); !fault.Is(err, fault.Invalid) {
		t.Errorf("one that is too long gives %v", err)
	}
	want("one that is too long", 0, 0)
	if err := ask(t.Context(), "When?"); err != nil {
		t.Fatal(err)
	}
	want("an answer", 1, 1)
	model.instead = func() error { return fault.New(fault.Upstream, "The model is away.") }
	if err := ask(t.Context(), "When?"); !fault.Is(err, fault.Upstream) {
		t.Errorf("a failure gives %v", err)
	}
	want("a failure", 1, 2)
	ctx, leave := context.WithCancel(t.Context())
	model.instead = func() error { leave(); return ctx.Err() }
	if err := ask(ctx, "When?"); err == nil {
		t.Error("who leaves gets an answer")
	}
	want("who leaves", 2, 3)
	model.instead = nil
	if err := ask(t.Context(), "When?"); err != nil {
		t.Fatal(err)
	}
	if err := ask(t.Context(), "When?"); !fault.Is(err, fault.RateLimited) {
		t.Errorf("one more than the plan includes gives %v", err)
	}
	want("in the end", 3, 4)
}
