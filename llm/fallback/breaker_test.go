package fallback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/llm/fallback"
	"parley/llm/llmtest"
)

// scripted is a model that follows a script, for tests that control time.
type scripted struct {
	answer.Model
	calls  atomic.Int64
	answer func(ctx context.Context, emit func(string) error) error
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Generate(ctx context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	s.calls.Add(1)
	return answer.Generated{Model: "scripted"}, s.answer(ctx, emit)
}

// refused is an error as adapters return it.
type refused int

func (r refused) Error() string { return fmt.Sprint("the server answered ", int(r)) }
func (r refused) Status() int   { return int(r) }

func status(code int) error { return fault.Wrap(fault.Upstream, refused(code), "It did not answer.") }

var timeout = fault.Wrap(fault.Upstream, errors.New("the first token did not come in time"), "It did not answer.")

func fails(err error) func(context.Context, func(string) error) error {
	return func(context.Context, func(string) error) error { return err }
}

func answers(_ context.Context, emit func(string) error) error { return emit("text") }

// circuit is a guarded model.
type circuit struct {
	*testing.T
	*scripted
	guarded answer.Model
	log     bytes.Buffer
}

func newCircuit(t *testing.T) *circuit {
	c := &circuit{T: t, scripted: &scripted{answer: answers}}
	c.guarded = fallback.Guard(c.scripted, fallback.NewBreaker(slog.New(slog.NewTextHandler(&c.log, nil)).With("provider", "mp_a")))
	return c
}

// ask sends a prompt, and reports whether it reached the model.
func (c *circuit) ask(ctx context.Context) (reached bool, err error) {
	before := c.calls.Load()
	_, err = c.guarded.Generate(ctx, prompt.Prompt{}, func(string) error { return nil })
	return c.calls.Load() > before, err
}

func (c *circuit) times(n int, err error) {
	c.Helper()
	c.answer = fails(err)
	for range n {
		if reached, _ := c.ask(c.Context()); !reached {
			c.Fatal("the provider was paused too soon")
		}
	}
}

func (c *circuit) wantReached(want bool) {
	c.Helper()
	if reached, err := c.ask(c.Context()); reached != want {
		c.Errorf("reached: %v, %v", reached, err)
	}
}

// inTime runs a test in a bubble with simulated time.
func inTime(t *testing.T, sentence string, test func(c *circuit)) {
	t.Helper()
	t.Run(sentence, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(newCircuit(t)) })
	})
}

func TestBreaker(t *testing.T) {
	for sentence, err := range map[string]error{"of the server": status(500), "of too many requests": status(429), "by time": timeout} {
		inTime(t, "after five failures "+sentence+" in a row the provider is paused for 15 seconds", func(c *circuit) {
			c.times(5, err)
			c.answer = answers
			reached, err := c.ask(c.Context())
			if f := fault.As(err); reached || f.Kind != fault.Upstream || f.RetryAfter != 15*time.Second {
				t.Errorf("reached: %v, %v", reached, err)
			}
			time.Sleep(14 * time.Second)
			c.wantReached(false)
			time.Sleep(time.Second)
			c.wantReached(true)
			c.wantReached(true)
		})
	}

	inTime(t, "an answer in between resets the count", func(c *circuit) {
		c.times(4, status(503))
		c.answer = answers
		c.wantReached(true)
		c.times(4, status(503))
		c.answer = answers
		c.wantReached(true)
	})

	inTime(t, "errors that blame the request keep the provider in use", func(c *circuit) {
		for _, code := range []int{400, 401, 403, 404, 413, 422} {
			c.times(5, status(code))
		}
		c.wantReached(true)
	})

	inTime(t, "callers who leave say nothing about the provider", func(c *circuit) {
		gone, leave := context.WithCancel(c.Context())
		leave()
		c.answer = fails(context.Canceled)
		for range 20 {
			_, _ = c.ask(gone)
		}
		c.answer = answers
		for range 20 {
			_, _ = c.guarded.Generate(c.Context(), prompt.Prompt{}, func(string) error { return errors.New("the reader has gone") })
		}
		c.wantReached(true)
	})

	inTime(t, "a trial that fails pauses the provider again", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		c.wantReached(true)
		c.wantReached(false)
		time.Sleep(15 * time.Second)
		c.answer = answers
		c.wantReached(true)
		c.wantReached(true)
	})

	inTime(t, "a trial whose caller leaves is repeated", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		gone, leave := context.WithCancel(c.Context())
		leave()
		c.answer = fails(context.Canceled)
		_, _ = c.ask(gone)
		c.wantReached(false)
		time.Sleep(15 * time.Second)
		c.answer = answers
		c.wantReached(true)
	})

	inTime(t, "a trial that panics is repeated", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		c.answer = func(context.Context, func(string) error) error { panic("a bug") }
		func() {
			defer func() { _ = recover() }()
			_, _ = c.ask(c.Context())
		}()
		time.Sleep(15 * time.Second)
		c.answer = answers
		c.wantReached(true)
	})

	inTime(t, "the first text of a trial admits the others, however long its answer takes", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		c.answer = answers
		slowly := func(string) error { time.Sleep(time.Minute); return nil }
		go func() { _, _ = c.guarded.Generate(c.Context(), prompt.Prompt{}, slowly) }()
		synctest.Wait()
		c.wantReached(true)
		time.Sleep(2 * time.Minute) // until the trial has ended as well
	})

	inTime(t, "only one trial runs at a time", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		c.answer = func(context.Context, func(string) error) error { time.Sleep(time.Second); return timeout }
		for range 10 {
			go func() { _, _ = c.guarded.Generate(c.Context(), prompt.Prompt{}, func(string) error { return nil }) }()
		}
		synctest.Wait()
		if n := c.calls.Load() - 5; n != 1 {
			t.Errorf("%d were made", n)
		}
		time.Sleep(time.Minute) // until it has ended
	})

	inTime(t, "the log says that the provider is paused, and that it answers again", func(c *circuit) {
		c.times(5, status(500))
		time.Sleep(15 * time.Second)
		c.answer = answers
		c.wantReached(true)
		if logged := c.log.String(); strings.Count(logged, "provider=mp_a") != 2 || !strings.Contains(logged, "answers again") {
			t.Errorf("it is %s", logged)
		}
	})

	t.Run("a fallback model answers at once while the breaker is open", func(t *testing.T) {
		b := newBoth(t, broken, well)
		first := fallback.Guard(model(t, b.first, "first"), fallback.NewBreaker(slog.New(slog.DiscardHandler)))
		pair := fallback.New(first, model(t, b.second, "second"), slog.New(slog.DiscardHandler))
		for range 20 {
			if generated, err := pair.Generate(t.Context(), llmtest.Prompt(), func(string) error { return nil }); err != nil || generated.Model != "second" {
				t.Fatalf("got %+v, %v", generated, err)
			}
		}
		if n := b.first.Arrived(); n != 5 {
			t.Errorf("the first was asked %d times", n)
		}
	})
}
