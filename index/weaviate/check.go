package weaviate

import (
	"context"
	"errors"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/fault"
)

// Check implements [retrieval.Index]. It asks both interfaces of the server, and whether
// the server is set up as the scores need it.
func (x *Index) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return failed(ctx, err)
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	found, err := x.collections.served(ctx)
	if err == nil && found.InvertedIndexConfig.UsingBlockMaxWAND {
		err = errors.New("weaviate runs without USE_INVERTED_SEARCHABLE=false; set it, then rebuild the index")
	}
	if err == nil {
		_, err = x.server.search(ctx, &pb.SearchRequest{
			Collection: x.names.heads(found.Class), Limit: 1, Filters: is(propID, dimensionKey), Properties: returning(propRevision),
		})
	}
	if errors.Is(err, errRefused) {
		return fault.Wrap(fault.Upstream, err, "Weaviate refuses the API key. Check WEAVIATE_API_KEY.").ForOperator()
	}
	return failed(ctx, err)
}
