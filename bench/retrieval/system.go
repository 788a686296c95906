package retrieval

import (
	"context"

	"parley/text/split"
)

// The systems that are measured.
const (
	Embedded    = "Parley, embedded"
	Weaviate    = "Parley, Weaviate"
	FTS5        = "plain FTS5"
	RawWords    = "raw Weaviate client, BM25"
	RawMeanings = "raw Weaviate client, nearVector"
	RawHybrid   = "raw Weaviate client, hybrid"
)

// system is something that can be searched. All functions are safe for
// concurrent use.
type system struct {
	name string
	// add puts a document into a chatbot, all the way from its text.
	add func(ctx context.Context, chatbot int, d split.Document) (passages int, err error)
	// put puts in one that is prepared.
	put func(ctx context.Context, chatbot int, d prepared) error
	// ask returns how many hits there are.
	ask func(ctx context.Context, chatbot int, q question) (hits int, err error)
	// size is the size of the index in bytes.
	size func() (int64, error)
	// close ends it and deletes what it holds.
	close func() error
	// server is the process that works for the system besides this one, or
	// zero.
	server int
}

// opener opens a system over nothing, in a directory that exists.
type opener func(ctx context.Context, dir string) (*system, error)
