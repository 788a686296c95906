package jobs

import (
	"context"
	"log/slog"
)

// quietHandler passes on River's log. Its errors become warnings, because River tries again by itself; the
// rest goes one level down, because River reports at Info what operators would call Debug.
type quietHandler struct{ to slog.Handler }

func lower(level slog.Level) slog.Level {
	if level < slog.LevelWarn {
		return level - (slog.LevelInfo - slog.LevelDebug)
	}
	return slog.LevelWarn
}

// Enabled reports whether to log a record of River's.
func (q quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return q.to.Enabled(ctx, lower(level))
}

// Handle logs a record of River's.
func (q quietHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Level = lower(record.Level)
	return q.to.Handle(ctx, record)
}

// WithAttrs returns a handler that adds attributes.
func (q quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{q.to.WithAttrs(attrs)}
}

// WithGroup returns a handler that groups attributes.
func (q quietHandler) WithGroup(name string) slog.Handler { return quietHandler{q.to.WithGroup(name)} }
