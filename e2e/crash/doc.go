// Package crash tests what must hold while processes are killed, stopped or asked
// for much at once: recovery, groups of statements, idempotency, streams that
// resume, quotas and rates. The race detector watches these tests. The package
// harness has the servers and the callers that it shares with the other
// whole-program tests.
package crash
