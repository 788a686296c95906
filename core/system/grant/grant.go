// Package grant makes accesses of package system. Only the program's wiring imports it, in
// package app, and tests do: the import table in internal/arch says so.
package grant

// Access is [parley/core/system.Access].
type Access struct{ reason string }

// Because returns an access with the reason for it.
func Because(reason string) Access { return Access{reason} }

// Reason is why the access was granted. One that nobody granted has none, and opens nothing.
func (a Access) Reason() string { return a.reason }
