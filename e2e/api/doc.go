// Package api tests the HTTP API, the clients that speak with it, the commands of
// the program, the walls between tenants, and the examples of the documentation.
// The package harness has the servers and the callers that it shares with the other
// whole-program tests.
package api
