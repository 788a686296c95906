// Package wire has the JSON shape of each thing that Parley tells of: a token, a document, an
// answer. The public API, the routes of the dashboard's scripts, commands, exports and
// webhooks all make it here, so that a thing has the same fields wherever it is shown.
//
// It does not own requests, nor the lists and envelopes that one route answers with: those
// stand beside the handler.
package wire

import (
	"time"

	"parley/internal/publicid"
)

// Changed answers what changed something.
type Changed struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Identifiers makes the shapes of what callers know by a number.
type Identifiers struct{ *publicid.Codec }

// MapSlice maps a list; it is never null.
func MapSlice[From, To any](list []From, convert func(From) To) []To {
	out := make([]To, len(list))
	for i, item := range list {
		out[i] = convert(item)
	}
	return out
}

// timestamp is ISO 8601 in UTC with milliseconds.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp(*t)
	return &text
}

// orEmpty is a list that is never null.
func orEmpty(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func unlessZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
