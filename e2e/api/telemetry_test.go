package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/core/webhook"
	"parley/e2e/harness"
	"parley/internal/telemetrytest"
	"parley/llm/llmtest"
)

// recorded are the spans that a collector has.
type recorded []telemetrytest.Span

// one returns the only span that fits.
func (r recorded) one(t *testing.T, what string, fits func(telemetrytest.Span) bool) telemetrytest.Span {
	t.Helper()
	var found recorded
	for _, span := range r {
		if fits(span) {
			found = append(found, span)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are %s, of\n%s", len(found), what, r)
	}
	return found[0]
}

// below returns the parts of a span with a name.
func (r recorded) below(t *testing.T, parent telemetrytest.Span, name string) telemetrytest.Span {
	t.Helper()
	return r.one(t, "the part "+name+" of "+parent.Name, func(s telemetrytest.Span) bool {
		return s.Name == name && s.Parent == parent.ID && s.Trace == parent.Trace
	})
}

func (r recorded) String() string {
	var text strings.Builder
	for _, s := range r {
		fmt.Fprintf(&text, "%s %s below %q: %v\n", s.ID, s.Name, s.Parent, s.Attributes)
	}
	return text.String()
}

func has(t *testing.T, span telemetrytest.Span, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if span.Attributes[key] != value {
			t.Errorf("%s of %s is %q, want %q", key, span.Name, span.Attributes[key], value)
		}
	}
}

func TestTraces(t *testing.T) {
	t.Parallel()
	to, receiver := telemetrytest.New(t), harness.NewReceiver(t)
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"The oven is ", "warm at seven [1]."}})
	w := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) {
		c.Collector, c.WebhookAllow = to.URL(), []string{receiver.Host()}
	})
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	owner := &harness.WebhookOwner{Visitor: w.SignedIn(baker.Email, baker.Password), To: receiver, Home: baker}
	hook, _ := owner.Adds("/hook", webhook.MessageCompleted)

	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	ask := func(path, body, id string, headers ...harness.Header) harness.Reply {
		r := w.Call("POST", path, body, append(headers, harness.Bearer(baker.Token), harness.Header{Name: "X-Request-Id", Value: id})...)
		w.Expect(r, http.StatusOK)
		return r
	}
	r := ask(harness.ChatPath, `{"message":"When does the bakery open on Tuesdays?","external_user_id":"patient-17"}`, "whole",
		harness.Header{Name: "traceparent", Value: "00-" + trace + "-" + caller + "-01"}, harness.Header{Name: "tracestate", Value: "vendor=hunter2"})
	conversation := w.Number(r, "conversation_id")
	ask(harness.ChatPath, fmt.Sprintf(`{"message":"And on Wednesdays?","external_user_id":"patient-17","conversation_id":%d}`, conversation), "follow-up")
	ask(harness.ChatPath, harness.OpeningQuestion, "unsampled", harness.Header{Name: "traceparent", Value: "00-" + trace + "-" + caller + "-00"})

	gate := llmtest.NewGate()
	upstream.Next(llmtest.Reply{Pieces: []string{"The oven is ", "warm."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
	events := w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token), harness.Header{Name: "X-Request-Id", Value: "stream"})
	<-gate.Reached()
	released := time.Now()
	gate.Release()
	events.Rest()
	upstream.Next(llmtest.Reply{Status: http.StatusUnauthorized, ErrorBody: `{"error":{"message":"the oven exploded"}}`})
	w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token), harness.Header{Name: "X-Request-Id", Value: "failed"}).Rest()
	ask("/api/v1/openai/chat/completions", `{"messages":[{"role":"user","content":"When does the bakery open?"}],"stream":true}`, "openai")

	w.PutsFile(w.Editor(baker), "manual", "manual.html", "<h1>Manual</h1><p>The oven has a door of glass.</p>")
	w.Settled(baker)
	w.Eventually("all webhooks are delivered", func() bool {
		delivered := 0
		for _, d := range owner.Deliveries(hook) {
			if d.Outcome == webhook.Delivered {
				delivered++
			}
		}
		return delivered == 6 // of the answer that fails, too
	})
	w.Call("GET", "/healthz", "")
	w.End()
	spans := recorded(to.Spans())
	request := func(t *testing.T, id string) telemetrytest.Span {
		t.Helper()
		return spans.one(t, "the request "+id, func(s telemetrytest.Span) bool { return s.Attributes["parley.request.id"] == id })
	}

	t.Run("an answer is a part of its caller's trace, and has its parts", func(t *testing.T) {
		root := request(t, "whole")
		if root.Name != "POST /api/v1/chat" || root.Kind != "SERVER" || root.Trace != trace || root.Parent != caller || root.Failed {
			t.Errorf("the request is %+v", root)
		}
		has(t, root, map[string]string{"http.request.method": "POST", "http.route": "/api/v1/chat", "http.response.status_code": "200", "parley.workspace.id": baker.Workspace})
		if n := spans.below(t, root, "retrieve").Attributes["parley.passages"]; n == "" || n == "0" {
			t.Errorf("%q passages are retrieved", n)
		}
		spans.below(t, root, "commit")
		model := spans.below(t, root, "chat double")
		has(t, model, map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "double", "gen_ai.response.finish_reasons": "stop",
			"gen_ai.usage.input_tokens": "21", "gen_ai.usage.output_tokens": "8",
		})
		if model.Kind != "CLIENT" || !slices.Equal(model.Events, []string{"first token"}) {
			t.Errorf("the model's call is %+v", model)
		}
		if root.Resource["service.name"] != "parley" || root.Resource["service.instance.id"] == "" {
			t.Errorf("it comes from %v", root.Resource)
		}
	})
	t.Run("a question that follows is rewritten, by the model", func(t *testing.T) {
		root := request(t, "follow-up")
		if root.Parent != "" || root.Trace == trace {
			t.Error("it is a part of another trace")
		}
		spans.below(t, spans.below(t, root, "rewrite"), "chat double")
	})
	t.Run("what a caller does not sample is not recorded", func(t *testing.T) {
		for _, s := range spans {
			if s.Trace == trace && s.Attributes["parley.request.id"] == "unsampled" {
				t.Errorf("there is %+v", s)
			}
		}
	})
	t.Run("a stream's span ends with the stream, behind its parts", func(t *testing.T) {
		root := request(t, "stream")
		commit := spans.below(t, root, "commit")
		if root.Name != "POST /api/v1/chat/stream" || root.End.Before(released) || root.End.Before(commit.End) {
			t.Errorf("it ends at %v, and the commit at %v", root.End, commit.End)
		}
		spans.below(t, request(t, "openai"), "commit")
	})
	t.Run("a stream that fails says so, by its code", func(t *testing.T) {
		root := request(t, "failed")
		if model := spans.below(t, root, "chat double"); !root.Failed || !model.Failed || root.Attributes["error.type"] == "" || root.Attributes["error.type"] != model.Attributes["error.type"] {
			t.Errorf("the stream is %+v, and the model %+v", root, model)
		}
	})
	t.Run("work on a document is a trace of its own", func(t *testing.T) {
		job := spans.one(t, "jobs that extract", func(s telemetrytest.Span) bool {
			return s.Name == "job extract" && slices.ContainsFunc(spans, func(part telemetrytest.Span) bool { return part.Parent == s.ID })
		})
		has(t, job, map[string]string{"parley.workspace.id": baker.Workspace})
		if document := spans.below(t, job, "document"); job.Parent != "" || document.Attributes["parley.document.id"] == "" {
			t.Errorf("the job is %+v", job)
		}
	})
	t.Run("a webhook is one, too", func(t *testing.T) {
		n := 0
		for _, s := range spans {
			if s.Name == "webhook" {
				n++
				has(t, s, map[string]string{"http.response.status_code": "204", "parley.workspace.id": baker.Workspace})
			}
		}
		if n != 6 {
			t.Errorf("there are %d", n)
		}
	})
	t.Run("a probe is not recorded", func(t *testing.T) {
		for _, s := range spans {
			if strings.Contains(s.Name, "healthz") {
				t.Errorf("there is %+v", s)
			}
		}
	})
	t.Run("metrics come, too", func(t *testing.T) {
		if len(to.Metric("parley_requests_total")) == 0 || len(to.Metric("parley_request_duration_seconds")) == 0 {
			t.Error("they are missing")
		}
	})
	t.Run("no text, name, address or secret is sent", func(t *testing.T) {
		sent := to.Bytes()
		for _, text := range []string{
			"Tuesdays", "Wednesdays", "oven", "exploded", "seven", "Opening", "manual", baker.Email, "baker", baker.Token, "patient-17", "hunter2", receiver.Host(), strings.TrimPrefix(upstream.BaseURL(), "http://"),
		} {
			if strings.Contains(sent, text) {
				t.Errorf("%q is sent", text)
			}
		}
	})
}

func TestCollectorThatHangsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	closing := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-closing
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(closing) })
	w := harness.Start(t, func(c *app.Config) { c.Collector, c.MetricInterval = hanging.URL, 1 })
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	for range 600 { // more than a batch
		answer, err := http.Get(w.Base + "/nothing")
		w.Must(err)
		w.Must(answer.Body.Close())
	}
	w.Expect(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token)), http.StatusOK)
	w.End() // which fails the test if it takes too long
	if log := w.ServerLog.String(); !strings.Contains(log, "did not take all telemetry") || !strings.Contains(log, "lost_spans=") {
		t.Errorf("the loss is not logged in %s", harness.Shortened(log))
	}
}
