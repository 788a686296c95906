// Package parley holds the project's own documents that the program shows.
package parley

import _ "embed"

// SecurityPolicy is SECURITY.md.
//
//go:embed SECURITY.md
var SecurityPolicy string

// Description is what describes the interface for programs.
//
//go:embed api/openapi.yaml
var Description string
