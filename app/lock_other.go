//go:build !unix

package app

// lockDataDir cannot lock here: the operator must run only one server per data folder.
func lockDataDir(string) (unlock func(), err error) { return func() {}, nil }
