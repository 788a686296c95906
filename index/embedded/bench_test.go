package embedded

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/core/retrieval"
)

// needsFull skips benchmarks that take minutes, unless PARLEY_BENCH is "full".
func needsFull(b *testing.B) {
	b.Helper()
	if os.Getenv("PARLEY_BENCH") != "full" {
		b.Skip("set PARLEY_BENCH=full to run this benchmark")
	}
}

// corpus makes passages of 150 words with the word frequencies of a natural language, and
// vectors around 500 centers.
type corpus struct {
	random    *rand.Rand
	words     *rand.Zipf
	dimension int
	centers   [][]float32
	next      int64
}

func newCorpus(seed uint64, dimension int) *corpus {
	random := rand.New(rand.NewPCG(1, seed))
	c := &corpus{random: random, words: rand.NewZipf(random, 1.1, 10, 30_000), dimension: dimension, next: 1}
	for range 500 {
		c.centers = append(c.centers, c.around(nil, 1))
	}
	return c
}

func (c *corpus) around(center []float32, spread float32) []float32 {
	vector, sum := make([]float32, c.dimension), float32(0)
	for i := range vector {
		vector[i] = spread * (c.random.Float32() + c.random.Float32() - 1)
		if center != nil {
			vector[i] += center[i]
		}
		sum += vector[i] * vector[i]
	}
	return scaled(vector, sum)
}

func (c *corpus) entries(document string, n int) []retrieval.Entry {
	entries := make([]retrieval.Entry, n)
	for i := range entries {
		entries[i] = retrieval.Entry{PassageID: c.next, DocumentID: document, Terms: make([]string, 150)}
		c.next++
		for j := range entries[i].Terms {
			entries[i].Terms[j] = fmt.Sprint("word", c.words.Uint64())
		}
		if c.dimension > 0 {
			entries[i].Vector = c.around(c.centers[c.random.IntN(len(c.centers))], 0.1)
		}
	}
	return entries
}

// fill gives a chatbot n passages, 20 to a document.
func (c *corpus) fill(b testing.TB, index *Index, chatbot, n int) {
	b.Helper()
	for i := 0; i < n; i += 20 {
		replace(b, index, chatbot, fmt.Sprint("doc_", i), c.entries("", min(20, n-i)))
	}
}

// replace replaces the entries of a document.
func replace(b testing.TB, index *Index, chatbot int, document string, entries []retrieval.Entry) bool {
	b.Helper()
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].DocumentID = document
	}
	err := index.Replace(context.Background(), scope(chatbot), document, entries)
	if err != nil {
		b.Error(err)
	}
	return err == nil
}

// query has from 10 to 40 terms, as common as they are in passages.
func (c *corpus) query() retrieval.IndexQuery {
	query := retrieval.IndexQuery{Limit: 100, OccurrencesOf: 50}
	want := 10 + c.random.IntN(31)
	for len(query.Terms) < want {
		term := retrieval.Term{Text: fmt.Sprint("word", c.words.Uint64()), Weight: 1 + c.random.IntN(10)}
		if !slices.ContainsFunc(query.Terms, func(t retrieval.Term) bool { return t.Text == term.Text }) {
			query.Terms = append(query.Terms, term)
		}
	}
	if c.dimension > 0 {
		query.Vector = c.around(c.centers[c.random.IntN(len(c.centers))], 0.1)
	}
	return query
}

// measure searches with many queries, and reports the median and the 99th
// percentile.
func measure(b *testing.B, c *corpus, search func(query retrieval.IndexQuery)) {
	b.Helper()
	queries := make([]retrieval.IndexQuery, 200)
	for i := range queries {
		queries[i] = c.query()
	}
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		search(queries[len(times)%len(queries)])
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

func searching(b *testing.B, index *Index, chatbot func() int) func(query retrieval.IndexQuery) {
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	return func(query retrieval.IndexQuery) {
		hits, err := index.Search(ctx, scope(chatbot()), query)
		if err != nil || len(hits.Lexical) == 0 {
			b.Fatalf("%d hits, %v", len(hits.Lexical), err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{40, 1000, 100_000} {
		for _, dimension := range []int{0, 256} {
			b.Run(fmt.Sprintf("passages=%d/dimension=%d", n, dimension), func(b *testing.B) {
				if n > 1000 {
					needsFull(b)
				}
				index, c := openNew(b), newCorpus(1, dimension)
				c.fill(b, index, 1, n)
				settle(b, index)
				search := searching(b, index, func() int { return 1 })
				search(c.query())
				b.Run("quiet", func(b *testing.B) { measure(b, c, search) })
				b.Run("another is indexed", func(b *testing.B) {
					stop := indexing(b, index, dimension)
					defer stop()
					measure(b, c, search)
				})
			})
		}
	}
}

// indexing indexes another chatbot until the function it returns is called.
func indexing(b *testing.B, index *Index, dimension int) (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		c := newCorpus(2, dimension)
		c.next = 1 << 40
		ready := c.entries("", 2000)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			if !replace(b, index, 2, fmt.Sprint("doc_", n), ready[n%100*20:n%100*20+20]) {
				return
			}
		}
	})
	return func() { close(done); group.Wait() }
}

func BenchmarkReplace(b *testing.B) {
	for _, dimension := range []int{0, 256} {
		b.Run(fmt.Sprintf("dimension=%d", dimension), func(b *testing.B) {
			index, c := openNew(b), newCorpus(1, dimension)
			ready := c.entries("", 2000)
			n := 0
			for b.Loop() {
				replace(b, index, 1, fmt.Sprint("doc_", n), ready[n%100*20:n%100*20+20])
				n++
			}
			b.ReportMetric(float64(20*n)/b.Elapsed().Seconds(), "passages/s")
		})
	}
}

func BenchmarkColdLoad(b *testing.B) {
	index, c := openNew(b), newCorpus(1, 256)
	c.fill(b, index, 1, 1000)
	settle(b, index)
	search := searching(b, index, func() int { index.states.cache.clear(); return 1 })
	measure(b, c, search)
}

// BenchmarkManyChatbots searches a thousand chatbots, first one after the other in
// an order that defeats caches, and then some of them more often.
func BenchmarkManyChatbots(b *testing.B) {
	needsFull(b)
	index, c := openNew(b), newCorpus(1, 256)
	ready := c.entries("", 1000)
	for chatbot := range 1000 {
		for at := 0; at < len(ready); at += 200 {
			replace(b, index, chatbot, fmt.Sprint("doc_", at), ready[at:at+200])
		}
	}
	settle(b, index)
	random := rand.New(rand.NewPCG(9, 9))
	often := rand.NewZipf(random, 1.1, 5, 999)
	for name, next := range map[string]func() int{
		"any":        func() int { return random.IntN(1000) },
		"some often": func() int { return int(often.Uint64()) },
	} {
		b.Run(name, func(b *testing.B) {
			stop := indexing(b, index, 256)
			defer stop()
			measure(b, c, searching(b, index, next))
			b.ReportMetric(float64(index.states.cache.used>>20), "MiB")
		})
	}
	info, err := os.Stat(filepath.Clean(index.path))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("the file has %d MiB", info.Size()>>20)
}

func scaled(vector []float32, squares float32) []float32 {
	length := float32(math.Sqrt(float64(squares)))
	for i := range vector {
		vector[i] /= max(length, 1e-9)
	}
	return vector
}
