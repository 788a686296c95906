// Package pages tests what people see: the pages, their forms and their scripts,
// many of them in a real browser. The package harness has the servers and the
// callers that it shares with the other whole-program tests; a window
// (window_test.go) is a tab of a browser.
package pages
