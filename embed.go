// Package parley holds the project's own documents, which the demo's chatbot
// answers from.
package parley

import "embed"

// Documents are the README and what lies under docs.
//
//go:embed README.md docs
var Documents embed.FS
