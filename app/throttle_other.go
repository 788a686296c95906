//go:build !unix

package app

import "time"

// processorTime is unknown here.
func processorTime() time.Duration { return 0 }
