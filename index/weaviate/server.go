package weaviate

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/connection"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/schema"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

const (
	// readTime bounds one read, changeTime one change of objects, and schemaTime
	// one change of collections and tenants, on which all nodes of a cluster
	// must agree.
	readTime   = 5 * time.Second
	changeTime = time.Minute
	schemaTime = time.Minute
	// connectTime bounds the time to connect, and the pause before the next
	// attempt to reach a server that was down.
	connectTime = 2 * time.Second
	// answerSize bounds the bytes that are read of one answer.
	answerSize = 256 << 20
)

// server is the connection to Weaviate: gRPC for objects, REST for all else.
//
// It calls REST through the vendor's client, and gRPC through the generated code
// alone: the vendor's client for gRPC cannot search, cannot be closed, and does
// not verify certificates.
type server struct {
	http   *http.Client
	rest   *connection.Connection
	schema *schema.API
	grpc   *grpc.ClientConn
	data   pb.WeaviateClient

	replicated bool
}

func dial(config Config) (*server, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 16
	s := &server{http: &http.Client{Transport: bounded{transport}}, replicated: config.Replicas > 1}

	scheme, security := "http", insecure.NewCredentials()
	if config.secure {
		scheme, security = "https", credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	headers, key := map[string]string{}, bearer(config.APIKey)
	if key != "" {
		headers["Authorization"] = key.header()
	}
	s.rest = connection.NewConnection(scheme, config.host, s.http, schemaTime, headers)
	// The finalizer that the client sets waits forever for a reader of its
	// channel, and blocks all other finalizers of the program.
	runtime.SetFinalizer(s.rest, nil)
	s.schema = schema.New(s.rest)

	pause := backoff.DefaultConfig
	pause.BaseDelay, pause.MaxDelay = 50*time.Millisecond, connectTime
	var err error
	s.grpc, err = grpc.NewClient("passthrough:///"+config.GRPC,
		grpc.WithTransportCredentials(security),
		grpc.WithPerRPCCredentials(key),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: pause, MinConnectTimeout: connectTime}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(answerSize)),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return nil, err
	}
	s.data = pb.NewWeaviateClient(s.grpc)
	return s, nil
}

func (s *server) close() error {
	s.http.CloseIdleConnections()
	return s.grpc.Close()
}

// repeat makes a call of the gRPC interface as [again] does.
func (s *server) repeat(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	return again(ctx, limit, func(ctx context.Context) error {
		err := call(ctx)
		if status.Code(err) == codes.Unavailable {
			// Otherwise the next attempt fails without a call until the
			// connection's own pause is over.
			s.grpc.ResetConnectBackoff()
		}
		return err
	})
}

// bearer is the API key that every call carries.
type bearer string

func (b bearer) header() string { return "Bearer " + string(b) }

// GetRequestMetadata is that of [credentials.PerRPCCredentials].
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if b == "" {
		return nil, nil
	}
	return map[string]string{"authorization": b.header()}, nil
}

// RequireTransportSecurity allows keys on a private network without TLS.
func (b bearer) RequireTransportSecurity() bool { return false }

// bounded bounds the size of answers: the vendor's client reads them to their end.
type bounded struct{ *http.Transport }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(request)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, answerSize), response.Body}
	}
	return response, err
}
