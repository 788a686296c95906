// Package guessable knows the passwords that attackers try first, because so many
// people have chosen them.
//
// passwords.txt.gz has one password per line, in lower case, the most common first: the
// 10,000 most common passwords, and among the 49,233 most common every password that is
// long enough for Parley. They come from the list in the npm package
// @zxcvbn-ts/language-common 3.0.4, which counts leaked passwords; its license is
// LICENSE.passwords (MIT). docs/adr/0053-addresses-and-passwords.md says how to make the
// file.
//
// It does not own the other rules for passwords (package account).
package guessable

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
)

//go:embed passwords.txt.gz
var compressed []byte

// passwords is the list, read when the first password is chosen.
var passwords = sync.OnceValue(func() map[string]struct{} {
	known := map[string]struct{}{}
	for line := range strings.Lines(list()) {
		known[strings.TrimSuffix(line, "\n")] = struct{}{}
	}
	return known
})

// list is the text of the file. It is part of the program, and a test reads it, so that
// it cannot be broken.
func list() string {
	unpacked, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Is reports whether a password is one of those, in any case.
func Is(password string) bool {
	_, known := passwords()[strings.ToLower(password)]
	return known
}
