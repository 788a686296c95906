package anthropic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/llm/upstream"
)

// TestHostileStream sends what no server should send, and reads it in pieces
// of any size.
func TestHostileStream(t *testing.T) {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{
			`event: content_block_delta`, `: comment`, ``, `data:`, `data: {}`, `data: null`, `data: {"type":"ping"}`,
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":7,"name":"f","input":[]}}`,
			`data: {"type":"content_block_start","index":-1,"content_block":{"type":"tool_use","name":"f"}}`,
			`data: {"type":"content_block_delta","index":1e300,"delta":{"partial_json":"{"}}`,
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a` + "\xf0\x9f" + `"}}`,
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d"}}`,
			`data: {"type":"content_block_delta","index":0,"delta":{"text":{"text":"x"}}}`,
			`data: {"type":"content_block_delta","index":0,"delta":[1,2]}`,
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":-1}}`,
			`data: {"type":"message_delta","usage":{"input_tokens":1e308,"output_tokens":"7"}}`,
			`data: {"type":"message_stop"}`, `data: {"type":"error"}`,
		}),
		rapid.String(),
	)
	rapid.Check(t, func(rt *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(rt, "lines"), "\n")
		call := upstream.Begin(t.Context(), upstream.Limits{}.Complete())
		defer call.End()
		var text strings.Builder
		emit := func(piece string) error {
			if piece == "" || !utf8.ValidString(piece) {
				rt.Fatalf("emitted %q", piece)
			}
			text.WriteString(piece)
			return nil
		}
		a := &decoder{call: call, text: upstream.Text{Call: call, Emit: emit}, mayCall: rapid.Bool().Draw(rt, "tools")}
		err := a.read(strings.NewReader(stream))
		calls := a.calls.found(0)
		if text.String() != a.text.String() || err == nil && text.Len() == 0 && len(calls) == 0 {
			rt.Fatalf("emitted %q of %q with %v and %v", text.String(), a.text.String(), calls, err)
		}
		for _, found := range calls {
			if !a.mayCall || found.ID == "" || found.Name == "" || !utf8.ValidString(found.Arguments) {
				rt.Fatalf("call = %+v", found)
			}
		}
		if said := a.reported; said.prompt < 0 || said.completion < 0 || said.prompt > 3*maxReportedTokens {
			rt.Fatalf("usage = %+v", said)
		}
	})
}
