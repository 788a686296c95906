//go:build !unix

package extract

import "os"

// killedBy returns nothing: this system has no signals.
func killedBy(*os.ProcessState) string { return "" }
