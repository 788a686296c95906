package guessable

import (
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	for _, password := range []string{"123456", "password", "qwertyuiop", "QWERTYuiop", "Password123", "1q2w3e4r5t", "basketball", "iloveyou123"} {
		t.Run(password+" is one that attackers try first", func(t *testing.T) {
			if !Is(password) {
				t.Error("it is not known")
			}
		})
	}
	for _, password := range []string{"", "correct horse battery", "qwertyuiop ", "123456\n", "a long enough password"} {
		t.Run(password+" is none", func(t *testing.T) {
			if Is(password) {
				t.Error("it is known")
			}
		})
	}
}

func TestList(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(list(), "\n"), "\n")
	t.Run("it has the 10,000 most common passwords, the most common first", func(t *testing.T) {
		if len(lines) < 10_000 || lines[0] != "123456" || lines[1] != "password" {
			t.Errorf("it has %d lines and begins with %q", len(lines), lines[:2])
		}
	})
	t.Run("each is there once, in lower case, and the rarer ones are long", func(t *testing.T) {
		if known := len(passwords()); known != len(lines) {
			t.Errorf("%d of %d lines differ", known, len(lines))
		}
		for i, line := range lines {
			if line != strings.ToLower(line) || line == "" || i >= 10_000 && len(line) < 10 {
				t.Errorf("line %d is %q", i+1, line)
			}
		}
	})
}
