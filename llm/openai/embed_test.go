package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

const (
	testDimension = 16
	notEmbedded   = "The embedding model of this server did not answer, and the operator of this server has been told."
)

// openEmbedder returns an embedder on the server with limits for slow machines.
func openEmbedder(t *testing.T, server *llmtest.Embeddings, change func(*Config)) *Embedder {
	t.Helper()
	config := Config{BaseURL: server.BaseURL(), APIKey: testKey, Model: "test-embedder", MaxRetryDelay: time.Millisecond}
	if change != nil {
		change(&config)
	}
	embedder, err := NewEmbedder(config, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(embedder.model.config.HTTPClient.CloseIdleConnections)
	return embedder
}

// numbered returns n different texts.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s %d", testPrompt, i)
	}
	return texts
}

// wantVectors fails unless the vectors belong to the texts and have length one.
func wantVectors(t *testing.T, got [][]float32, texts []string, dimension int) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors of %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		want, ok := normalize(llmtest.Direction(text, dimension))
		if !ok || !slices.Equal(got[i], want) {
			t.Errorf("vector %d is %v, want %v", i, got[i], want)
		}
		sum := 0.0
		for _, x := range got[i] {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("vector %d has length %v", i, math.Sqrt(sum))
		}
	}
}

func TestEmbedder(t *testing.T) {
	for _, n := range []int{0, 1, embedTexts, embedTexts + 1, 3*embedTexts - 1} {
		t.Run(fmt.Sprintf("%d texts get their vectors, in full batches", n), func(t *testing.T) {
			server := llmtest.NewEmbeddings(t, testDimension)
			texts := numbered(n)
			got, err := openEmbedder(t, server, nil).Passages(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			wantVectors(t, got, texts, testDimension)
			requests := server.Requests()
			if want := (n + embedTexts - 1) / embedTexts; len(requests) != want {
				t.Errorf("%d requests, want %d", len(requests), want)
			}
			var asked []string
			for i, request := range requests {
				if request.Model != "test-embedder" || request.Dimensions != 0 || request.Header.Get("Authorization") != "Bearer "+testKey {
					t.Errorf("request %d asks %q for dimension %d", i, request.Model, request.Dimensions)
				}
				asked = append(asked, request.Input...)
			}
			if !slices.Equal(asked, texts) {
				t.Errorf("%d texts were sent, or not in their order", len(asked))
			}
		})
	}
	t.Run("vectors that arrive in another order are sorted", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, testDimension)
		server.Always(llmtest.EmbeddingReply{Backwards: true})
		texts := numbered(embedTexts + 3)
		got, err := openEmbedder(t, server, nil).Passages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, texts, testDimension)
	})
	t.Run("a question has the vector of its text", func(t *testing.T) {
		got, err := openEmbedder(t, llmtest.NewEmbeddings(t, testDimension), nil).Questions(t.Context(), []string{testPrompt})
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, []string{testPrompt}, testDimension)
	})
	t.Run("a dimension is requested, and is part of the name", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, testDimension)
		embedder, err := NewEmbedder(Config{BaseURL: server.BaseURL(), Model: "m"}, 4)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(embedder.model.config.HTTPClient.CloseIdleConnections)
		got, err := embedder.Passages(t.Context(), numbered(2))
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, numbered(2), 4)
		if embedder.Name() != "m/4" || !embedder.Costly() {
			t.Errorf("its name is %s", embedder.Name())
		}
	})
	for _, dimension := range []int{-1, 8193} {
		t.Run(fmt.Sprintf("a dimension of %d is refused", dimension), func(t *testing.T) {
			if _, err := NewEmbedder(Config{BaseURL: "http://model.test/v1", Model: "m"}, dimension); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}

// body returns a response with these items.
func body(items string) llmtest.EmbeddingReply {
	return llmtest.EmbeddingReply{Reply: llmtest.Reply{Raw: []string{`{"object":"list","data":[` + items + `]}`}}}
}

func refused(status int, after string) llmtest.EmbeddingReply {
	return llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: status, RetryAfter: after, ErrorBody: echo}}
}

func TestEmbedderFails(t *testing.T) {
	const first = `{"index":0,"embedding":[1,0]},`
	for name, c := range map[string]struct {
		reply    llmtest.EmbeddingReply
		requests int
	}{
		"too few vectors are a failure":                       {llmtest.EmbeddingReply{Vectors: [][]float32{{1, 0}}}, 1},
		"too many vectors are a failure":                      {llmtest.EmbeddingReply{Vectors: [][]float32{{1, 0}, {1, 0}, {1, 0}}}, 1},
		"no vectors are a failure":                            {llmtest.EmbeddingReply{Vectors: [][]float32{}}, 1},
		"an empty vector is a failure":                        {llmtest.EmbeddingReply{Vectors: [][]float32{{1, 0}, {}}}, 1},
		"vectors of two dimensions are a failure":             {llmtest.EmbeddingReply{Vectors: [][]float32{{1, 0}, {1, 0, 0}}}, 1},
		"a vector of zeros is a failure":                      {llmtest.EmbeddingReply{Vectors: [][]float32{{1, 0}, {0, 0}}}, 1},
		"a number that is NaN is a failure":                   {body(first + `{"index":1,"embedding":[NaN,1]}`), 1},
		"a number that is too large is a failure":             {body(first + `{"index":1,"embedding":[1e39,1]}`), 1},
		"a missing vector is a failure":                       {body(first + `{"index":1,"embedding":null}`), 1},
		"two vectors for one text are a failure":              {body(first + `{"index":0,"embedding":[1,0]}`), 1},
		"a vector for an unknown text is a failure":           {body(first + `{"index":2,"embedding":[1,0]}`), 1},
		"a text before the first is a failure":                {body(first + `{"index":-1,"embedding":[1,0]}`), 1},
		"an answer that is not JSON is a failure":             {llmtest.EmbeddingReply{Reply: llmtest.Reply{Raw: []string{"<html>" + testPrompt}}}, 1},
		"an answer of brackets is a failure":                  {body(strings.Repeat("[", 8<<20)), 1},
		"a vector of brackets is a failure":                   {body(first + `{"index":1,"embedding":` + strings.Repeat("[", 8<<20)), 1},
		"a refusal of brackets is refused at once":            {llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 400, ErrorBody: strings.Repeat("[", 8<<20)}}, 1},
		"a truncated answer is a failure":                     {llmtest.EmbeddingReply{Reply: llmtest.Reply{CutAfter: 40}}, 1},
		"an endless answer is a failure":                      {body(first + `{"index":1,"embedding":[` + strings.Repeat("0.5,", maxEmbeddings/4) + `1]}`), 1},
		"a wrong request is refused at once":                  {refused(400, ""), 1},
		"a wrong key is refused at once":                      {refused(401, ""), 1},
		"a failing server is called three times":              {refused(500, ""), 3},
		"an unavailable server is called three times":         {refused(503, "0"), 3},
		"a busy server is called three times":                 {refused(429, ""), 3},
		"a busy server that names a long wait is not":         {refused(429, "60"), 1},
		"a redirect is not followed":                          {refused(302, ""), 1},
		"a success without an answer is a failure":            {refused(204, ""), 1},
		"a vector that is not a list of numbers is a failure": {body(first + `{"index":1,"embedding":"AAAAAA=="}`), 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewEmbeddings(t, 2)
			server.Always(c.reply)
			got, err := openEmbedder(t, server, nil).Passages(t.Context(), numbered(2))
			upstreamtest.WantFault(t, err, notEmbedded)
			if got != nil {
				t.Errorf("with the failure comes %v", got)
			}
			if n := len(server.Requests()); n != c.requests {
				t.Errorf("%d requests were sent, want %d", n, c.requests)
			}
		})
	}
	t.Run("if a later batch fails, all fail", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, 2)
		server.Next(llmtest.EmbeddingReply{}, refused(400, ""))
		got, err := openEmbedder(t, server, nil).Passages(t.Context(), numbered(embedTexts+1))
		upstreamtest.WantFault(t, err, notEmbedded)
		if got != nil {
			t.Errorf("with the failure come %d vectors", len(got))
		}
	})
	t.Run("a server that recovers within the retries gives its vectors", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, testDimension)
		server.Next(refused(503, ""), refused(429, "0"))
		got, err := openEmbedder(t, server, nil).Passages(t.Context(), numbered(2))
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, numbered(2), testDimension)
	})
	t.Run("the fault says when to try again", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, 2)
		server.Always(refused(429, "60"))
		_, err := openEmbedder(t, server, nil).Passages(t.Context(), numbered(1))
		if found := upstreamtest.WantFault(t, err, notEmbedded); found.RetryAfter != time.Minute {
			t.Errorf("RetryAfter = %v", found.RetryAfter)
		}
	})
	t.Run("an unreachable server is a fault", func(t *testing.T) {
		embedder := openEmbedder(t, llmtest.NewEmbeddings(t, 2), func(c *Config) { c.BaseURL = "http://user:" + testKey + "@127.0.0.1:1/v1" })
		_, err := embedder.Passages(t.Context(), numbered(1))
		upstreamtest.WantFault(t, err, notEmbedded)
	})
}

func TestEmbedderTimeout(t *testing.T) {
	t.Run("vectors that never come are a failure", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, 2)
		server.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Hold: llmtest.NewGate()}})
		_, err := openEmbedder(t, server, func(c *Config) { c.Timeout = 50 * time.Millisecond }).Passages(t.Context(), numbered(1))
		upstreamtest.WantFault(t, err, notEmbedded)
	})
	t.Run("a caller who goes away gets the error of the context", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, 2)
		gate := llmtest.NewGate()
		server.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Hold: gate}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-gate.Reached()
			cancel()
		}()
		if _, err := openEmbedder(t, server, nil).Passages(ctx, numbered(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want %v", err, context.Canceled)
		}
	})
}
