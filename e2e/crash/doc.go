// Package crash tests what must hold when processes of the program are killed: what was
// acknowledged is there, nothing is done twice, and what was begun ends. The package
// harness has the processes and the callers that it shares with the other whole-program
// tests.
package crash
