package store

import (
	"strings"
	"time"
)

// List makes sure that a JSON column holds a list and not null.
func List(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}

// UTC is a time that a row may lack, in UTC.
func UTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// Milliseconds is a duration as a column has it.
func Milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// JoinWords writes each word between spaces, so that one can be looked for.
func JoinWords(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ") + " "
}
