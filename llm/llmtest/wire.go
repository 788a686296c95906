package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// answer reports whether the whole answer was sent.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, request *Request, reply Reply) bool {
	if reply.Hold != nil && reply.HoldAt == BeforeHeaders && !reply.Hold.wait(r.Context().Done(), s.closing) {
		return false
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		refuse(w, reply)
		return true
	}
	wants := request.wanted()
	if !wants.Stream {
		// A whole answer is sent only after its last piece.
		if reply.Hold != nil && reply.HoldAt != BeforeHeaders && !reply.Hold.wait(r.Context().Done(), s.closing) {
			return false
		}
		whole(w, reply)
		return true
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, flush: http.NewResponseController(w), reply: reply, gone: r.Context().Done(), closing: s.closing}
	return out.send(wants.StreamOptions.IncludeUsage && !reply.OmitUsage)
}

func refuse(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	w.WriteHeader(reply.Status)
	body := reply.ErrorBody
	if body == "" {
		body = `{"error":{"message":"scripted failure","type":"server_error","param":null,"code":null}}`
	}
	_, _ = io.WriteString(w, body)
}

func whole(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	message := `{"role":"assistant","content":` + quote(strings.Join(reply.Pieces, "")) + toolCalls(reply) + `}`
	usage := ""
	if !reply.OmitUsage {
		usage = `,"usage":` + reply.usage()
	}
	body := fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"test-model",`+
		`"choices":[{"index":0,"message":%s,"finish_reason":%s}]%s}`, message, quote(reply.finish()), usage)
	if len(reply.Raw) > 0 {
		body = strings.Join(reply.Raw, "\n")
	}
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

func toolCalls(reply Reply) string {
	if len(reply.ToolCalls) == 0 {
		return ""
	}
	calls := make([]string, 0, len(reply.ToolCalls))
	for _, call := range reply.ToolCalls {
		calls = append(calls, fmt.Sprintf(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`,
			quote(call.ID), quote(call.Name), quote(call.Arguments)))
	}
	return `,"tool_calls":[` + strings.Join(calls, ",") + `]`
}

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.ToolCalls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func (r Reply) usage() string {
	usage := DefaultUsage
	if r.Usage != nil {
		usage = *r.Usage
	}
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`,
		usage.PromptTokens, usage.CompletionTokens, usage.PromptTokens+usage.CompletionTokens)
}

// quote returns text as a JSON string. Unlike encoding/json it keeps bytes that
// are not UTF-8, so that a character can be split over two chunks.
func quote(text string) string {
	out := make([]byte, 0, len(text)+8)
	out = append(out, '"')
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return string(append(out, '"'))
}
