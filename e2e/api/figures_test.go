package api

import (
	"strings"
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// newFigures are those that must be in the first scrape, each with as many series as its
// labels have values at least.
var newFigures = map[string]int{
	"parley_answers_total": 200, "parley_first_token_seconds_count": 1, "parley_answer_duration_seconds_count": 1, "parley_streams_open": 1,
	"parley_model_calls_total": 60, "parley_model_duration_seconds_count": 1, "parley_model_tokens_total": 4,
	"parley_jobs_pending": 3, "parley_jobs_oldest_seconds": 1, "parley_job_failures_total": 3, "parley_readers_total": 4,
	"parley_webhooks_pending": 1, "parley_webhooks_overdue_seconds": 1, "parley_mails_pending": 1, "parley_index_documents_behind": 1,
	"parley_requests_total": 15, "parley_security_events_total": 8, "parley_billing_events_total": 100, "parley_billing_corrections_total": 1, "parley_billing_alarms_total": 11,
	"parley_last_backup_timestamp_seconds": 1, "parley_unencoded_passages": 1,
}

func TestFirstScrape(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, harness.Measured)
	first := w.Scrape()
	for name, least := range newFigures {
		t.Run(name+" is there and zero", func(t *testing.T) {
			found := first.Of(name)
			if len(found) < least || first.Sum(name) != 0 {
				t.Errorf("there are %d series, whose sum is %v", len(found), first.Sum(name))
			}
		})
	}
	for _, name := range []string{"parley_build_info", "parley_disk_free_bytes", "parley_disk_size_bytes", "parley_database_connections"} {
		t.Run(name+" is there", func(t *testing.T) {
			if first.Sum(name) < 1 {
				t.Errorf("it is %v", first.Of(name))
			}
		})
	}
}

func TestFiguresOfAnswers(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At", " seven."}})
	w := harness.Start(t, harness.Measured, harness.WithModel(upstream))
	w.HasNoHurry()
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	answers := func(labels ...string) float64 { return w.Scrape().Sum("parley_answers_total", labels...) }

	t.Run("streams that fail are failures, though their status is 200", func(t *testing.T) {
		w := w.Within(t)
		upstream.Always(llmtest.Reply{Status: 401})
		for range 5 {
			w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token)).Rest()
		}
		now := w.Scrape()
		if n := now.Sum("parley_answers_total", "transport=stream", "outcome=failed", "code=model_key_rejected"); n != 5 {
			t.Errorf("%v have failed: %v", n, now.Of("parley_answers_total"))
		}
		if n := now.Sum("parley_answers_total"); n != 5 {
			t.Errorf("%v are counted in all", n)
		}
		if n := now.Sum("parley_answer_duration_seconds_count"); n != 5 {
			t.Errorf("%v have a duration", n)
		}
		if n := now.Sum("parley_first_token_seconds_count"); n != 0 {
			t.Errorf("%v have a first token", n)
		}
		if n := now.Sum("parley_model_calls_total", "provider=server", "purpose=answer", "outcome=key_rejected"); n != 5 {
			t.Errorf("%v calls of the model were refused: %v", n, now.Of("parley_model_calls_total"))
		}
	})
	t.Run("a stream is counted and timed at its end", func(t *testing.T) {
		w := w.Within(t)
		gate := llmtest.NewGate()
		upstream.Always(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		events := w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token))
		<-gate.Reached()
		during := w.Scrape()
		if open, ended := during.Sum("parley_streams_open"), during.Sum("parley_answers_total", "outcome=completed"); open != 1 || ended != 0 {
			t.Errorf("while it runs %v are open and %v have ended", open, ended)
		}
		gate.Release()
		events.Rest()
		after := w.Scrape()
		if n := after.Sum("parley_answers_total", "transport=stream", "outcome=completed", "code=none"); n != 1 {
			t.Errorf("%v are complete: %v", n, after.Of("parley_answers_total"))
		}
		if n := after.Sum("parley_first_token_seconds_count"); n != 1 {
			t.Errorf("%v have a first token", n)
		}
		if n := after.Sum("parley_model_tokens_total", "provider=server", "kind=completion"); n < 1 {
			t.Errorf("%v tokens are counted", n)
		}
		w.Eventually("no stream is open", func() bool { return w.Scrape().Sum("parley_streams_open") == 0 })
	})
	t.Run("each interface counts for itself", func(t *testing.T) {
		w := w.Within(t)
		upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
		w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
		for transport, stream := range map[string]string{"openai": "false", "openai_stream": "true"} {
			w.Call("POST", "/api/v1/openai/chat/completions", `{"model":"parley","stream":`+stream+`,"messages":[{"role":"user","content":"When does the bakery open?"}]}`, harness.Bearer(baker.Token))
			w.Eventually(transport+" is counted", func() bool { return answers("transport="+transport) == 1 })
		}
		if n := answers("transport=chat", "outcome=completed"); n != 1 {
			t.Errorf("chat has %v", n)
		}
	})
	t.Run("what is refused counts with its code, and has no duration", func(t *testing.T) {
		w := w.Within(t)
		before := w.Scrape().Sum("parley_answer_duration_seconds_count")
		w.Call("POST", harness.StreamPath, `{}`, harness.Bearer(baker.Token))
		w.Call("POST", harness.StreamPath, `{"message":"When?","conversation_id":4711}`, harness.Bearer(baker.Token))
		now := w.Scrape()
		if bad, unknown := now.Sum("parley_answers_total", "transport=stream", "outcome=refused", "code=invalid_request"), now.Sum("parley_answers_total", "outcome=refused", "code=not_found"); bad != 1 || unknown != 1 {
			t.Errorf("%v and %v are refused: %v", bad, unknown, now.Of("parley_answers_total"))
		}
		if after := now.Sum("parley_answer_duration_seconds_count"); after != before {
			t.Errorf("%v have a duration, and %v had", after, before)
		}
	})
	t.Run("a stream whose reader leaves is interrupted by its client", func(t *testing.T) {
		w := w.Within(t)
		gate := llmtest.NewGate()
		defer gate.Release()
		upstream.Always(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		response := w.Send("POST", harness.StreamPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
		<-gate.Reached()
		response.Body.Close()
		w.Eventually("it is counted", func() bool {
			return answers("transport=stream", "outcome=interrupted", "code=client_gone") == 1
		})
	})
	t.Run("an answer that is stopped has not failed", func(t *testing.T) {
		w := w.Within(t)
		gate := llmtest.NewGate()
		defer gate.Release()
		upstream.Always(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		id := harness.Written(w.NewConversation(baker.Token, ""))
		events := w.Stream(harness.Asking(id), harness.Bearer(baker.Token))
		<-gate.Reached()
		w.Expect(w.Call("POST", harness.ConversationsPath+"/"+id+"/stop", "", harness.Bearer(baker.Token)), 200)
		events.Rest()
		if n := answers("transport=stream", "outcome=stopped"); n != 1 {
			t.Errorf("%v are stopped", n)
		}
	})
	t.Run("no label names a workspace, a chatbot or a token", func(t *testing.T) {
		for _, one := range w.Scrape() {
			for label, value := range one.Labels {
				for _, private := range []string{baker.Workspace, baker.Chatbot, baker.TokenID, "baker"} {
					if strings.Contains(value, private) {
						t.Errorf("%s has the label %s=%q", one.Name, label, value)
					}
				}
			}
		}
	})
}
