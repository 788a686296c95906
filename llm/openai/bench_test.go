package openai

import (
	"testing"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

func BenchmarkGenerate(b *testing.B) {
	server := llmtest.NewServer(b, llmtest.Reply{Pieces: upstreamtest.Fill(50, 6)})
	model, err := New(Config{BaseURL: server.BaseURL(), Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := generate(b.Context(), model); err != nil {
			b.Fatal(err)
		}
	}
}
