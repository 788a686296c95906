// Package harness has what the whole-program tests share: the servers and processes
// that they start, and the callers that use them. The tests are in e2e/api,
// e2e/pages, e2e/turns, e2e/crash and e2e/servers; what only one needs is there.
// They start app on a port of their own, or run the built binary, and prepare
// workspaces and documents with the program's services.
//
// An Instance is a running server in the tests' own process, an Installation a data
// folder and a database on which processes run, a Terminal runs commands, a Visitor
// sends forms, and a Line is a connection on which a test writes by itself.
package harness
