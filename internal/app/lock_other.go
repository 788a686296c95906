//go:build !unix

package app

// lockDataDir cannot lock here: running one server a data folder is up to the
// operator.
func lockDataDir(string) (unlock func(), err error) { return func() {}, nil }
