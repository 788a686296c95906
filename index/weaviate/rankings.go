package weaviate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/retrieval"
	"parley/index/weaviate/terms"
)

// hit is a passage that the server found, whether or not its revision is the
// current one.
type hit struct {
	retrieval.Hit
	collection string
	document   string // the key of its document
	revision   string
	// terms and vector are as the server stores them, if the search asked for
	// them.
	terms  string
	vector []byte
}

// lexical ranks a tenant's passages by BM25.
func (s *search) lexical(ctx context.Context) ([]hit, error) {
	request := s.request()
	request.Bm25Search = &pb.BM25{Query: terms.Question(s.query.Terms), Properties: []string{propTerms}}
	request.Metadata.Score = true
	if s.wantsTerms() {
		request.Properties.NonRefProperties = append(request.Properties.NonRefProperties, propTerms)
		request.Metadata.Vector = len(s.query.Vector) > 0
	}
	return s.ranked(ctx, request, func(m *pb.MetadataResult) float64 { return float64(m.GetScore()) })
}

// near ranks a tenant's passages by cosine similarity.
func (s *search) near(ctx context.Context) ([]hit, error) {
	request := s.request()
	request.NearVector = &pb.NearVector{VectorBytes: packed(s.query.Vector)}
	request.Metadata.Distance = true
	return s.ranked(ctx, request, func(m *pb.MetadataResult) float64 { return 1 - float64(m.GetDistance()) })
}

func (s *search) request() *pb.SearchRequest {
	var filters []*pb.Filters
	if documents := s.query.Filter.Documents; len(documents) > 0 {
		filters = append(filters, isOneOf(propKey, keys(documents, func(id string) string { return key(s.tenant, id) })))
	}
	if sources := s.query.Filter.Sources; len(sources) > 0 {
		filters = append(filters, isOneOf(propSource, keys(sources, sourceKey)))
	}
	return &pb.SearchRequest{
		Collection: s.names.alias(), Tenant: s.tenant, Limit: uint32(s.fetch), Filters: both(filters...),
		Properties: returning(propPassage, propDocument, propKey, propRevision),
		Metadata:   &pb.MetadataRequest{},
	}
}

func keys(ids []string, key func(string) string) []string {
	made := make([]string, len(ids))
	for i, id := range ids {
		made[i] = key(id)
	}
	return made
}

// ranked sends a request and orders its results.
func (s *search) ranked(ctx context.Context, request *pb.SearchRequest, score func(*pb.MetadataResult) float64) ([]hit, error) {
	found, err := s.server.search(ctx, request)
	if err != nil {
		return nil, err
	}
	hits := make([]hit, len(found))
	for i, result := range found {
		id, err := strconv.ParseInt(textOf(result, propPassage), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("weaviate: an object without the ID of a passage: %w", err)
		}
		hits[i] = hit{
			Hit:        retrieval.Hit{PassageID: id, DocumentID: textOf(result, propDocument), Score: score(result.GetMetadata())},
			collection: result.GetProperties().GetTargetCollection(),
			document:   textOf(result, propKey),
			revision:   textOf(result, propRevision),
			terms:      textOf(result, propTerms),
			vector:     result.GetMetadata().GetVectorBytes(),
		}
	}
	rank(hits)
	return hits, nil
}

// rounding is how far scores may be apart that are equal: the server adds the
// parts of a score in any order and rounds the sum to 24 bits.
const rounding = 3e-7

// rank orders hits by score, and equal scores by passage.
func rank(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) })
	for i := 1; i < len(hits); i++ {
		if best := hits[i-1].Score; best-hits[i].Score <= rounding*max(best, -best) {
			hits[i].Score = best
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.PassageID, b.PassageID))
	})
}
