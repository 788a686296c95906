package jobs

import (
	"context"
	"log/slog"
)

// quieter passes on River's log: warnings and errors unchanged, the rest one level
// down, because River reports at Info what operators would call Debug.
type quieter struct{ to slog.Handler }

func lower(level slog.Level) slog.Level {
	if level < slog.LevelWarn {
		level -= slog.LevelInfo - slog.LevelDebug
	}
	return level
}

// Enabled reports whether to log a record of River's.
func (q quieter) Enabled(ctx context.Context, level slog.Level) bool {
	return q.to.Enabled(ctx, lower(level))
}

// Handle logs a record of River's.
func (q quieter) Handle(ctx context.Context, record slog.Record) error {
	record.Level = lower(record.Level)
	return q.to.Handle(ctx, record)
}

// WithAttrs returns a handler that adds attributes.
func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler { return quieter{q.to.WithAttrs(attrs)} }

// WithGroup returns a handler that groups attributes.
func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.to.WithGroup(name)} }
