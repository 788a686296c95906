package fault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"parley/core/fault"
)

func TestLevel(t *testing.T) {
	away := fault.New(fault.Unavailable, "The database is away.").ForOperator()
	for what, c := range map[string]struct {
		err  error
		want slog.Level
	}{
		"what only the operator can mend calls":                       {away, slog.LevelError},
		"so does what that has caused":                                {fault.Wrap(fault.Upstream, fmt.Errorf("searching: %w", away), "The knowledge cannot be searched."), slog.LevelError},
		"and what nobody foresaw":                                     {errors.New("a bug"), slog.LevelError},
		"of several the worst counts":                                 {errors.Join(fault.New(fault.Invalid, "Wrong."), away), slog.LevelError},
		"a full disk calls":                                           {fault.OutOfStorage(errors.New("no space")), slog.LevelError},
		"what a caller did wrong does not":                            {fault.Wrap(fault.Invalid, away, "Wrong."), slog.LevelInfo},
		"nor does an owner's provider":                                {fault.New(fault.Upstream, "It refuses the key.").Named(fault.ModelKeyRejected), slog.LevelInfo},
		"nor a server that has too much to do":                        {fault.New(fault.Unavailable, "Busy."), slog.LevelWarn},
		"nor a model of the server's own that limits how it is asked": {fault.New(fault.Unavailable, "Busy.").Named(fault.ModelBusy).ForOperator(), slog.LevelWarn},
		"nor what nobody waits for any more":                          {fault.Wrap(fault.Unavailable, context.Canceled, "Away.").ForOperator(), slog.LevelDebug},
		"nor what took too long once":                                 {context.DeadlineExceeded, slog.LevelWarn},
	} {
		t.Run(what, func(t *testing.T) {
			if got := fault.Level(c.err); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

func TestRecurring(t *testing.T) {
	for what, c := range map[string]struct {
		err  *fault.Error
		want string
	}{
		"what the operator must mend recurs, whatever its cause is today": {fault.Wrap(fault.Upstream, errors.New("port 4711"), "Away.").ForOperator(), "upstream_failed Away."},
		"a server that has too much to do recurs":                         {fault.New(fault.Unavailable, "Busy."), "unavailable Busy."},
		"a bug is logged each time":                                       {fault.As(errors.New("a bug")), ""},
		"an owner's provider, too":                                        {fault.New(fault.Upstream, "It refuses the key."), ""},
	} {
		t.Run(what, func(t *testing.T) {
			if got := c.err.Recurring(); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
