package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"parley/app/config"
	"parley/billing/stripetest"
	"parley/store/servers"
)

func TestPeriods(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for now, want := range map[string]string{
		"2026-11-21 02:59:59": "2026-11-20 03:00:00",
		"2026-11-21 03:00:00": "2026-11-21 03:00:00",
		"2026-11-21 23:59:59": "2026-11-21 03:00:00",
		"2026-03-01 00:00:00": "2026-02-28 03:00:00",
	} {
		t.Run("the last night before "+now+" began at "+want, func(t *testing.T) {
			if got := lastNight(at(now)); !got.Equal(at(want)) {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("an hour starts with its first minute", func(t *testing.T) {
		if got := thisHour(at("2026-11-21 17:59:59")); !got.Equal(at("2026-11-21 17:00:00")) {
			t.Errorf("got %v", got)
		}
	})
}

func TestChores(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, open func(Config) *Program) {
		begin := servers.NewChores(open(Config{}).Store).BeginChore
		noon := time.Date(2026, 11, 24, 12, 10, 0, 0, time.UTC)
		counted := func(name string, done *int, err func() error) *chore {
			return &chore{name: name, since: thisHour, do: func(context.Context) error { *done++; return err() }}
		}
		fine := func() error { return nil }

		t.Run("one of two processes does a chore, once an hour", func(t *testing.T) {
			here, there := 0, 0
			one, other := counted("a", &here, fine), counted("a", &there, fine)
			for _, at := range []time.Time{noon, noon.Add(time.Minute), noon.Add(49 * time.Minute)} {
				must(t, one.run(t.Context(), begin, at, slog.New(slog.DiscardHandler)))
				must(t, other.run(t.Context(), begin, at, slog.New(slog.DiscardHandler)))
			}
			if here != 1 || there != 0 {
				t.Errorf("it was done %d and %d times", here, there)
			}
			must(t, other.run(t.Context(), begin, noon.Add(time.Hour), slog.New(slog.DiscardHandler)))
			must(t, one.run(t.Context(), begin, noon.Add(time.Hour), slog.New(slog.DiscardHandler)))
			if here != 1 || there != 1 {
				t.Errorf("an hour later it was done %d and %d times", here, there)
			}
		})
		t.Run("the process that started a failing chore retries it until it succeeds", func(t *testing.T) {
			here, there := 0, 0
			broken := errors.New("no network")
			one := counted("b", &here, func() error {
				if here < 3 {
					return broken
				}
				return nil
			})
			other := counted("b", &there, fine)
			for n := range 6 {
				err := one.run(t.Context(), begin, noon.Add(time.Duration(n)*time.Minute), slog.New(slog.DiscardHandler))
				if want := n < 2; errors.Is(err, broken) != want {
					t.Errorf("the run %d ends with %v", n, err)
				}
				must(t, other.run(t.Context(), begin, noon.Add(time.Duration(n)*time.Minute), slog.New(slog.DiscardHandler)))
			}
			if here != 3 || there != 0 {
				t.Errorf("it was done %d and %d times", here, there)
			}
		})
		t.Run("every chore works on a current server", func(t *testing.T) {
			stripe := stripetest.New(t, stripetest.Options{})
			s := &Server{Program: open(Config{Payments: config.Payments{StripeKey: stripe.Key, StripeSecret: stripe.WebhookSecret, StripeURL: stripe.URL, GraceDays: 21}, Operation: config.Operation{AuditDays: 400}})}
			names := map[string]bool{}
			for _, c := range s.chores() {
				names[c.name] = true
				must(t, c.run(t.Context(), servers.NewChores(s.Store).BeginChore, Now(), s.Log))
			}
			if len(names) != 12 {
				t.Errorf("the chores are %v", names)
			}
		})
	})
}
