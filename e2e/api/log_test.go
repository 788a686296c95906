package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// Servers of models tend to repeat the prompt in what they say went wrong.
func TestLogOfFailures(t *testing.T) {
	const phrase = "my rash itches on Tuesdays"
	echoes := map[string]llmtest.Reply{
		"a refusal that repeats the prompt":         {Status: 400, ErrorBody: `{"error":{"message":"bad prompt: ` + phrase + `","type":"invalid_request_error"}}`},
		"a failure that is no JSON":                 {Status: 500, ErrorBody: `<html>` + phrase + `</html>`},
		"a refused key":                             {Status: 401, ErrorBody: `{"error":{"message":"wrong key secret-key-of-ours"}}`},
		"an error amid the answer":                  {Pieces: []string{"It is "}, Raw: []string{`{"error":{"message":"` + phrase + `"}}`}, OmitDone: true},
		"a piece that is no JSON":                   {Raw: []string{`{"choices":[{"delta":{"content":"` + phrase}},
		"an answer that is cut off, phrase and all": {Pieces: []string{phrase}, CutAtEnd: true, OmitDone: true},
	}
	upstream := llmtest.NewServer(t, llmtest.Reply{})
	w := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.LLMAPIKey = "secret-key-of-ours" })
	baker := w.NewTenant("baker", plan.Standard)
	for what, reply := range echoes {
		t.Run(what+" is logged without the texts", func(t *testing.T) {
			w := w.Within(t)
			upstream.Always(reply)
			body := `{"message":"Doctor, ` + phrase + `","external_user_id":"patient-17"}`
			r := w.Call("POST", "/api/v1/chat", body, harness.Bearer(baker.Token))
			w.Expect(r, 500)
			if strings.Contains(r.Text, "Tuesdays") || strings.Contains(r.Text, "secret-key") {
				t.Errorf("the answer repeats it: %s", r.Text)
			}
			w.Stream(body, harness.Bearer(baker.Token)).Rest()
			if !strings.Contains(w.ServerLog.String(), r.Header.Get("X-Request-Id")) || !strings.Contains(w.ServerLog.String(), "level=ERROR") {
				t.Error("the log does not have the failure")
			}
			w.NotLogged("Tuesdays", "patient-17", "secret-key", baker.Token)
		})
	}
}
