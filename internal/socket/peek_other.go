//go:build !unix

package socket

const canPeek = false

// peek cannot inspect a socket here; a failing write shows its end.
func peek(uintptr) (readable, closed bool) { return true, false }
