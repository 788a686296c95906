package upstream

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- New().Serve(listener) }()
	t.Cleanup(func() {
		_ = listener.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// post uses the standard library's client, which knows what a server may send.
func post(t *testing.T, address, body string) *http.Response {
	t.Helper()
	response, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

type chunkWire struct {
	Choices []struct {
		Delta        struct{ Content string }
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		CompletionTokens int `json:"completion_tokens"`
	}
}

// events reads a stream to its end, and checks that [DONE] is the last of it.
func events(t *testing.T, body io.Reader) (chunks []chunkWire) {
	t.Helper()
	lines := bufio.NewScanner(body)
	done := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if done {
			t.Fatalf("%q comes after the end", data)
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var chunk chunkWire
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, chunk)
	}
	if err := lines.Err(); err != nil || !done {
		t.Fatalf("the stream ended without [DONE]: %v", err)
	}
	return chunks
}

func TestServer(t *testing.T) {
	address := start(t)
	completions := address + "/v1/chat/completions"

	t.Run("a whole answer has the text", func(t *testing.T) {
		var got struct {
			Choices []struct{ Message struct{ Content string } }
		}
		response := post(t, completions, `{"model":"bench","messages":[{"role":"user","content":"\"stream\":true"}],"stream":false}`)
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if len(got.Choices) != 1 || got.Choices[0].Message.Content != Text() {
			t.Fatalf("got %+v", got)
		}
	})
	t.Run("a stream has 50 tokens that make the text, a reason to end and no usage", func(t *testing.T) {
		chunks := events(t, post(t, completions, `{"stream":true}`).Body)
		var text strings.Builder
		tokens, finish := 0, ""
		for _, chunk := range chunks {
			if chunk.Usage != nil {
				t.Error("nobody asked for the usage")
			}
			if chunk.Choices[0].Delta.Content != "" {
				tokens++
			}
			text.WriteString(chunk.Choices[0].Delta.Content)
			finish = chunk.Choices[0].FinishReason
		}
		if text.String() != Text() || tokens != Tokens || finish != "stop" {
			t.Fatalf("got %d tokens, %q, then %q", tokens, text.String(), finish)
		}
	})
	t.Run("a stream has the usage last when the request asks for it", func(t *testing.T) {
		chunks := events(t, post(t, completions, `{"stream": true, "stream_options": {"include_usage": true}}`).Body)
		last := chunks[len(chunks)-1]
		if last.Usage == nil || last.Usage.CompletionTokens != Tokens || len(last.Choices) != 0 {
			t.Fatalf("got %+v", last)
		}
	})
	t.Run("the models are listed, and nothing else is there", func(t *testing.T) {
		for path, status := range map[string]int{"/v1/models": 200, "/v1/completions": 404} {
			response, err := http.Get(address + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != status {
				t.Errorf("%s gave %d", path, response.StatusCode)
			}
		}
	})
}

func TestStall(t *testing.T) {
	address := start(t)
	completions := address + "/v1/chat/completions"
	post(t, address+StallPath, "")
	held := bufio.NewReader(post(t, completions, `{"stream":true}`).Body)

	t.Run("a stalled stream has its first token", func(t *testing.T) {
		for {
			line, err := held.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, `"content":"You "`) {
				return
			}
		}
	})
	t.Run("streams that come after the stall flow beside it", func(t *testing.T) {
		post(t, address+FlowPath, "")
		events(t, post(t, completions, `{"stream":true}`).Body)
	})
	t.Run("a released stream goes on to its end", func(t *testing.T) {
		post(t, address+ReleasePath, "")
		if chunks := events(t, held); len(chunks) != Tokens {
			t.Fatalf("got %d chunks after the first token", len(chunks))
		}
	})
}

func TestSpread(t *testing.T) {
	address := start(t)
	post(t, address+StallPath, "")
	held := post(t, address+"/v1/chat/completions", `{"stream":true}`)
	t.Run("a spread without a time is no route", func(t *testing.T) {
		if response := post(t, address+SpreadPath+"soon", ""); response.StatusCode == 200 {
			t.Error("it is one")
		}
	})
	t.Run("a stream goes on to its end within the time", func(t *testing.T) {
		post(t, address+SpreadPath+"20ms", "")
		events(t, held.Body)
	})
}

func TestPace(t *testing.T) {
	address := start(t)
	completions := address + "/v1/chat/completions"
	post(t, address+PacePath, "")

	t.Run("a paced stream takes a pause before each token but the first", func(t *testing.T) {
		begun := time.Now()
		events(t, post(t, completions, `{"stream":true}`).Body)
		if took := time.Since(begun); took < (Tokens-1)*Pause {
			t.Fatalf("it took %v", took)
		}
	})
}
