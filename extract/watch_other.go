//go:build !linux

package extract

import "context"

// watchMemory does nothing here: the child watches itself.
func watchMemory(context.Context, int, int64, func()) {}
