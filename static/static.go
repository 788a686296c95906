// Package static owns the files that browsers fetch as they are: style,
// scripts and icon.
//
// It does not own how they are served (package web).
package static

import "embed"

// Files holds every file at the top.
//
//go:embed *.css *.js *.svg
var Files embed.FS
