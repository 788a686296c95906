package llmtest

import (
	"io"
	"net/http"
)

// stream writes one streamed answer.
type stream struct {
	w             io.Writer
	flush         *http.ResponseController
	reply         Reply
	sent          int
	gone, closing <-chan struct{}
}

// send reports whether the whole answer was sent.
func (s *stream) send(withUsage bool) bool {
	if s.reply.CutAfter < 0 {
		_ = s.flush.Flush()
		cut()
	}
	if s.reply.Body != "" {
		return s.write(s.reply.Body)
	}
	if !s.delta(`{"role":"assistant","content":""}`) {
		return false
	}
	for _, piece := range s.reply.Reasoning {
		if !s.delta(`{"reasoning_content":` + quote(piece) + `}`) {
			return false
		}
	}
	return s.pieces() && s.calls() && s.raw() && s.end(withUsage)
}

func (s *stream) pieces() bool {
	for i, piece := range s.reply.Pieces {
		if !s.hold(AfterPieces(i)) || !s.delta(`{"content":`+quote(piece)+`}`) {
			return false
		}
	}
	return s.hold(AfterPieces(len(s.reply.Pieces)))
}

func (s *stream) hold(at Point) bool {
	if s.reply.Hold == nil || s.reply.HoldAt != at || s.reply.HoldAfter > 0 {
		return true
	}
	return s.reply.Hold.wait(s.gone, s.closing)
}

func (s *stream) raw() bool {
	for _, data := range s.reply.Raw {
		if !s.data(data) {
			return false
		}
	}
	return true
}

func (s *stream) end(withUsage bool) bool {
	if !s.reply.OmitFinish && !s.chunk(`[{"index":0,"delta":{},"finish_reason":`+quote(s.reply.finish())+`}]`, "null") {
		return false
	}
	if withUsage && !s.chunk("[]", s.reply.usage()) {
		return false
	}
	if !s.reply.OmitDone && !s.data("[DONE]") {
		return false
	}
	if s.reply.CutAtEnd {
		cut()
	}
	return true
}

func (s *stream) delta(delta string) bool {
	return s.chunk(`[{"index":0,"delta":`+delta+`,"logprobs":null,"finish_reason":null}]`, "null")
}

func (s *stream) chunk(choices, usage string) bool {
	return s.data(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"test-model",` +
		`"system_fingerprint":"fp_1","choices":` + choices + `,"usage":` + usage + `}`)
}

func (s *stream) data(data string) bool {
	end := s.reply.LineBreak
	if end == "" {
		end = "\n"
	}
	return s.write("data: " + data + end + end)
}

// write sends text immediately, up to the byte where the reply is cut, and waits
// at the byte where it is held.
func (s *stream) write(text string) bool {
	if at := s.reply.HoldAfter - s.sent; s.reply.Hold != nil && s.sent < s.reply.HoldAfter && at <= len(text) {
		return s.writeOut(text[:at]) && s.reply.Hold.wait(s.gone, s.closing) && s.writeOut(text[at:])
	}
	return s.writeOut(text)
}

func (s *stream) writeOut(text string) bool {
	last := s.reply.CutAfter > 0 && s.sent+len(text) >= s.reply.CutAfter
	if last {
		text = text[:s.reply.CutAfter-s.sent]
	}
	s.sent += len(text)
	step := max(len(text), 1)
	if s.reply.ByteByByte {
		step = 1
	}
	for ; text != ""; text = text[min(step, len(text)):] {
		if _, err := io.WriteString(s.w, text[:min(step, len(text))]); err != nil {
			return false
		}
		if err := s.flush.Flush(); err != nil {
			return false
		}
	}
	if last {
		cut()
	}
	return true
}

// cut ends the handler by breaking the connection.
func cut() { panic(http.ErrAbortHandler) }
