package main

import "parley/app"

// extractChildCmd is the process that reads one untrusted file. The server starts it.
type extractChildCmd struct{}

// Run reads one document from standard input. It ends with its process.
func (cmd *extractChildCmd) Run(io streams) error { return app.ReadAsChild(io.in, io.out) }
