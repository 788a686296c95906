package weaviate

import (
	"context"
	"strconv"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// skew is how far the clocks of two processes may be apart.
const skew = time.Minute

// head says which revision of a document is the current one.
type head struct {
	revision string
	at       time.Time
}

// heads has the heads of some documents, by collection and key.
type heads map[place]head

type place struct{ collection, document string }

// headsAtOnce bounds how many heads one call asks for.
const headsAtOnce = 1000

// heads reads the heads of the documents of all hits in the lists.
func (s *search) heads(ctx context.Context, lists ...[]hit) (heads, error) {
	wanted := map[string][]string{}
	seen, read := map[place]struct{}{}, heads{}
	for _, list := range lists {
		for _, h := range list {
			at := place{h.collection, h.document}
			if _, ok := seen[at]; !ok {
				seen[at] = struct{}{}
				wanted[h.collection] = append(wanted[h.collection], h.document)
			}
		}
	}
	for collection, documents := range wanted {
		for len(documents) > 0 {
			n := min(len(documents), headsAtOnce)
			if err := s.readHeads(ctx, read, collection, documents[:n]); err != nil {
				return nil, err
			}
			documents = documents[n:]
		}
	}
	return read, nil
}

func (s *search) readHeads(ctx context.Context, into heads, collection string, documents []string) error {
	found, err := s.server.search(ctx, &pb.SearchRequest{
		Collection: s.names.heads(collection), Limit: uint32(len(documents)), Filters: isOneOf(propID, documents),
		Properties: returning(propRevision, propAt), Metadata: &pb.MetadataRequest{Uuid: true},
	})
	for _, result := range found {
		at, _ := strconv.ParseInt(textOf(result, propAt), 10, 64)
		into[place{collection, result.GetMetadata().GetId()}] = head{textOf(result, propRevision), time.UnixMilli(at)}
	}
	return err
}

// settle reports whether a search, which began at started and found the hits,
// saw each document as its head says: the head must have been the same before
// the search began. A document without a head is not found, so its hits need
// none.
func (after heads) settle(found []hit, before heads, started time.Time) bool {
	for _, h := range found {
		at := place{h.collection, h.document}
		now, ok := after[at]
		if !ok || now.at.Add(skew).Before(started) {
			continue
		}
		if was, ok := before[at]; !ok || was != now {
			return false
		}
	}
	return true
}

// current returns the hits of current revisions.
func (after heads) current(found []hit) []hit {
	kept := make([]hit, 0, len(found))
	for _, h := range found {
		if after[place{h.collection, h.document}].revision == h.revision {
			kept = append(kept, h)
		}
	}
	return kept
}
