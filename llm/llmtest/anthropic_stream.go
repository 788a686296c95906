package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// anthropicStream writes one streamed answer of an [Anthropic].
type anthropicStream struct {
	stream
	// blocks is how many content blocks have begun.
	blocks int
}

// send reports whether the whole answer was written.
func (s *anthropicStream) send() bool {
	if s.reply.CutAfter < 0 {
		_ = s.flush.Flush()
		cut()
	}
	if s.reply.Body != "" {
		return s.write(s.reply.Body)
	}
	return s.start() && s.thoughts() && s.texts() && s.tools() && s.rawEvents() && s.finish()
}

func (s *anthropicStream) start() bool {
	usage := ""
	if !s.reply.OmitUsage {
		usage = `,"usage":` + s.reply.anthropicUsageOf(1)
	}
	return s.event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"test-model",`+
		`"content":[],"stop_reason":null,"stop_sequence":null`+usage+`}`)
}

func (s *anthropicStream) thoughts() bool {
	if len(s.reply.Reasoning) == 0 {
		return true
	}
	at, ok := s.begin(`{"type":"thinking","thinking":"","signature":""}`)
	for _, thought := range s.reply.Reasoning {
		ok = ok && s.delta(at, `{"type":"thinking_delta","thinking":`+quote(thought)+`}`)
	}
	return ok && s.delta(at, `{"type":"signature_delta","signature":"c2lnbmF0dXJl"}`) && s.end(at)
}

func (s *anthropicStream) texts() bool {
	if len(s.reply.Pieces) == 0 {
		return s.hold(AfterPieces(0))
	}
	if !s.hold(AfterPieces(0)) {
		return false
	}
	at, ok := s.begin(`{"type":"text","text":""}`)
	ok = ok && s.event("ping", "")
	for i, piece := range s.reply.Pieces {
		ok = ok && s.delta(at, `{"type":"text_delta","text":`+quote(piece)+`}`) && s.hold(AfterPieces(i+1))
	}
	return ok && s.end(at)
}

// tools sends the calls. The API sends the blocks of several calls one after the
// other; with CallBytes they alternate, because an adapter may rely only on the
// indexes.
func (s *anthropicStream) tools() bool {
	at, rest := make([]int, len(s.reply.ToolCalls)), make([]string, len(s.reply.ToolCalls))
	ok := true
	for i, call := range s.reply.ToolCalls {
		at[i], ok = s.begin(`{"type":"tool_use","id":` + quote(call.ID) + `,"name":` + quote(call.Name) + `,"input":{}}`)
		if rest[i] = call.Arguments; !ok || !s.arguments(at[i], "") {
			return false
		}
	}
	for more := true; more; {
		more = false
		for i := range rest {
			piece := rest[i]
			if s.reply.CallBytes > 0 {
				piece = piece[:min(s.reply.CallBytes, len(piece))]
			}
			rest[i] = rest[i][len(piece):]
			more = more || rest[i] != ""
			if piece != "" && !s.arguments(at[i], piece) {
				return false
			}
		}
	}
	for _, index := range at {
		ok = ok && s.end(index)
	}
	return ok
}

func (s *anthropicStream) arguments(at int, piece string) bool {
	return s.delta(at, `{"type":"input_json_delta","partial_json":`+quote(piece)+`}`)
}

func (s *anthropicStream) rawEvents() bool {
	for _, data := range s.reply.Raw {
		if !s.lines("data: " + data) {
			return false
		}
	}
	return true
}

func (s *anthropicStream) finish() bool {
	usage := ""
	if !s.reply.OmitUsage {
		usage = `,"usage":` + s.reply.anthropicUsage()
	}
	delta := `"delta":{"stop_reason":` + quote(s.reply.stopReason()) + `,"stop_sequence":null}` + usage
	if !s.reply.OmitFinish && !s.event("message_delta", delta) {
		return false
	}
	if !s.reply.OmitDone && !s.event("message_stop", "") {
		return false
	}
	if s.reply.CutAtEnd {
		cut()
	}
	return true
}

func (s *anthropicStream) begin(block string) (index int, ok bool) {
	index = s.blocks
	s.blocks++
	return index, s.event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, block))
}

func (s *anthropicStream) delta(at int, delta string) bool {
	return s.event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s`, at, delta))
}

func (s *anthropicStream) end(at int) bool {
	return s.event("content_block_stop", fmt.Sprintf(`"index":%d`, at))
}

func (s *anthropicStream) event(name, fields string) bool {
	if fields != "" {
		fields = "," + fields
	}
	return s.lines("event: "+name, `data: {"type":`+quote(name)+fields+`}`)
}

// lines sends one event.
func (s *anthropicStream) lines(lines ...string) bool {
	end := s.reply.LineBreak
	if end == "" {
		end = "\n"
	}
	text := ""
	for _, line := range lines {
		text += line + end
	}
	return s.write(text + end)
}

func (r Reply) stopReason() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.ToolCalls) > 0:
		return "tool_use"
	default:
		return "end_turn"
	}
}

func (r Reply) anthropicUsage() string {
	usage := DefaultUsage
	if r.Usage != nil {
		usage = *r.Usage
	}
	return r.anthropicUsageOf(usage.CompletionTokens)
}

// anthropicUsageOf splits the prompt's tokens as a server with a prompt cache
// does.
func (r Reply) anthropicUsageOf(completion int) string {
	usage := DefaultUsage
	if r.Usage != nil {
		usage = *r.Usage
	}
	cached := max(usage.PromptTokens, 0) / 3
	return fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`,
		usage.PromptTokens-2*cached, cached, cached, completion)
}

// writeWhole writes a whole answer, up to the byte where the reply is cut.
func writeWhole(w http.ResponseWriter, reply Reply, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if reply.CutAtEnd {
		reply.CutAfter = len(body) - 1
	}
	if reply.CutAfter != 0 && reply.CutAfter < len(body) {
		_, _ = io.WriteString(w, body[:max(reply.CutAfter, 0)])
		_ = http.NewResponseController(w).Flush()
		cut()
	}
	_, _ = io.WriteString(w, body)
}
