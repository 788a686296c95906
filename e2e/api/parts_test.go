package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/mail/mailtest"
)

var (
	unpaid    = llmtest.Reply{Status: 429, ErrorBody: `{"error":{"code":"insufficient_quota"}}`, RetryAfter: "0"}
	sevenText = llmtest.Reply{Pieces: []string{"At seven."}}
)

func TestAllParts(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.Becomes("readers", true)
		w.Becomes("jobs", true)
		h := w.Health("?strict=1")
		if h.Code != 200 || h.Status != "ready" || len(h.Parts) != 10 {
			t.Errorf("a server that works answers %d %+v", h.Code, h)
		}
		for name, part := range h.Parts {
			if !part.Ready || part.Reason != "" || part.Since.IsZero() {
				t.Errorf("%s is %+v", name, part)
			}
		}
		out, complaint, code := parleyBeside(w, "doctor")
		if code != 0 || !strings.Contains(out, "server") || !strings.Contains(out, "ready") || !strings.Contains(out, "jobs") || strings.Contains(out, "not checked") {
			t.Errorf("the doctor ends with %d and says %s%s", code, out, complaint)
		}
		w.End()
		out, complaint, code = parleyBeside(w, "doctor")
		if code != 0 || !strings.Contains(out, "not checked") || !strings.Contains(out, "no server runs") {
			t.Errorf("without a server the doctor ends with %d and says %s%s", code, out, complaint)
		}
	})
}

func TestAModelThatIsOutOfQuota(t *testing.T) {
	t.Parallel()
	own, theirs := llmtest.NewServer(t, unpaid), llmtest.NewServer(t, unpaid)
	w := harness.Start(t, harness.WithModel(own), harness.WithLoopback)
	baker, rival := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("rival", plan.Standard, harness.Opening)
	ask := func(tn harness.Tenant) harness.Reply {
		return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token))
	}

	t.Run("a workspace's own provider does not count", func(t *testing.T) {
		w := w.Within(t)
		chooseModel(w, rival, theirs, chatbot.ModelChoice{})
		for range 5 {
			ask(rival)
		}
		own.Always(sevenText)
		w.CheckAnswer(ask(baker), 200, 0) // whoever asks later would see a failure
		if h := w.Health(""); !h.Parts["model"].Ready {
			t.Errorf("the model is %+v", h.Parts["model"])
		}
	})
	t.Run("the server's own degrades the server, which lists its models all the same", func(t *testing.T) {
		w := w.Within(t)
		own.Always(unpaid)
		ask(baker)
		ask(baker)
		w.Shows(harness.Fault{Part: "model", Says: "no credit", Remedy: "the account at the provider"}, w.Beside("doctor"))
	})
	t.Run("credit mends it", func(t *testing.T) {
		w := w.Within(t)
		own.Always(sevenText)
		for range 3 {
			w.CheckAnswer(ask(baker), 200, 0)
		}
		w.Mended("model")
	})
	t.Run("what a model declines, or cannot take, is no fault of it", func(t *testing.T) {
		w := w.Within(t)
		own.Always(llmtest.Reply{Status: 400, ErrorBody: `{"error":{"code":"context_length_exceeded"}}`})
		for range 10 {
			ask(baker)
		}
		own.Always(sevenText)
		w.CheckAnswer(ask(baker), 200, 0)
		if h := w.Health(""); !h.Parts["model"].Ready {
			t.Errorf("the model is %+v", h.Parts["model"])
		}
	})
}

func TestAnEmbeddingModelThatIsOutOfQuota(t *testing.T) {
	t.Parallel()
	vectors := llmtest.NewEmbeddings(t, harness.VectorSize)
	w := harness.Start(t, harness.WithEmbeddings(vectors))
	w.Searching()
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	ask := func(question string) { // no vector is made twice
		w.Call("POST", harness.ChatPath, `{"message":"`+question+`"}`, harness.Bearer(baker.Token))
	}
	vectors.Always(llmtest.EmbeddingReply{Reply: unpaid})
	for _, question := range []string{"When does the bakery open?", "When does it close?", "Is it open on holidays?"} {
		ask(question)
	}
	w.Shows(harness.Fault{Part: "model", Says: "EMBED_MODEL", Remedy: "EMBED_"}, w.Beside("doctor"))
	vectors.Always(llmtest.EmbeddingReply{})
	for _, question := range []string{"Who opens the bakery?", "At what hour is noon?", "Are there holidays?"} {
		ask(question)
	}
	w.Mended("model")
}

// readersUnder returns a program whose readers are killed by a signal while a file is there.
func readersUnder(t *testing.T, signal string) (program string, killing func(bool)) {
	t.Helper()
	dir := t.TempDir()
	flag, program := filepath.Join(dir, "kills"), filepath.Join(dir, "reader")
	script := "#!/bin/sh\n[ -e '" + flag + "' ] && kill -" + signal + " $$\nexec '" + harness.Program() + "' \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, func(yes bool) {
		err := os.Remove(flag)
		if yes {
			err = os.WriteFile(flag, nil, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func TestReadersThatAreKilled(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{"SYS", "KILL"} {
		t.Run("by SIG"+signal, func(t *testing.T) {
			t.Parallel()
			program, killing := readersUnder(t, signal)
			killing(true)
			w := harness.StartWith(t, app.Options{Program: program})
			w.Shows(harness.Fault{Part: "readers", Says: "a PDF of the server's own", Remedy: "seccomp"}, w.Beside("doctor"))
			killing(false)
			w.Mended("readers")
			baker := w.NewTenant("baker", plan.Standard)
			killing(true)
			w.Puts(w.Editor(baker), "manual", `{"title":"Manual","content":"`+strings.Repeat("Long enough for a reader of its own. ", 2000)+`"}`)
			w.Shows(harness.Fault{Part: "readers", Says: "eader"}, nil)
		})
	}
}

// refusedIndex is an index that cannot be built.
type refusedIndex struct {
	retrieval.Index
	admits *atomic.Bool
}

// Rebuild fails until it is admitted.
func (x refusedIndex) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	if !x.admits.Load() {
		return fault.New(fault.Unavailable, "the test lets no index be built")
	}
	return x.Index.Rebuild(ctx, version, fill)
}

func TestAnEmptyIndex(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	on := func(c *app.Config) { c.DataDir = data }
	t.Run("before", func(t *testing.T) {
		harness.Start(t, on).NewTenant("baker", plan.Standard, harness.Opening)
	})
	files, err := filepath.Glob(filepath.Join(data, "index.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %v, %v", files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}

	var admits atomic.Bool
	w := harness.StartWith(t, app.Options{Index: func(x retrieval.Index) retrieval.Index { return refusedIndex{x, &admits} }}, on)
	w.Shows(harness.Fault{Part: "index", Vital: true, Says: "0 of 1 documents", Remedy: "parley reindex"}, w.Beside("doctor"))
	admits.Store(true)
	_, err = w.Server.Rebuilder.Repair(w.Context())
	w.Must(err)
	w.Mended("index")
}

func TestAQueueThatIsDead(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.Becomes("jobs", true)
		rename := func(from, to string) {
			t.Helper()
			db := databaseOf(w)
			defer db.Close()
			_, err := db.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
			w.Must(err)
		}
		rename("river_job", "river_job_away")
		w.Shows(harness.Fault{Part: "jobs", Says: "queue", Remedy: "restart the server"}, w.Beside("doctor"))
		rename("river_job_away", "river_job")
		w.Mended("jobs")
	})
}

func TestAKeyThatIsBroken(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	key := filepath.Join(w.Server.Config.DataDir, "secret.key")
	w.Must(os.WriteFile(key, []byte("not a key"), 0o600))
	w.Shows(harness.Fault{Part: "settings", Vital: true, Says: "secret.key", Remedy: "backup"}, w.Beside("doctor"))
	w.Must(os.Remove(key))
	w.Mended("settings")
}

func TestAMailServerThatRefuses(t *testing.T) {
	t.Parallel()
	post := mailtest.New(t, mailtest.Options{})
	w := harness.Start(t, func(c *app.Config) {
		c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
	})
	baker := w.NewTenant("baker", plan.Standard)
	post.Refuse(451)
	forgets := func() {
		w.Expect(w.NewVisitor().Post("/forgot-password", harness.Pairs{"email", baker.Email}), 200)
	}
	forgets()
	w.Shows(harness.Fault{Part: "mail", Says: "did not take", Remedy: "SMTP_URL"}, w.Beside("doctor"))
	post.Refuse(0)
	forgets()
	w.Mended("mail")
}

func TestAStripeThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := harness.Start(t, harness.PaidAt(stripe))
	stripe.SetDown(true)
	if _, err := w.Server.Billing.Account(w.Context()); err == nil {
		t.Fatal("Stripe answers")
	}
	w.Shows(harness.Fault{Part: "stripe", Says: "Stripe failed", Remedy: "Wait"}, w.Beside("doctor"))
	stripe.SetDown(false)
	_, err := w.Server.Billing.Account(w.Context())
	w.Must(err)
	w.Mended("stripe")
}

func TestProbesCostNothing(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, sevenText)
	w := harness.Start(t, harness.WithModel(upstream))
	w.Must(w.Server.Store.Close())
	w.Becomes("database", false)
	before := w.ServerLog.String()
	for range 200 {
		w.Health("?strict=1")
	}
	written := strings.TrimPrefix(w.ServerLog.String(), before)
	if n := strings.Count(written, "part not ready"); n > 10 || upstream.Checks() > 0 {
		t.Errorf("200 probes left %d lines and asked the model %d times", n, upstream.Checks())
	}
}

func TestADoctorThatIsLiedTo(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.Must(os.Chmod(w.Server.Config.DataDir, 0o777))
	out, complaint, code := parleyBeside(w, "doctor")
	if code != 1 || !strings.Contains(out, "other users may write to the folder") || !strings.Contains(out, "chmod go-w") {
		t.Errorf("where others may write, it ends with %d and says %s%s", code, out, complaint)
	}
	w.Must(os.Chmod(w.Server.Config.DataDir, 0o700))
	if out, complaint, code = parleyBeside(w, "doctor"); code != 0 {
		t.Errorf("mended it ends with %d and says %s%s", code, out, complaint)
	}
}

func TestDoctorIsolationAlarmsNobody(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, func(c *app.Config) { c.MetricsAddr = "127.0.0.1:0" })
	w.HasNoRates()
	figures := func() []byte {
		response, err := http.Get("http://" + w.Server.MetricsAddr().String() + "/metrics")
		w.Must(err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		w.Must(err)
		var ours bytes.Buffer
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(line, "parley_requests_total") || strings.HasPrefix(line, "parley_request_duration_seconds_count") || strings.HasPrefix(line, "parley_security_events_total") {
				ours.WriteString(line)
			}
		}
		return ours.Bytes()
	}
	w.Call("GET", "/healthz", "")
	before := figures()
	nothingCrosses(w, w.Base)
	if after := figures(); !bytes.Equal(before, after) {
		t.Errorf("the check has left\n%s\nwhere it was\n%s", after, before)
	}
	if strings.Contains(w.ServerLog.String(), `msg="security event"`) {
		t.Error("the check has left a security event")
	}
	t.Run("somebody who sends the header without its secret hides nothing", func(t *testing.T) {
		for _, secret := range []string{"x", "isolation", strings.Repeat("A", 26)} {
			w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer("parley_x"), harness.Header{Name: "X-Parley-Check", Value: secret})
		}
		if n := strings.Count(w.ServerLog.String(), "event=token_refused"); n != 3 || bytes.Equal(before, figures()) {
			t.Errorf("of 3 refused tokens there are %d events and the figures\n%s", n, figures())
		}
	})
}
