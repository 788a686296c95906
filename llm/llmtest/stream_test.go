package llmtest

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	t.Run("arguments of calls come in pieces of a given size, alternating between calls", func(t *testing.T) {
		text, err := read(t, NewServer(t, Reply{CallBytes: 2, ToolCalls: []ToolCall{
			{ID: "a", Name: "f", Arguments: "é1"}, {ID: "b", Name: "g", Arguments: "xyz"},
		}}), streamed)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			`"index":0,"id":"a"`, `"index":1,"id":"b"`, `"arguments":"é"`, `"index":1,"function":{"arguments":"xy"}`,
			`"arguments":"1"`, `"arguments":"z"`, `"finish_reason":"tool_calls"`,
		} {
			_, after, found := strings.Cut(text, part)
			if !found {
				t.Fatalf("%s is missing or out of order before:\n%s", part, text)
			}
			text = after
		}
	})
	t.Run("a custom body is sent unchanged", func(t *testing.T) {
		for _, slow := range []bool{false, true} {
			text, err := read(t, NewServer(t, Reply{Body: "data: x\r\n\xff", ByteByByte: slow}), streamed)
			if err != nil || text != "data: x\r\n\xff" {
				t.Errorf("got %q and %v", text, err)
			}
		}
	})
	t.Run("lines may end with CRLF", func(t *testing.T) {
		text, err := read(t, NewServer(t, Reply{Pieces: []string{"a"}, LineBreak: "\r\n"}), streamed)
		if err != nil || strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.HasSuffix(text, "data: [DONE]\r\n\r\n") {
			t.Errorf("got %q and %v", text, err)
		}
	})
	t.Run("an answer can be cut before its first byte, streamed or whole", func(t *testing.T) {
		server := NewServer(t, Reply{Pieces: []string{"a"}, CutAfter: CutAtStart})
		for _, body := range []string{streamed, "{}"} {
			if text, err := read(t, server, body); !errors.Is(err, io.ErrUnexpectedEOF) || text != "" {
				t.Errorf("got %q and %v", text, err)
			}
		}
	})
	t.Run("a stream can stall after any of its bytes, and goes on when it is released", func(t *testing.T) {
		for _, after := range []int{1, 100, len(recorded)} {
			reply := Recording()
			reply.Hold, reply.HoldAfter = NewGate(), after
			response, err := post(t.Context(), t, NewServer(t, reply), streamed)
			if err != nil {
				t.Fatal(err)
			}
			before := make([]byte, after)
			if _, err := io.ReadFull(response.Body, before); err != nil {
				t.Fatal(err)
			}
			<-reply.Hold.Reached()
			reply.Hold.Release()
			rest, err := io.ReadAll(response.Body)
			if err != nil || string(before)+string(rest) != recorded {
				t.Errorf("held after %d bytes: got %q and %v", after, rest, err)
			}
			_ = response.Body.Close()
		}
	})
}

func TestAnswers(t *testing.T) {
	server := NewServer(t, Reply{Pieces: []string{"always"}})
	server.Answers(func(body []byte) Reply {
		if strings.Contains(string(body), "rewrite") {
			return Reply{Pieces: []string{"rewritten"}}
		}
		return Reply{Pieces: []string{"answered"}}
	})
	t.Run("after the queued replies, a function can choose the reply", func(t *testing.T) {
		server.Next(Reply{Pieces: []string{"queued"}})
		for _, want := range []string{"queued", "rewritten"} {
			if text, err := read(t, server, `{"stream":true,"a":"rewrite"}`); err != nil || !strings.Contains(text, want) {
				t.Errorf("got %s and %v, want %q", text, err, want)
			}
		}
		if text, err := read(t, server, streamed); err != nil || !strings.Contains(text, "answered") {
			t.Errorf("got %s and %v", text, err)
		}
	})
	t.Run("a permanent reply replaces the function", func(t *testing.T) {
		server.Always(Reply{Pieces: []string{"fixed"}})
		if text, err := read(t, server, `{"a":"rewrite"}`); err != nil || !strings.Contains(text, "fixed") {
			t.Errorf("got %s and %v", text, err)
		}
	})
}

func TestRecording(t *testing.T) {
	t.Run("an uncut recording has all its bytes", func(t *testing.T) {
		text, err := read(t, NewServer(t, Recording()), streamed)
		if err != nil || text != recorded || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Errorf("got %q and %v", text, err)
		}
	})
	t.Run("a cut recording has its first bytes and a broken connection", func(t *testing.T) {
		server := NewServer(t, Reply{})
		for _, after := range []int{0, 1, 700, RecordedComplete(), CutPositions() - 1} {
			server.Always(CutRecording(after))
			text, err := read(t, server, streamed)
			if !errors.Is(err, io.ErrUnexpectedEOF) || text != recorded[:after] {
				t.Errorf("cut after %d bytes: got %d and %v", after, len(text), err)
			}
		}
	})
	t.Run("it is complete after the line with its finish_reason", func(t *testing.T) {
		if before := recorded[:RecordedComplete()]; !strings.HasSuffix(before, `"finish_reason":"stop"}]}`+"\n") {
			t.Errorf("before it comes %q", before[len(before)-40:])
		}
	})
	t.Run("a whole answer has its text", func(t *testing.T) {
		if text, err := read(t, NewServer(t, Recording()), `{}`); err != nil || !strings.Contains(text, quote(RecordedText)) {
			t.Errorf("got %s and %v", text, err)
		}
	})
}
