package ui

import (
	"strings"
	"time"
)

func Stamp(t time.Time) string   { return t.UTC().Format("2006-01-02 15:04 UTC") }
func Date(t time.Time) string    { return t.UTC().Format("2006-01-02") }
func Machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// NameOf is what people call a value, or the value if it is new.
func NameOf(value string, names map[string]string) string {
	if name, known := names[value]; known {
		return name
	}
	return value
}

// Slug makes a part of an identifier of a name.
func Slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }
