package status

import "io/fs"

// checkOwn admits all: this system keeps the folder of a user from others.
func checkOwn(string, string, fs.FileInfo) error { return nil }
