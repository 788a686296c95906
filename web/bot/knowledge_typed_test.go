package bot

import (
	"errors"
	"strings"
	"testing"

	"parley/core/fault"
)

func TestTypedAddress(t *testing.T) {
	for typed, want := range map[string]string{
		"example.com":                 "https://example.com",
		" www.example.com/help?a=b ":  "https://www.example.com/help?a=b",
		"example.com:8443/docs":       "https://example.com:8443/docs",
		"bücher.example#top":          "https://bücher.example#top",
		"http://example.com":          "http://example.com",
		"HTTPS://EXAMPLE.COM":         "HTTPS://EXAMPLE.COM",
		"javascript:alert(1)":         "javascript:alert(1)",
		"mailto:ada@example.com":      "mailto:ada@example.com",
		"ada:secret@example.com":      "ada:secret@example.com",
		"ftp.example.com:port/x":      "ftp.example.com:port/x",
		"hello":                       "hello",
		"what do they cost? see b.co": "what do they cost? see b.co",
	} {
		if got, err := typedAddress(typed); err != nil || got != want {
			t.Errorf("%q becomes %q: %v", typed, got, err)
		}
	}
	if _, err := typedAddress(" \n"); !isOf("url", "Enter an address", err) {
		t.Errorf("nothing is %v", err)
	}
}

func TestTypedPairs(t *testing.T) {
	for typed, want := range map[string]string{
		"When?,At ten.\r\nWhere?,\"Here, there.\"":  "question,answer\nWhen?,At ten.\r\nWhere?,\"Here, there.\"",
		"When?\tAt ten, or later.\n\nWhere?\tHere.": "question\tanswer\nWhen?\tAt ten, or later.\n\nWhere?\tHere.",
		"Answer,Question\nAt ten.,When?,x":          "Answer,Question\nAt ten.,When?,x",
		`[{"question":"a","answer":"b"}]`:           `[{"question":"a","answer":"b"}]`,
		"":                                          "",
	} {
		if got, err := typedPairs(typed); err != nil || got != want {
			t.Errorf("%q becomes %q: %v", typed, got, err)
		}
	}
	for typed, want := range map[string]string{
		"We open at ten.":                        "Line 1 is not a question",
		"When?,At ten.\n\nWhere?,":               "Line 3 is not a question",
		"When?,At ten.\nWhere?,Here, and there.": "Line 2 has more than one comma",
		"When?\tAt ten.\tOr later.":              "Line 1 has more than one tab",
	} {
		if _, err := typedPairs(typed); !isOf("pairs", want, err) {
			t.Errorf("%q is %v", typed, err)
		}
	}
}

// isOf reports whether an error is of a field, and begins so.
func isOf(field, says string, err error) bool {
	var refused *fault.Error
	return errors.As(err, &refused) && refused.Field == field && strings.HasPrefix(refused.Message, says)
}
