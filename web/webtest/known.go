package webtest

import (
	"testing"
	"time"
)

const BaseURL = "https://parley.example.com"

// Today is a day in November, long before any year ends.
var Today = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

func On(year int, month time.Month, day int) *time.Time {
	t := time.Date(year, month, day, 8, 0, 0, 0, time.UTC)
	return &t
}

// Must fails the test on an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
