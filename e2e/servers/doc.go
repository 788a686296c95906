// Package servers tests several servers on one database, and servers whose database
// or index is slow, full or gone, clusters of Weaviate among them. The package
// harness has the servers and the callers that it shares with the other
// whole-program tests.
package servers
