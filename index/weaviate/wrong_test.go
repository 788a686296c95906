package weaviate_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
)

// wrongServer takes every change, and holds nothing.
type wrongServer struct {
	pb.UnimplementedWeaviateServer
	tenants []string
}

func (wrongServer) Search(context.Context, *pb.SearchRequest) (*pb.SearchReply, error) {
	return &pb.SearchReply{}, nil
}

func (wrongServer) BatchObjects(context.Context, *pb.BatchObjectsRequest) (*pb.BatchObjectsReply, error) {
	return &pb.BatchObjectsReply{}, nil
}

func (wrongServer) BatchDelete(context.Context, *pb.BatchDeleteRequest) (*pb.BatchDeleteReply, error) {
	return &pb.BatchDeleteReply{}, nil
}

func (s wrongServer) TenantsGet(context.Context, *pb.TenantsGetRequest) (*pb.TenantsGetReply, error) {
	reply := &pb.TenantsGetReply{}
	for _, name := range s.tenants {
		reply.Tenants = append(reply.Tenants, &pb.Tenant{Name: name, ActivityStatus: pb.TenantActivityStatus_TENANT_ACTIVITY_STATUS_HOT})
	}
	return reply, nil
}

// counting answers each question for a number with this one.
func counting(number uint64) grpc.ServerOption {
	return grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(&emptypb.Empty{}); err != nil {
			return err
		}
		single := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), number)
		reply := &emptypb.Empty{}
		reply.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), single))
		return stream.SendMsg(reply)
	})
}

// openWrong opens an index on one server that answers so.
func openWrong(t *testing.T, number uint64, rest http.HandlerFunc) *weaviate.Index {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, pages := grpc.NewServer(counting(number)), httptest.NewServer(rest)
	pb.RegisterWeaviateServer(server, wrongServer{tenants: []string{weaviate.TenantOf(home)}})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Cleanup(pages.Close)
	index, err := weaviate.Open(t.Context(), weaviate.Config{URL: pages.URL, GRPC: listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}

func answers(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	}
}

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		number uint64
		rest   http.HandlerFunc
	}{
		"a page of HTML":      {1, answers("text/html", "<html><body>It works!</body></html>")},
		"an empty object":     {1, answers("application/json", "{}")},
		"an empty list":       {1, answers("application/json", "[]")},
		"nothing":             {1, answers("application/json", "")},
		"nothing in time":     {1, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"too small numbers":   {0, answers("application/json", `{"class":"Passage_1"}`)},
		"too large numbers":   {7, answers("application/json", `{"class":"Passage_1"}`)},
		"numbers of nonsense": {1 << 62, answers("application/json", `{"class":"Passage_1"}`)},
	} {
		t.Run("a server that answers "+name+" does not hold what it should, and takes no document", func(t *testing.T) {
			t.Parallel()
			index := openWrong(t, c.number, c.rest)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			if lacking, err := index.Lacking(ctx, []retrieval.Holding{{Scope: home, Documents: 1, Passages: 1}}); err == nil && !slices.Contains(lacking, home) {
				t.Error("it lacks nothing")
			}
			if missing, err := index.Missing(ctx, home, map[string]int{"doc": 1}); err == nil && !slices.Contains(missing, "doc") {
				t.Error("no document is missing")
			}
			if version, err := index.Version(ctx); err == nil && version != "" {
				t.Errorf("its version is %q", version)
			}
			if err := index.Fill(ctx, home, []retrieval.Content{{DocumentID: "doc", Entries: indextest.Entries("doc", 1, "apples")}}); err == nil {
				t.Error("it has taken a document")
			}
		})
	}
}
