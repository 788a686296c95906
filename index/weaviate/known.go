package weaviate

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// Each change of a tenant's documents writes a stamp, an object with a random
// text, after the heads and before it deletes passages. So a head that this
// process has read under a stamp is still believed while the server holds that
// stamp: the passages that the head names are complete. A search then reads one
// stamp rather than the head of each document that it found.

const (
	// believedFor bounds how long a head is believed, whatever the stamp: another
	// version of this program may write none.
	believedFor = time.Minute
	// believedHeads bounds how many heads a process keeps, of 300 bytes each.
	believedHeads = 100_000
)

// stampKey is the UUID of a tenant's stamp, which is among the heads.
func stampKey(tenant string) string {
	return uuid.NewSHA1(space, []byte("stamp\x00"+tenant)).String()
}

// writeStamp writes a new stamp of a tenant.
func (d *documents) writeStamp(ctx context.Context, collection, tenant string) error {
	return d.server.put(ctx, []*pb.BatchObject{object(stampKey(tenant), d.names.heads(collection), "", map[string]string{
		propScope: tenant, propRevision: rand.Text(),
	})})
}

// stamp reads the stamp of a tenant. It is empty until the first change.
func (s *server) stamp(ctx context.Context, heads, tenant string) (string, error) {
	found, err := s.search(ctx, &pb.SearchRequest{
		Collection: heads, Limit: 1, Filters: is(propID, stampKey(tenant)), Properties: returning(propRevision),
	})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return textOf(found[0], propRevision), nil
}

// known is a head that was read under a stamp.
type known struct {
	head
	stamp string
	// read is when the reading was done.
	read time.Time
}

// knownHeads are the heads that this process has read last, of all tenants.
type knownHeads struct {
	mutex sync.Mutex
	heads *simplelru.LRU[place, known]
}

func newKnownHeads() *knownHeads {
	heads, _ := simplelru.NewLRU[place, known](believedHeads, nil) // fails below one
	return &knownHeads{heads: heads}
}

// trusted puts the known heads into a map that a search begun at started may trust under a
// stamp. It returns the other documents.
func (k *knownHeads) trusted(into heads, collection string, documents []string, stamp string, started time.Time) (unknown []string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, document := range documents {
		at := place{collection, document}
		if now, ok := k.heads.Get(at); ok && now.stamp == stamp && now.read.Before(started) && started.Sub(now.read) < believedFor {
			into[at] = now
		} else {
			unknown = append(unknown, document)
		}
	}
	return unknown
}

// add remembers heads that were read.
func (k *knownHeads) add(read heads) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for at, head := range read {
		k.heads.Add(at, head)
	}
}
