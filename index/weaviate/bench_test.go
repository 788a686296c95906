package weaviate_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"parley/core/retrieval"
	"parley/index/weaviate"
	"parley/internal/weaviatetest"
)

// sizeVariable names the variable with the number of passages: 2,000 unless set.
//
//	PARLEY_BENCH_PASSAGES=100000 scripts/with-weaviate.sh go test ./index/weaviate -run '^$' -bench .
const sizeVariable = "PARLEY_BENCH_PASSAGES"

const (
	perDocument = 20
	minWords    = 40
	maxWords    = 120
	loaders     = 4
	// What core/knowledge requests, with the vectors of the built-in embedder.
	dimension  = 128
	hitsWanted = 100
)

// corpus makes documents and questions with the word frequencies of a natural language.
type corpus struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newCorpus(seed uint64) *corpus {
	random := rand.New(rand.NewPCG(seed, 1))
	return &corpus{random, rand.NewZipf(random, 1.1, 8, 50_000)}
}

func (c *corpus) terms(n int) []string {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = "word" + strconv.FormatUint(c.zipf.Uint64(), 36)
	}
	return terms
}

func (c *corpus) vector() []float32 {
	vector, sum := make([]float32, dimension), 0.0
	for i := range vector {
		vector[i] = float32(c.random.NormFloat64())
		sum += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(sum))
	}
	return vector
}

func (c *corpus) document(number int, vectors bool) (string, []retrieval.Entry) {
	document := fmt.Sprint("doc_", number)
	entries := make([]retrieval.Entry, perDocument)
	for i := range entries {
		entries[i] = retrieval.Entry{PassageID: int64(number*perDocument + i + 1), DocumentID: document, Terms: c.terms(minWords + c.random.IntN(maxWords-minWords))}
		if vectors {
			entries[i].Vector = c.vector()
		}
	}
	return document, entries
}

func (c *corpus) question() (terms []retrieval.Term) {
	for _, term := range c.terms(6) {
		if !slices.ContainsFunc(terms, func(t retrieval.Term) bool { return t.Text == term }) {
			terms = append(terms, retrieval.Term{Text: term, Weight: 1})
		}
	}
	return terms
}

// load replaces all documents, several at once.
func load(ctx context.Context, passages int, vectors bool, replace func(ctx context.Context, document string, entries []retrieval.Entry) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for loader := range loaders {
		group.Go(func() error {
			source := newCorpus(uint64(loader))
			for number := loader; number < passages/perDocument; number += loaders {
				document, entries := source.document(number, vectors)
				if err := replace(ctx, document, entries); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// rate measures a load.
func rate(b *testing.B, passages int, load func() error) {
	count := 0
	for b.Loop() {
		if err := load(); err != nil {
			b.Fatal(err)
		}
		count += passages
	}
	b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "passages/s")
}

func benchSize(b *testing.B) int {
	text := os.Getenv(sizeVariable)
	if text == "" {
		return 2_000
	}
	passages, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("%s: %v", sizeVariable, err)
	}
	return passages
}

func BenchmarkReplace(b *testing.B) {
	server := weaviatetest.New(b)
	for name, vectors := range map[string]bool{"words": false, "words and vectors": true} {
		index := open(b, server, server.Prefix(b))
		b.Run(name, func(b *testing.B) {
			rate(b, 2_000, func() error {
				return load(b.Context(), 2_000, vectors, func(ctx context.Context, document string, entries []retrieval.Entry) error {
					return index.Replace(ctx, home, document, entries)
				})
			})
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	passages := benchSize(b)
	server := weaviatetest.New(b)
	prefix := server.Prefix(b)
	index := open(b, server, prefix)
	b.Run("rebuild", func(b *testing.B) {
		rate(b, passages, func() error {
			return index.Rebuild(b.Context(), "new", func(ctx context.Context, into retrieval.Filler) error {
				return load(ctx, passages, true, func(ctx context.Context, document string, entries []retrieval.Entry) error {
					return into.Replace(ctx, home, document, entries)
				})
			})
		})
	})

	raw := newRaw(b, server, prefix)
	for _, c := range []struct {
		name         string
		terms, near  bool
		occurrences  int
		onlyByParley bool
	}{
		{"words", true, false, 0, false},
		{"vector", false, true, 0, false},
		{"both", true, true, 0, false},
		{"both with occurrences", true, true, hitsWanted, true},
	} {
		query := func(source *corpus) retrieval.IndexQuery {
			made := retrieval.IndexQuery{Limit: hitsWanted, OccurrencesOf: c.occurrences}
			if c.terms {
				made.Terms = source.question()
			}
			if c.near {
				made.Vector = source.vector()
			}
			return made
		}
		b.Run(c.name+"/parley", func(b *testing.B) {
			measure(b, query, func(ctx context.Context, query retrieval.IndexQuery) error { return find(ctx, index, query) })
		})
		if !c.onlyByParley {
			b.Run(c.name+"/raw", func(b *testing.B) { measure(b, query, raw.find) })
		}
		if c.terms && c.near {
			b.Run(c.name+"/hybrid", func(b *testing.B) { measure(b, query, raw.hybrid) })
		}
	}
}

func find(ctx context.Context, index *weaviate.Index, query retrieval.IndexQuery) error {
	_, err := index.Search(ctx, home, query)
	return err
}

// measure reports the median and the 99th percentile.
func measure(b *testing.B, query func(*corpus) retrieval.IndexQuery, search func(context.Context, retrieval.IndexQuery) error) {
	source := newCorpus(99)
	var times []time.Duration
	for b.Loop() {
		asked := query(source)
		began := time.Now()
		if err := search(b.Context(), asked); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	slices.SortFunc(times, cmp.Compare)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(times[len(times)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}

// raw is the baseline: the generated client, sending the same queries to the same
// collection one after the other.
type raw struct {
	client             pb.WeaviateClient
	key, alias, tenant string
}

func newRaw(b testing.TB, server weaviatetest.Server, prefix string) raw {
	b.Helper()
	connection, err := grpc.NewClient(server.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { connection.Close() })
	made := raw{client: pb.NewWeaviateClient(connection), key: server.Key, alias: prefix + "Passage"}
	for _, collection := range server.Collections(b) {
		if strings.HasPrefix(collection, made.alias) {
			for made.tenant = range server.Tenants(b, collection) {
				break
			}
		}
	}
	return made
}

// hybrid is the server's own join of both rankings, in one call.
func (r raw) hybrid(ctx context.Context, query retrieval.IndexQuery) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+r.key)
	request := r.request(query)
	request.HybridSearch = &pb.Hybrid{
		Query: r.text(query), Properties: []string{"terms"}, Alpha: 0.5, VectorBytes: r.vector(query), FusionType: pb.Hybrid_FUSION_TYPE_RELATIVE_SCORE,
	}
	_, err := r.client.Search(ctx, request)
	return err
}

func (r raw) request(query retrieval.IndexQuery) *pb.SearchRequest {
	return &pb.SearchRequest{
		Collection: r.alias, Tenant: r.tenant, Limit: uint32(query.Limit), Uses_127Api: true,
		Properties: &pb.PropertiesRequest{NonRefProperties: []string{"passageId", "documentId"}},
		Metadata:   &pb.MetadataRequest{Score: true, Distance: true},
	}
}

func (r raw) text(query retrieval.IndexQuery) string {
	var text []string
	for _, term := range query.Terms {
		text = append(text, term.Text)
	}
	return strings.Join(text, " ")
}

func (r raw) vector(query retrieval.IndexQuery) (vector []byte) {
	for _, v := range query.Vector {
		vector = binary.LittleEndian.AppendUint32(vector, math.Float32bits(v))
	}
	return vector
}

func (r raw) find(ctx context.Context, query retrieval.IndexQuery) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+r.key)
	var requests []*pb.SearchRequest
	if len(query.Terms) > 0 {
		words := r.request(query)
		words.Bm25Search = &pb.BM25{Query: r.text(query), Properties: []string{"terms"}}
		requests = append(requests, words)
	}
	if len(query.Vector) > 0 {
		near := r.request(query)
		near.NearVector = &pb.NearVector{VectorBytes: r.vector(query)}
		requests = append(requests, near)
	}
	for _, request := range requests {
		if _, err := r.client.Search(ctx, request); err != nil {
			return err
		}
	}
	return nil
}
