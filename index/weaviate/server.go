package weaviate

import (
	"context"
	"crypto/tls"
	"net/http"
	"runtime"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/connection"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/schema"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"parley/index/weaviate/nodes"
)

const (
	// readTime bounds one read, changeTime one change of objects, and schemaTime
	// one change of collections and tenants, on which all nodes of a cluster
	// must agree.
	readTime   = 5 * time.Second
	changeTime = time.Minute
	schemaTime = time.Minute
	// clusterDeleteTime bounds one deletion in a cluster; see [server.deleteTime].
	clusterDeleteTime = 20 * time.Second
)

// server is the connection to Weaviate or to the nodes of its cluster: gRPC for objects, REST for all else.
//
// It calls REST through the vendor's client, and gRPC through the generated code
// alone: the vendor's client for gRPC cannot search, cannot be closed, and does
// not verify certificates.
type server struct {
	http   *http.Client
	rest   *connection.Connection
	schema *schema.API
	nodes  *nodes.Nodes
	data   pb.WeaviateClient

	// idle closes the connections of the REST interface that are not in use.
	idle func()

	replicated bool
}

func dial(config Config) (*server, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 16
	s := &server{replicated: config.Replicas > 1}

	scheme, security := "http", insecure.NewCredentials()
	if config.addresses.Secure {
		scheme, security = "https", credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	headers, key := map[string]string{}, bearer(config.APIKey)
	if key != "" {
		headers["Authorization"] = key.header()
	}
	var err error
	s.nodes, err = nodes.Dial(config.addresses.Nodes, transport, scheme,
		grpc.WithTransportCredentials(security),
		grpc.WithPerRPCCredentials(key),
	)
	if err != nil {
		return nil, err
	}
	s.data = pb.NewWeaviateClient(s.nodes)
	s.http = &http.Client{Transport: s.nodes}
	s.rest = connection.NewConnection(scheme, config.addresses.Nodes[0].REST, s.http, schemaTime, headers)
	// The finalizer that the client sets waits forever for a reader of its
	// channel, and blocks all other finalizers of the program.
	runtime.SetFinalizer(s.rest, nil)
	s.schema = schema.New(s.rest)
	s.idle = transport.CloseIdleConnections
	return s, nil
}

func (s *server) close() error {
	err := s.nodes.Close()
	s.idle()
	return err
}

// read makes a call that changes nothing, and repeats it if that may help.
func (s *server) read(ctx context.Context, call func(context.Context) error) error {
	if s.nodes.Len() > 1 {
		return s.readAgain(ctx, call)
	}
	return retry(ctx, readTime, call)
}

// bearer is the API key that every call carries.
type bearer string

func (b bearer) header() string { return "Bearer " + string(b) }

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if b == "" {
		return nil, nil
	}
	return map[string]string{"authorization": b.header()}, nil
}

// RequireTransportSecurity allows keys on a private network without TLS.
func (b bearer) RequireTransportSecurity() bool { return false }
