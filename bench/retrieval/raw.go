package retrieval

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// rawHits is what the product asks an index for.
const rawHits = 100

// raw is the yardstick of Parley on Weaviate: the generated client, asked for
// one list of hits of the same collection. It reads no document's head and no
// places of words, and its scores are Weaviate's.
type raw struct {
	client  pb.WeaviateClient
	server  Server
	alias   string
	tenants map[string]string // by the chatbot's ID
}

// openRaw opens the raw clients on Parley's collections.
func (b *bench) openRaw(ctx context.Context, of *system) ([]*system, error) {
	connection, err := grpc.NewClient(b.Server.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	r := &raw{client: pb.NewWeaviateClient(connection), server: b.Server, alias: b.prefix + "Passage"}
	if err := r.findTenants(ctx); err != nil {
		_ = connection.Close()
		return nil, fmt.Errorf("list the tenants of %s: %w", r.alias, err)
	}
	words, meanings, hybrid := *of, *of, *of
	words.name, words.ask, words.close = RawWords, r.words, connection.Close
	meanings.name, meanings.ask, meanings.close = RawMeanings, r.meanings, func() error { return nil }
	hybrid.name, hybrid.ask, hybrid.close = RawHybrid, r.hybrid, meanings.close
	return []*system{&words, &meanings, &hybrid}, nil
}

func (r *raw) context(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+r.server.Key)
}

// findTenants learns the tenants' names, which begin with the chatbot's ID.
func (r *raw) findTenants(ctx context.Context) error {
	collection, err := r.collection(ctx)
	if err != nil {
		return err
	}
	reply, err := r.client.TenantsGet(r.context(ctx), &pb.TenantsGetRequest{Collection: collection})
	if err != nil {
		return err
	}
	r.tenants = map[string]string{}
	for _, tenant := range reply.GetTenants() {
		name := tenant.GetName()
		r.tenants[name[:max(0, strings.LastIndexByte(name, '-'))]] = name
	}
	return nil
}

// collection asks what the alias stands for: tenants are listed of a
// collection only.
func (r *raw) collection(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.server.URL+"/v1/aliases/"+r.alias, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+r.server.Key)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	var alias struct{ Class string }
	err = json.NewDecoder(io.LimitReader(reply.Body, 64<<10)).Decode(&alias)
	if err == nil && alias.Class == "" {
		err = fmt.Errorf("the server answered with status %d", reply.StatusCode)
	}
	return alias.Class, err
}

func (r *raw) words(ctx context.Context, chatbot int, q question) (int, error) {
	request := r.request(chatbot)
	request.Bm25Search = &pb.BM25{Query: strings.Join(q.terms, " "), Properties: []string{"terms"}}
	return r.search(ctx, request)
}

func (r *raw) meanings(ctx context.Context, chatbot int, q question) (int, error) {
	request := r.request(chatbot)
	request.NearVector = &pb.NearVector{VectorBytes: packed(q.vector)}
	return r.search(ctx, request)
}

// hybrid lets the server ask for both lists and join them.
func (r *raw) hybrid(ctx context.Context, chatbot int, q question) (int, error) {
	request := r.request(chatbot)
	request.HybridSearch = &pb.Hybrid{
		Query: strings.Join(q.terms, " "), Properties: []string{"terms"}, VectorBytes: packed(q.vector),
		Alpha: 0.5, FusionType: pb.Hybrid_FUSION_TYPE_RELATIVE_SCORE,
	}
	return r.search(ctx, request)
}

func packed(vector []float32) (bytes []byte) {
	for _, v := range vector {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
	}
	return bytes
}

func (r *raw) request(chatbot int) *pb.SearchRequest {
	return &pb.SearchRequest{
		Collection: r.alias, Tenant: r.tenants[chatbotID(chatbot)], Limit: rawHits, Uses_127Api: true,
		Properties: &pb.PropertiesRequest{NonRefProperties: []string{"passageId", "documentId"}},
		Metadata:   &pb.MetadataRequest{Score: true, Distance: true},
	}
}

func (r *raw) search(ctx context.Context, request *pb.SearchRequest) (int, error) {
	reply, err := r.client.Search(r.context(ctx), request)
	return len(reply.GetResults()), err
}
