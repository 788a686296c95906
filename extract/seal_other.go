//go:build !linux

package extract

// sandboxed says whether this system can confine a child by a system-call filter.
const sandboxed = false

// forbidCalls has no equivalent here: see [Extractor.Unconfined].
func forbidCalls() error { return nil }
