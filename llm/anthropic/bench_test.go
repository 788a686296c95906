package anthropic

import (
	"testing"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

func BenchmarkGenerate(b *testing.B) {
	server := llmtest.NewAnthropic(b, llmtest.Reply{Pieces: upstreamtest.Fill(50, 6)})
	model := open(b, server, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := generate(b.Context(), model); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" router"}}`)
	bench := func(name string, decode func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	bench("decodeEvent", func() error { _, err := decodeEvent(line); return err })
}
