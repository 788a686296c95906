package recurring_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/internal/recurring"
)

// away is a failure that recurs until it is mended.
type away string

func (a away) Error() string     { return string(a) + " is away" }
func (a away) Recurring() string { return string(a) }

// line writes a line to a log.
func line(t *testing.T, log slog.Handler, level slog.Level, at time.Time, message string, err error) {
	t.Helper()
	r := slog.NewRecord(at, level, message, 0)
	r.AddAttrs(slog.Any("error", err))
	if log.Enabled(context.Background(), level) {
		if err := log.Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHandler(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	logged := func(level slog.Level, write func(log slog.Handler)) string {
		var text strings.Builder
		plain := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}
		write(recurring.Handler(slog.NewTextHandler(&text, plain)))
		return text.String()
	}
	t.Run("a cause has one line a minute, whoever met it, and the next says how many were left out", func(t *testing.T) {
		got := logged(slog.LevelInfo, func(log slog.Handler) {
			for second := range 62 {
				own := log.WithAttrs([]slog.Attr{slog.Int("second", second)})
				line(t, own, slog.LevelError, start.Add(time.Duration(second)*time.Second), fmt.Sprintf("task %d failed", second), fmt.Errorf("wrapped: %w", away("database")))
			}
		})
		if want := `level=ERROR msg="task 0 failed" second=0 error="wrapped: database is away"` + "\n" +
			`level=ERROR msg="task 60 failed" second=60 error="wrapped: database is away" left_out=59` + "\n"; got != want {
			t.Errorf("it has\n%s", got)
		}
	})
	t.Run("another cause, another level and what does not recur are not held back", func(t *testing.T) {
		got := logged(slog.LevelInfo, func(log slog.Handler) {
			for range 2 {
				line(t, log, slog.LevelError, start, "a", away("database"))
				line(t, log, slog.LevelWarn, start, "b", away("database"))
				line(t, log, slog.LevelError, start, "c", away("model"))
				line(t, log, slog.LevelError, start, "d", errors.New("a bug"))
				line(t, log, slog.LevelError, start, "e", away(""))
				line(t, log, slog.LevelInfo, start, "f", away("database"))
			}
		})
		var order strings.Builder
		for text := range strings.Lines(got) {
			_, after, _ := strings.Cut(text, "msg=")
			order.WriteString(after[:1])
		}
		if order.String() != "abcdefdef" {
			t.Errorf("it has\n%s", got)
		}
	})
	t.Run("several failures at once are held back if each of them is known", func(t *testing.T) {
		got := logged(slog.LevelInfo, func(log slog.Handler) {
			line(t, log, slog.LevelError, start, "a", away("database"))
			line(t, log, slog.LevelError, start, "b", errors.Join(away("database"), away("database")))
			line(t, log, slog.LevelError, start, "c", errors.Join(away("database"), errors.New("a bug")))
		})
		if strings.Contains(got, "msg=b") || !strings.Contains(got, "msg=a") || !strings.Contains(got, "msg=c") {
			t.Errorf("it has\n%s", got)
		}
	})
	t.Run("who debugs sees all", func(t *testing.T) {
		got := logged(slog.LevelDebug, func(log slog.Handler) {
			for range 3 {
				line(t, log, slog.LevelError, start, "a", away("database"))
			}
		})
		if strings.Count(got, "level=ERROR") != 1 || strings.Count(got, "level=DEBUG") != 2 {
			t.Errorf("it has\n%s", got)
		}
	})
}
