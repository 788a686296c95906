package anthropic

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/llm/llmtest"
)

func TestCheck(t *testing.T) {
	t.Run("a check holds for 15 seconds, whatever it found", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{})
		model := open(t, server, nil)
		now := time.Now()
		model.now = func() time.Time { return now }
		for _, step := range []struct {
			status int
			after  time.Duration
			fails  bool
			asked  int
		}{{200, 0, false, 1}, {401, checkAge - 1, false, 1}, {401, 1, true, 2}, {200, checkAge - 1, true, 2}, {200, 1, false, 3}} {
			now = now.Add(step.after)
			server.AnswerModels(llmtest.Reply{Status: step.status, ErrorBody: echo})
			err := model.Check(t.Context())
			if (err != nil) != step.fails || server.Checks() != step.asked {
				t.Errorf("after %v: %v and %d requests, want %d", step.after, err, server.Checks(), step.asked)
			}
			if err != nil {
				wantUpstream(t, err, notAnswered)
			}
		}
	})
	t.Run("a caller that has gone leaves no failure behind", func(t *testing.T) {
		model := open(t, llmtest.NewAnthropic(t, llmtest.Reply{}), nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := model.Check(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
		if err := model.Check(t.Context()); err != nil {
			t.Errorf("Check: %v", err)
		}
	})
}
