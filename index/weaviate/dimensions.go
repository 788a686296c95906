package weaviate

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/retrieval"
)

// dimensions knows the length of each collection's vectors.
type dimensions struct {
	server *server
	names  names

	mutex sync.Mutex
	known map[string]int
}

// check fails if the vectors are not as long as the others of the
// collection: the server itself compares only vectors of one tenant. The first
// vectors of a collection set its dimension.
func (d *dimensions) check(ctx context.Context, collection string, entries []retrieval.Entry) error {
	dimension, err := dimensionOf(entries)
	if dimension == 0 || err != nil {
		return err
	}
	has, err := d.of(ctx, collection)
	if err != nil {
		return err
	}
	if has == 0 {
		has = dimension
		set := object(dimensionKey, d.names.heads(collection), "", map[string]string{propRevision: strconv.Itoa(dimension)})
		if err := d.server.put(ctx, []*pb.BatchObject{set}); err != nil {
			return err
		}
		d.mutex.Lock()
		d.known[collection] = dimension
		d.mutex.Unlock()
	}
	if has != dimension {
		return retrieval.OtherDimension(dimension, has)
	}
	return nil
}

// of returns the dimension of a collection's vectors, or zero if it has none
// yet.
func (d *dimensions) of(ctx context.Context, collection string) (int, error) {
	d.mutex.Lock()
	known := d.known[collection]
	d.mutex.Unlock()
	if known > 0 {
		return known, nil
	}
	found, err := d.server.search(ctx, &pb.SearchRequest{
		Collection: d.names.heads(collection), Limit: 1,
		Filters: is(propID, dimensionKey), Properties: returning(propRevision),
	})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	dimension, err := strconv.Atoi(textOf(found[0], propRevision))
	if err != nil {
		return 0, fmt.Errorf("weaviate: the object of the dimension: %w", err)
	}
	d.mutex.Lock()
	d.known[collection] = dimension
	d.mutex.Unlock()
	return dimension, nil
}
