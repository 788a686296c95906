package id

import (
	"io"
	"strings"
)

// throwAway follows the prefix of the identifiers of what a check of the installation
// makes and takes away again (package core/isolation). It has letters that [New] never
// writes, so no customer's identifier looks like one.
const throwAway = "_isolation"

// TagLen is the length of the tag of a throw-away workspace.
const TagLen = 10

// NewTag returns the tag of a throw-away workspace: random letters, which all its
// identifiers and all its secret words have.
func NewTag(random io.Reader) string { return letters(random, TagLen) }

// NewThrowAway returns an identifier of something of the throw-away workspace with a tag.
func NewThrowAway(random io.Reader, prefix, tag string) string {
	return prefix + throwAway + tag + letters(random, 6)
}

// IsThrowAway reports whether an identifier is one of NewThrowAway.
func IsThrowAway(identifier string) bool {
	_, rest, _ := strings.Cut(identifier, "_")
	return strings.HasPrefix("_"+rest, throwAway)
}

// ThrowAwayPrefix returns what identifiers with a prefix begin with in the throw-away
// workspace of a tag, or in all throw-away workspaces if the tag is empty.
func ThrowAwayPrefix(prefix, tag string) string { return prefix + throwAway + tag }

// TagOf returns the tag in an identifier of NewThrowAway, or nothing.
func TagOf(identifier string) string {
	_, rest, found := strings.Cut(identifier, throwAway)
	if !found || len(rest) < TagLen {
		return ""
	}
	return rest[:TagLen]
}

// letters returns n random letters, of more than four bits each.
func letters(random io.Reader, n int) string {
	out := Bytes(random, n)
	for i, b := range out {
		out[i] = 'a' + b%26
	}
	return string(out)
}
