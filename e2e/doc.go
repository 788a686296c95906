// Package e2e tests the whole program from outside: its HTTP interfaces, its
// pages in a real browser, its commands and its processes. Tests start
// app on a port of their own, or run the built binary. They prepare
// workspaces and documents with the program's services.
//
// An instance (instance_test.go) is a running server in the tests' own process,
// an installation (installation_test.go) a data folder and a database on which
// processes run, a terminal (cli_test.go) runs commands, a visitor
// (visitor_test.go) sends forms, and a window (chromium_test.go) is a tab of a
// browser.
package e2e
