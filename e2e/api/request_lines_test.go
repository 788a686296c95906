package api

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// requestLine is the line that the log has of a request, or empty.
func requestLine(w *harness.Instance, requestID string) string {
	for line := range strings.Lines(w.ServerLog.String()) {
		if strings.Contains(line, "msg=request request_id="+requestID+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// named is the header with a request's own identifier.
func named(requestID string) harness.Header {
	return harness.Header{Name: "X-Request-Id", Value: requestID}
}

func TestRequestLines(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At seven."}})
	outer := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.MetricsAddr = "127.0.0.1:0" })
	baker := outer.NewTenant("baker", plan.Standard, harness.Opening)
	of := " workspace_id=" + baker.Workspace + " token_id=" + baker.TokenID
	const sized = ` bytes=[1-9][0-9]* duration_ms=[0-9.]+$`
	// says waits for the line of a request, and compares its end.
	says := func(w *harness.Instance, requestID, want string) {
		w.Helper()
		w.Eventually("the request is logged", func() bool { return requestLine(w, requestID) != "" })
		if line := requestLine(w, requestID); !regexp.MustCompile(want).MatchString(line) {
			w.Errorf("the line is\n%s\nwant %s", line, want)
		}
	}
	leaves := func(t *testing.T, path, requestID string) {
		w := outer.Within(t)
		gate := llmtest.NewGate()
		model := upstream.Request(upstream.Arrived())
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		client := w.Dial()
		client.Send(strings.Replace(harness.Request("POST", path, baker.Token, harness.OpeningQuestion), "\r\n", "\r\nX-Request-Id: "+requestID+"\r\n", 1))
		w.Comes("the model answers", gate.Reached())
		if requestLine(w, requestID) != "" {
			t.Error("there is a line before the answer has ended")
		}
		w.Must(client.Close())
		w.Comes("the model is canceled", model.Canceled())
		says(w, requestID, " route="+path+" status=499 outcome=client_gone"+of+" bytes=[0-9]+ duration_ms=")
	}

	t.Run("an answer has its caller, its size and its time", func(t *testing.T) {
		w := outer.Within(t)
		w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token), named("whole"))
		says(w, "whole", "level=INFO .* method=POST route=/api/v1/chat status=200 outcome=completed"+of+sized)
	})
	t.Run("a stream's line is written at its end", func(t *testing.T) {
		w := outer.Within(t)
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream := w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token), named("streamed"))
		w.Comes("the model answers", gate.Reached())
		if requestLine(w, "streamed") != "" {
			t.Error("there is a line before the stream has ended")
		}
		gate.Release()
		stream.Rest()
		says(w, "streamed", " route=/api/v1/chat/stream status=200 outcome=completed"+of+sized)
	})
	t.Run("a stream that fails after it began is a failure, with its code", func(t *testing.T) {
		w := outer.Within(t)
		upstream.Next(llmtest.Reply{Status: 401})
		w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token), named("failing")).Rest()
		says(w, "failing", " status=500 outcome=failed code=model_key_rejected"+of+sized)
	})
	t.Run("a client who leaves a stream is 499", func(t *testing.T) { leaves(t, harness.StreamPath, "leaves-stream") })
	t.Run("a client who leaves an answer is 499", func(t *testing.T) { leaves(t, harness.ChatPath, "leaves-answer") })
	t.Run("what is refused says why, and by whom it was asked", func(t *testing.T) {
		w := outer.Within(t)
		w.Call("POST", harness.ChatPath, `{}`, harness.Bearer(baker.Token), named("refused"))
		says(w, "refused", " status=400 outcome=refused code=invalid_request"+of+sized)
		w.Call("POST", harness.ChatPath, `{}`, harness.Bearer(unknownToken), named("stranger"))
		says(w, "stranger", " status=401 outcome=refused code=invalid_token bytes=")
	})
	t.Run("a page has its workspace", func(t *testing.T) {
		w := outer.Within(t)
		w.SignedIn(baker.Email, baker.Password).Ask("GET", "/workspaces/"+baker.Workspace, "", named("page"))
		says(w, "page", " status=[23].. outcome=completed workspace_id="+baker.Workspace+" bytes=")
	})
	t.Run("figures count as the log does", func(t *testing.T) {
		w := outer.Within(t)
		response, err := http.Get("http://" + w.Server.MetricsAddr().String() + "/metrics")
		w.Must(err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		w.Must(err)
		for _, line := range []string{
			`parley_requests_total{method="POST",route="/api/v1/chat/stream",status="499"} 1`,
			`parley_requests_total{method="POST",route="/api/v1/chat/stream",status="500"} 1`,
			`parley_requests_total{method="POST",route="/api/v1/chat/stream",status="200"} 1`,
			`parley_requests_total{method="POST",route="/api/v1/chat",status="499"} 1`,
		} {
			if !strings.Contains(string(body), line) {
				t.Errorf("there is no %s", line)
			}
		}
	})
	t.Run("probes have no line", func(t *testing.T) {
		w := outer.Within(t)
		w.Call("GET", "/healthz", "", named("probe"))
		w.Call("GET", "/readyz", "", named("probe"))
		w.Call("GET", "/no-such-page", "", named("after"))
		says(w, "after", " status=404 outcome=refused code=not_found")
		if line := requestLine(w, "probe"); line != "" {
			t.Errorf("there is %s", line)
		}
	})
	t.Run("no line has a secret or a text", func(t *testing.T) {
		outer.Within(t).NotLogged(baker.Token, "bakery open", "At seven")
	})
}
