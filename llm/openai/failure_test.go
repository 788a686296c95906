package openai

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/llm/llmtest"
)

// echo is what a server could send back to have it logged.
const echo = `{"error":{"message":"` + testPrompt + `","type":"` + testKey + `","code":"` + testPrompt + `"}}`

func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		reply    llmtest.Reply
		message  string
		requests int
	}{
		"a wrong request is refused at once":                {llmtest.Reply{Status: 400, ErrorBody: echo}, notAnswered, 1},
		"a wrong key is refused at once":                    {llmtest.Reply{Status: 401, ErrorBody: echo}, notAnswered, 1},
		"a failing server is asked three times":             {llmtest.Reply{Status: 500, ErrorBody: echo}, notAnswered, 3},
		"a busy server is asked three times":                {llmtest.Reply{Status: 429, ErrorBody: echo}, tooBusy, 3},
		"a busy server that names a long wait is not":       {llmtest.Reply{Status: 429, RetryAfter: "60"}, tooBusy, 1},
		"a refusal that is not JSON is a refusal":           {llmtest.Reply{Status: 404, ErrorBody: "<html>" + testPrompt}, notAnswered, 1},
		"a redirect is not followed":                        {llmtest.Reply{Status: 302}, notAnswered, 1},
		"a refusal of any length is a refusal":              {llmtest.Reply{Status: 400, ErrorBody: strings.Repeat(testPrompt, 50_000)}, notAnswered, 1},
		"a success that is no answer is a failure":          {llmtest.Reply{Status: 204, ErrorBody: ""}, notAnswered, 1},
		"an empty answer is a failure, and not asked again": {llmtest.Reply{}, notAnswered, 1},
		"a call of a tool alone is no answer":               {llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}}, notAnswered, 1},
		"a filtered answer without text is a failure":       {llmtest.Reply{Finish: "content_filter"}, notAnswered, 1},
		"a malformed first chunk is a failure":              {llmtest.Reply{Raw: []string{`{"choices":[` + testPrompt}}, notAnswered, 1},
		"a chunk that is no object is a failure":            {llmtest.Reply{Raw: []string{`"` + testPrompt + `"`}}, notAnswered, 1},
		"an error within the stream is a failure":           {llmtest.Reply{Raw: []string{echo}}, notAnswered, 1},
		"a chunk of brackets is a failure":                  {llmtest.Reply{Raw: []string{`{"choices":` + strings.Repeat("[", maxLine/2)}}, notAnswered, 1},
		"a refusal of brackets is a refusal":                {llmtest.Reply{Status: 400, ErrorBody: strings.Repeat("[", 8<<20)}, notAnswered, 1},
		"a line without end is a failure":                   {llmtest.Reply{Raw: []string{strings.Repeat("x", maxLine+firstBuffer)}}, notAnswered, 1},
		"a stream cut before the first token is a failure":  {llmtest.Reply{Pieces: []string{"a"}, CutAfter: 30}, notAnswered, 1},
		"a stream cut within the answer is a failure":       {llmtest.Reply{Pieces: []string{"a", strings.Repeat("b", 2000)}, CutAfter: 1000}, brokeOff, 1},
		"a stream that just ends is a failure":              {llmtest.Reply{Pieces: []string{"a"}, OmitFinish: true, OmitDone: true}, brokeOff, 1},
		"a malformed later chunk is a failure":              {llmtest.Reply{Pieces: []string{"a"}, Raw: []string{"{"}}, brokeOff, 1},
		"an answer without end is a failure":                {llmtest.Reply{Pieces: fill(6, 200<<10)}, brokeOff, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer(t, c.reply)
			_, _, err := generate(t.Context(), open(t, server, nil))
			wantUpstream(t, err, c.message)
			if got := server.Arrived(); got != c.requests {
				t.Errorf("%d requests were sent, want %d", got, c.requests)
			}
		})
	}
	t.Run("the log tells status and code, the fault when to try again", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{
			Status: 429, RetryAfter: "60", ErrorBody: `{"error":{"code":"insufficient_quota"}}`,
		})
		_, _, err := generate(t.Context(), open(t, server, nil))
		found := wantUpstream(t, err, tooBusy)
		if got := found.Cause.Error(); got != "the server answered 429 Too Many Requests, insufficient_quota" {
			t.Errorf("cause = %q", got)
		}
		if found.RetryAfter != time.Minute {
			t.Errorf("RetryAfter = %v", found.RetryAfter)
		}
	})
	t.Run("a server that recovers within the retries gives its answer", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		server.Next(llmtest.Reply{Status: 503}, llmtest.Reply{Status: 429, RetryAfter: "0"})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "") != "Yes." || server.Arrived() != 3 {
			t.Errorf("got %q and %v after %d requests", got, err, server.Arrived())
		}
	})
}

func fill(pieces, bytes int) []string {
	all := make([]string, pieces)
	for i := range all {
		all[i] = strings.Repeat("a", bytes)
	}
	return all
}

func TestUnreachable(t *testing.T) {
	t.Run("a server that is not there is a fault", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		_ = listener.Close()
		_, _, err = generate(t.Context(), openAt(t, "http://user:"+testKey+"@"+address+"/v1"))
		found := wantUpstream(t, err, notAnswered)
		if !strings.Contains(found.Cause.Error(), "connection refused") {
			t.Errorf("cause = %v", found.Cause)
		}
	})
	t.Run("a server that echoes the request shows nothing of it in the error", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		go echoAll(listener)
		_, _, err = generate(t.Context(), openAt(t, "http://"+listener.Addr().String()+"/"+testKey))
		wantUpstream(t, err, notAnswered)
	})
}

func openAt(t *testing.T, address string) *Model {
	t.Helper()
	model, err := New(Config{BaseURL: address, APIKey: testKey, Model: "m", MaxRetryDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func echoAll(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.CopyN(connection, connection, 200)
			_ = connection.Close()
		}()
	}
}

func countDials(transport *http.Transport, dials *int) {
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		*dials++
		return dial(ctx, network, address)
	}
}
