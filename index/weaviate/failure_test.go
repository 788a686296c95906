package weaviate_test

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
)

// fakeNode is a node at the network's edge, whose searches find nothing or fail.
type fakeNode struct {
	pb.UnimplementedWeaviateServer
	cluster *fakeCluster
	grpc    *grpc.Server
	rest    *httptest.Server
	address string
	asked   atomic.Int32
}

// fakeCluster is three such nodes.
type fakeCluster struct {
	nodes []*fakeNode
	// fail is how a node fails, and all whether each does, or only the one that is
	// asked first.
	fail func(ctx context.Context, n *fakeNode) error
	all  bool

	mutex sync.Mutex
	first *fakeNode
}

func (n *fakeNode) Search(ctx context.Context, _ *pb.SearchRequest) (*pb.SearchReply, error) {
	n.asked.Add(1)
	n.cluster.mutex.Lock()
	if n.cluster.first == nil {
		n.cluster.first = n
	}
	fails := n.cluster.all || n.cluster.first == n
	n.cluster.mutex.Unlock()
	if fails {
		return nil, n.cluster.fail(ctx, n)
	}
	return &pb.SearchReply{}, nil
}

// openFake opens an index on a cluster of fake nodes.
func openFake(t *testing.T, c *fakeCluster) *weaviate.Index {
	t.Helper()
	var urls, interfaces []string
	for range 3 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		n := &fakeNode{cluster: c, grpc: grpc.NewServer(), rest: httptest.NewServer(nil), address: listener.Addr().String()}
		pb.RegisterWeaviateServer(n.grpc, n)
		go func() { _ = n.grpc.Serve(listener) }()
		t.Cleanup(n.grpc.Stop)
		t.Cleanup(n.rest.Close)
		c.nodes = append(c.nodes, n)
		urls, interfaces = append(urls, n.rest.URL), append(interfaces, n.address)
	}
	index, err := weaviate.Open(t.Context(), weaviate.Config{URL: strings.Join(urls, ","), GRPC: strings.Join(interfaces, ","), APIKey: "key", Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}

func containsAny(code codes.Code, text string) func(context.Context, *fakeNode) error {
	return func(context.Context, *fakeNode) error { return status.Error(code, text) }
}

// dies ends the node in the middle of a call.
func dies(ctx context.Context, n *fakeNode) error {
	go n.grpc.Stop()
	<-ctx.Done()
	return ctx.Err()
}

func hangs(ctx context.Context, _ *fakeNode) error {
	<-ctx.Done()
	return ctx.Err()
}

// failures are the ways in which a node of a cluster fails to search. The texts are the
// server's own.
var failures = map[string]struct {
	fail func(context.Context, *fakeNode) error
	// kind is the fault's kind when all nodes fail so.
	kind fault.Kind
	// once says that then each node is asked once, and does not matter while one of
	// them answers.
	once bool
}{
	"it is gone":                                {containsAny(codes.Unavailable, "gone"), fault.Unavailable, false},
	"it dies in the middle of a call":           {dies, fault.Unavailable, false},
	"it cancels the call":                       {containsAny(codes.Canceled, "canceled"), fault.Unavailable, false},
	"it does not answer":                        {hangs, fault.Unavailable, false},
	"it has waited too long for another one":    {containsAny(codes.Unknown, "context deadline exceeded"), fault.Unavailable, false},
	"another one does not take connections":     {containsAny(codes.Unknown, `remote shard x: connect: Post "http://127.0.0.1:7100": dial tcp 127.0.0.1:7100: connect: connection refused`), fault.Unavailable, false},
	"another one has broken off":                {containsAny(codes.Unknown, "remote shard x: unexpected EOF"), fault.Unavailable, false},
	"it knows no leader":                        {containsAny(codes.Unknown, "leader not found, can not resolve nodes [node2]"), fault.Unavailable, false},
	"it has just lost the leadership":           {containsAny(codes.Unknown, "leadership lost while committing log"), fault.Unavailable, false},
	"it has not learned of the collection":      {containsAny(codes.Unknown, "could not find index for class Passage_1. It might have been deleted in the meantime"), fault.Unavailable, false},
	"it finds no replica":                       {containsAny(codes.Unknown, "no read replica found"), fault.Unavailable, false},
	"it is loading the tenant":                  {containsAny(codes.Unknown, "local tenant shard is not ready"), fault.Unavailable, false},
	"the tenant is being activated":             {containsAny(codes.Unknown, "tenant not active: 'x'"), fault.Unavailable, false},
	"it starts":                                 {containsAny(codes.Unknown, "store not open"), fault.Unavailable, false},
	"it stops":                                  {containsAny(codes.Unknown, "shard: already shutdown"), fault.Unavailable, false},
	"it is asked too often":                     {containsAny(codes.Unknown, "429 Too many requests"), fault.Unavailable, false},
	"its files are damaged, or something else":  {containsAny(codes.Unknown, "open segment: invalid checksum"), fault.Upstream, true},
	"it refuses the API key, as others also do": {containsAny(codes.Unauthenticated, "unauthorized"), fault.Upstream, false},
}

func search(ctx context.Context, index *weaviate.Index) error {
	_, err := index.Search(ctx, home, retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1})
	return err
}

func TestFailuresOfOneNode(t *testing.T) {
	t.Parallel()
	for name, failure := range failures {
		if strings.Contains(name, "as others also do") {
			continue
		}
		t.Run(name+": another one answers", func(t *testing.T) {
			t.Parallel()
			index := openFake(t, &fakeCluster{fail: failure.fail})
			if err := search(t.Context(), index); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFailuresOfAllNodes(t *testing.T) {
	t.Parallel()
	for name, failure := range failures {
		t.Run(name+", and so do the others", func(t *testing.T) {
			t.Parallel()
			c := &fakeCluster{fail: failure.fail, all: true}
			index := openFake(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			err := search(ctx, index)
			if !fault.Is(err, failure.kind) {
				t.Errorf("gave %v, want a fault of kind %d", err, failure.kind)
			}
			if told := fault.As(err).RetryAfter > 0; told != (failure.kind == fault.Unavailable) {
				t.Errorf("says to try again after %v", fault.As(err).RetryAfter)
			}
			for _, n := range c.nodes {
				if asked := n.asked.Load(); failure.once && asked != 1 {
					t.Errorf("a node was asked %d times", asked)
				}
			}
		})
	}
	t.Run("none takes connections", func(t *testing.T) {
		t.Parallel()
		c := &fakeCluster{}
		index := openFake(t, c)
		for _, n := range c.nodes {
			n.grpc.Stop()
		}
		if err := search(t.Context(), index); !fault.Is(err, fault.Unavailable) {
			t.Errorf("gave %v", err)
		}
	})
}
