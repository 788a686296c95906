// Package jsonsize bounds what a text of JSON becomes in memory, before anything is made
// of it: "[0,0,0" takes two bytes a value, and a value that was decoded up to two hundred.
package jsonsize

import (
	"bytes"
	"errors"
)

// deepest is how many lists and objects may stand in one another.
const deepest = 2_000

// The errors of [Check].
var (
	ErrMany = errors.New("the JSON has too many values")
	ErrDeep = errors.New("the JSON is nested too deeply")
)

// Check refuses a text with more than most values or with lists and objects in one another
// more than 2,000 levels deep. It stops at the first that is too many, and does not check
// whether the text is JSON.
func Check(text []byte, most int) error {
	values, depth := 1, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			length := stringLength(text[i:])
			i += length - 1
		case '[', '{':
			values++
			if depth++; depth > deepest {
				return ErrDeep
			}
		case ']', '}':
			depth--
		case ',':
			values++
		}
		if values > most {
			return ErrMany
		}
	}
	return nil
}

// stringLength is the length of the string that a text begins with, quotes included.
func stringLength(text []byte) int {
	for at := 1; ; {
		next := bytes.IndexByte(text[at:], '"')
		if next < 0 {
			return len(text)
		}
		at += next + 1
		escapes := 0
		for text[at-2-escapes] == '\\' && at-2-escapes > 0 {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}
