package weaviate

import (
	"context"
	"strconv"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// skew is how far the clocks of two processes may be apart.
const skew = time.Minute

// head says which revision of a document is the current one. It is zero for a document
// without a head.
type head struct {
	revision string
	at       time.Time
}

// heads has the heads of some documents, by collection and key.
type heads map[place]known

type place struct{ collection, document string }

// headsAtOnce bounds how many heads one call asks for.
const headsAtOnce = 1000

// heads returns the heads of the documents of all hits in the lists.
func (s *search) heads(ctx context.Context, started time.Time, lists ...[]hit) (heads, error) {
	wanted := map[string][]string{}
	seen, current := map[place]struct{}{}, heads{}
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
		stamp, err := s.server.stamp(ctx, s.names.heads(collection), s.tenant)
		if err != nil {
			return nil, err
		}
		documents = s.known.trusted(current, collection, documents, stamp, started)
		for len(documents) > 0 {
			n := min(len(documents), headsAtOnce)
			if err := s.readHeads(ctx, current, collection, documents[:n], stamp); err != nil {
				return nil, err
			}
			documents = documents[n:]
		}
	}
	return current, nil
}

func (s *search) readHeads(ctx context.Context, into heads, collection string, documents []string, stamp string) error {
	found, err := s.server.search(ctx, &pb.SearchRequest{
		Collection: s.names.heads(collection), Limit: uint32(len(documents)), Filters: isOneOf(propID, documents),
		Properties: returning(propRevision, propAt), Metadata: &pb.MetadataRequest{Uuid: true},
	})
	if err != nil {
		return err
	}
	read := make(map[string]head, len(found))
	for _, result := range found {
		at, _ := strconv.ParseInt(textOf(result, propAt), 10, 64)
		read[result.GetMetadata().GetId()] = head{textOf(result, propRevision), time.UnixMilli(at)}
	}
	now := time.Now()
	for _, document := range documents {
		into[place{collection, document}] = known{head: read[document], stamp: stamp, read: now}
	}
	s.known.add(into)
	return nil
}

// agree reports whether a search that began at started saw the document of each hit as its
// head says: the head must have been the same before
// the search began. A document without a head is not found, so its hits need
// none.
func (after heads) agree(found []hit, before heads, started time.Time) bool {
	for _, h := range found {
		at := place{h.collection, h.document}
		now := after[at]
		if now.revision == "" || now.read.Before(started) || now.at.Add(skew).Before(started) {
			continue
		}
		if was, ok := before[at]; !ok || was.head != now.head {
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
