// Package testinputs tells go's test cache what a test uses beside Go code and the files
// that it opens: scripts, clients in other languages, and the versions of servers, of the
// browser and of tools.
package testinputs

import "os"

// Use makes a result that go keeps of the running test valid only while these inputs stay
// the same. go records which environment variables a test reads, and
// scripts/test-inputs.sh puts a hash of the inputs into this one.
func Use() { _ = os.Getenv("PARLEY_TEST_INPUTS") }
