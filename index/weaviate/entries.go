package weaviate

import (
	"parley/core/fault"
	"parley/core/retrieval"
)

// checkEntries fails unless the entries are one document's, with vectors of
// one dimension.
func checkEntries(documentID string, entries []retrieval.Entry) error {
	for _, e := range entries {
		if e.DocumentID != documentID {
			return fault.New(fault.Internal, "an entry of document %q came with document %q", e.DocumentID, documentID)
		}
	}
	_, err := dimensionOf(entries)
	return err
}

// dimensionOf returns the dimension of the entries' vectors, and zero if there
// is none.
func dimensionOf(entries []retrieval.Entry) (int, error) {
	dimension := 0
	for _, e := range entries {
		if n := len(e.Vector); n > 0 && dimension > 0 && n != dimension {
			return 0, fault.New(fault.Internal, "the vectors of a document have the dimensions %d and %d", dimension, n)
		} else if n > 0 {
			dimension = n
		}
	}
	return dimension, nil
}
