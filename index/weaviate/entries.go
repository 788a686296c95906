package weaviate

import (
	"context"
	"fmt"
	"strconv"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

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

// checkDimension fails if the vectors are not as long as the others of the
// collection. The server holds that for each tenant alone. The first vectors
// of a collection set its dimension.
func (x *Index) checkDimension(ctx context.Context, collection string, entries []retrieval.Entry) error {
	dimension, err := dimensionOf(entries)
	if dimension == 0 || err != nil {
		return err
	}
	has, err := x.dimension(ctx, collection)
	if err != nil {
		return err
	}
	if has == 0 {
		has = dimension
		set := object(dimensionKey, x.names.heads(collection), "", map[string]string{propRevision: strconv.Itoa(dimension)})
		if err := x.server.put(ctx, []*pb.BatchObject{set}); err != nil {
			return err
		}
		x.mutex.Lock()
		x.dimensions[collection] = dimension
		x.mutex.Unlock()
	}
	if has != dimension {
		return retrieval.OtherDimension(dimension, has)
	}
	return nil
}

// dimension returns that of a collection's vectors, and zero if it has none
// yet.
func (x *Index) dimension(ctx context.Context, collection string) (int, error) {
	x.mutex.Lock()
	known := x.dimensions[collection]
	x.mutex.Unlock()
	if known > 0 {
		return known, nil
	}
	found, err := x.server.search(ctx, &pb.SearchRequest{
		Collection: x.names.heads(collection), Limit: 1,
		Filters: is(propID, dimensionKey), Properties: returning(propRevision),
	})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	dimension, err := strconv.Atoi(textOf(found[0], propRevision))
	if err != nil {
		return 0, fmt.Errorf("weaviate: the object of the dimension: %w", err)
	}
	x.mutex.Lock()
	x.dimensions[collection] = dimension
	x.mutex.Unlock()
	return dimension, nil
}
