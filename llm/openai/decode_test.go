package openai

import (
	"encoding/json"
	"testing"
)

const sampleChunk = `{"id":"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWx","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" router"},"logprobs":null,"finish_reason":null}],"usage":null}`

type structChunk struct {
	Choices []struct {
		Delta struct {
			Content          string `json:"content"`
			ReasoningContent string `json:"reasoning_content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
	Error *struct{} `json:"error"`
}

func TestContentAsParts(t *testing.T) {
	for line, want := range map[string]string{
		`{"choices":[{"delta":{"content":[{"type":"text","text":"At "},{"type":"image_url","text":"x"},{"type":"output_text","text":"seven."}]}}]}`: "At seven.",
		`{"choices":[{"message":{"content":[{"type":"text","text":"At seven."}]},"finish_reason":"stop"}]}`:                                         "At seven.",
		`{"choices":[{"delta":{"content":[]}}]}`:                   "",
		`{"choices":[{"delta":{"content":{"text":"At seven."}}}]}`: "",
	} {
		if got, err := decodeChunk([]byte(line)); err != nil || got.text != want {
			t.Errorf("the text of %s is %q, %v", line, got.text, err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(sampleChunk)
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
	bench("encoding/json", func() error { var c structChunk; return json.Unmarshal(line, &c) })
	bench("decodeChunk", func() error { _, err := decodeChunk(line); return err })
}
