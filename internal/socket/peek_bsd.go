//go:build unix && !linux

package socket

// closedBehind cannot tell here: a failing write does.
func closedBehind(uintptr) bool { return false }
