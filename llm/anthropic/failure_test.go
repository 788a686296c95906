package anthropic

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/llm/llmtest"
)

// echo is what a server could send back to have it logged.
const echo = `{"type":"error","error":{"message":"` + testPrompt + `","type":"` + testKey + `"},"request_id":"` + testPrompt + `"}`

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
		"an overloaded server is asked three times":         {llmtest.Reply{Status: 529, ErrorBody: echo}, tooBusy, 3},
		"a busy server that names a long wait is not":       {llmtest.Reply{Status: 429, RetryAfter: "60"}, tooBusy, 1},
		"an overloaded one that names a long wait is not":   {llmtest.Reply{Status: 529, RetryAfter: "60"}, tooBusy, 1},
		"a wait that is no number is none":                  {llmtest.Reply{Status: 429, RetryAfter: "1e18"}, tooBusy, 3},
		"a refusal that is not JSON is a refusal":           {llmtest.Reply{Status: 404, ErrorBody: "<html>" + testPrompt}, notAnswered, 1},
		"a redirect is not followed":                        {llmtest.Reply{Status: 302}, notAnswered, 1},
		"a refusal of any length is a refusal":              {llmtest.Reply{Status: 400, ErrorBody: strings.Repeat(testPrompt, 50_000)}, notAnswered, 1},
		"a success that is no answer is a failure":          {llmtest.Reply{Status: 204, ErrorBody: ""}, notAnswered, 1},
		"an empty answer is a failure, and not asked again": {llmtest.Reply{}, notAnswered, 1},
		"a declined question is a failure that says so":     {llmtest.Reply{Finish: "refusal"}, declined, 1},
		"an answer that is declined halfway is one, too":    {llmtest.Reply{Pieces: []string{"a"}, Finish: "refusal"}, declined, 1},
		"nothing but thinking is a failure":                 {llmtest.Reply{Reasoning: []string{"hm"}, Finish: "max_tokens"}, notAnswered, 1},
		"a malformed first event is a failure":              {llmtest.Reply{Raw: []string{`{"type":"content_block_delta",` + testPrompt}}, notAnswered, 1},
		"an event that is no object is a failure":           {llmtest.Reply{Raw: []string{`"` + testPrompt + `"`}}, notAnswered, 1},
		"an error within the stream is a failure":           {llmtest.Reply{Raw: []string{echo}}, notAnswered, 1},
		"an error within the answer is a failure":           {llmtest.Reply{Pieces: []string{"a"}, Raw: []string{echo}}, brokeOff, 1},
		"an event of brackets is a failure":                 {llmtest.Reply{Raw: []string{`{"delta":` + strings.Repeat("[", maxLine/2)}}, notAnswered, 1},
		"a line without end is a failure":                   {llmtest.Reply{Raw: []string{strings.Repeat("x", maxLine+firstBuffer)}}, notAnswered, 1},
		"a stream cut before the first token is a failure":  {llmtest.Reply{Pieces: []string{"a"}, CutAfter: 30}, notAnswered, 1},
		"a stream cut within the answer is a failure":       {llmtest.Reply{Pieces: []string{"a", strings.Repeat("b", 2000)}, CutAfter: 1000}, brokeOff, 1},
		"a stream that just ends is a failure":              {llmtest.Reply{Pieces: []string{"a"}, OmitFinish: true, OmitDone: true}, brokeOff, 1},
		"a malformed later event is a failure":              {llmtest.Reply{Pieces: []string{"a"}, Raw: []string{"{"}}, brokeOff, 1},
		"an answer without end is a failure":                {llmtest.Reply{Pieces: fill(6, 200<<10)}, brokeOff, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewAnthropic(t, c.reply)
			_, generated, err := generate(t.Context(), open(t, server, nil))
			wantUpstream(t, err, c.message)
			if got := server.Arrived(); got != c.requests {
				t.Errorf("%d requests were sent, want %d", got, c.requests)
			}
			if generated.Model != "test-model" {
				t.Errorf("Model = %q", generated.Model)
			}
		})
	}
	t.Run("the log tells status and type, the fault when to try again", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{
			Status: 429, RetryAfter: "60", ErrorBody: `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`,
		})
		_, _, err := generate(t.Context(), open(t, server, nil))
		found := wantUpstream(t, err, tooBusy)
		if got := found.Cause.Error(); got != "the server answered 429 Too Many Requests, rate_limit_error" {
			t.Errorf("cause = %q", got)
		}
		if found.RetryAfter != time.Minute {
			t.Errorf("RetryAfter = %v", found.RetryAfter)
		}
	})
	t.Run("an overload within the stream is told as one", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Raw: []string{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}})
		_, _, err := generate(t.Context(), open(t, server, nil))
		found := wantUpstream(t, err, tooBusy)
		var refused interface{ Status() int }
		if !errors.As(found, &refused) || refused.Status() != 529 {
			t.Errorf("cause = %v", found.Cause)
		}
		if got := found.Cause.Error(); got != "the server reported an error within the stream, overloaded_error" {
			t.Errorf("cause = %q", got)
		}
	})
	t.Run("a declined question is not the server's failure", func(t *testing.T) {
		_, _, err := generate(t.Context(), open(t, llmtest.NewAnthropic(t, llmtest.Reply{Finish: "refusal"}), nil))
		var answered interface{ Status() int }
		if found := wantUpstream(t, err, declined); !errors.As(found, &answered) || answered.Status() != 200 {
			t.Errorf("cause = %v", found.Cause)
		}
	})
	t.Run("a server that recovers within the retries gives its answer", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Status: 529}, llmtest.Reply{Status: 429, RetryAfter: "0"}, llmtest.Reply{Pieces: []string{"Yes."}})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "") != "Yes." || server.Arrived() != 3 {
			t.Errorf("got %q and %v after %d requests", got, err, server.Arrived())
		}
	})
	t.Run("no header makes the SDK ask a server again that answers", func(t *testing.T) {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("X-Should-Retry", "true")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn"}`)
		}))
		defer server.Close()
		if got, _, err := generate(t.Context(), openAt(t, server.URL)); err != nil || asked != 1 || strings.Join(got, "") != "Yes." {
			t.Errorf("got %q and %v after %d requests", got, err, asked)
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
		_, _, err := generate(t.Context(), openAt(t, "http://user:"+testKey+"@"+deaf(t)))
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

// openAt returns a model that asks once.
func openAt(t *testing.T, address string) *Model {
	t.Helper()
	model, err := New(Config{BaseURL: address, APIKey: testKey, Model: "m", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// deaf is an address that nobody listens at.
func deaf(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
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

// redirecting is the address of a server that sends everybody to another.
func redirecting(t *testing.T, to string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
