// Package turns tests what must hold when one server is asked for much at the same time,
// and when callers and model servers cut connections: idempotency, streams that resume
// and stop, quotas and rates. The race detector watches these tests. The package harness
// has the servers and the callers that it shares with the other whole-program tests.
package turns
