package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/core/webhook"
	"parley/store"
	"parley/store/storetest"
)

// receiver is another program, which keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	asked    string
	got      []received
	arriving func()
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, received{request.Header.Clone(), body})
		status, asked, arriving := r.status, r.asked, r.arriving
		r.mu.Unlock()
		if arriving != nil {
			arriving()
		}
		w.Header().Set("Location", "/elsewhere")
		if asked != "" {
			w.Header().Set("Retry-After", asked)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "the answer")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// asks sets what is said in Retry-After.
func (r *receiver) asks(header string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = header
}

// take returns what has come since it was called last.
func (r *receiver) take() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// hooks is a program whose clock stands, with a workspace on the Standard plan.
type hooks struct {
	*testing.T
	*Program
	at    time.Time
	space string
	to    *receiver
}

func openHooks(t *testing.T, database string) *hooks {
	t.Helper()
	h := &hooks{T: t, at: Now(), to: newReceiver(t)}
	base := Config{}
	base.DataDir, base.DatabaseURL = t.TempDir(), database
	base.WebhookAllow = []string{"127.0.0.1:*"}
	base.SecretKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	var err error
	h.Program, err = OpenWith(t.Context(), &base, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	_, h.space, err = h.Tenants.SignUps.Create(t.Context(), account.Account{Email: "owner@example.com", Password: "correct horse battery", Workspace: "Shop"})
	h.must(err)
	h.must(h.Tenants.Grants.Grant(t.Context(), h.space, subscription.Grant{Plan: plan.Standard}))
	return h
}

func (h *hooks) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *hooks) endpoint(kinds ...webhook.Kind) (webhook.Endpoint, webhook.Secret) {
	h.Helper()
	e, secret, err := h.Webhooks.Endpoints.Create(h.Context(), h.space, webhook.Settings{URL: h.to.URL + "/in", Kinds: kinds})
	h.must(err)
	return e, secret
}

// sent sends what is due, and returns what has arrived.
func (h *hooks) sent() []received {
	h.Helper()
	h.must(h.Webhooks.Sender.Work(h.Context()))
	h.Webhooks.Sender.Wait()
	return h.to.take()
}

func (h *hooks) deliveries(e webhook.Endpoint) []webhook.Delivery {
	h.Helper()
	all, err := h.Webhooks.Deliveries.List(h.Context(), h.space, e.ID, 0, 100)
	h.must(err)
	return all
}

func verified(t *testing.T, secret webhook.Secret, r received) bool {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(string(secret))
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(r.body, r.header) == nil
}

func TestWebhooks(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testWebhooks(t, openHooks(t, database(t)))
		})
	}
}

func testWebhooks(t *testing.T, h *hooks) {
	ctx := t.Context()
	run := func(name string, test func(*testing.T)) {
		t.Run(name, func(t *testing.T) {
			outer := h.T
			h.T = t
			defer func() { h.T = outer }()
			test(t)
		})
	}

	run("a message is signed as the standard says", func(t *testing.T) {
		e, secret := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got := h.sent()
		if len(got) != 1 || !verified(t, secret, got[0]) {
			t.Fatalf("got %d, not signed by %d characters", len(got), len(string(secret)))
		}
		var payload struct {
			Type      string
			Timestamp time.Time
			Data      map[string]any
		}
		h.must(json.Unmarshal(got[0].body, &payload))
		if payload.Type != "webhook.test" || payload.Timestamp.IsZero() || payload.Data["message"] == "" {
			t.Errorf("the payload is %s", got[0].body)
		}
		d := h.deliveries(e)
		if d[0].Outcome != webhook.Delivered || len(d[0].Log) != 1 || d[0].Log[0].Status != 204 || len(h.sent()) != 0 {
			t.Errorf("the delivery is %+v", d)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("for a day after a rotation both secrets verify, and then the new one alone", func(t *testing.T) {
		e, old := h.endpoint(webhook.QuotaNear)
		_, secret, err := h.Webhooks.Endpoints.Rotate(ctx, h.space, e.ID)
		h.must(err)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got := h.sent()
		if len(got) != 1 || !verified(t, old, got[0]) || !verified(t, secret, got[0]) {
			t.Error("both must verify")
		}
		start := h.at
		h.at = h.at.Add(24*time.Hour + time.Second)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got = h.sent()
		signatures := strings.Fields(got[0].header.Get("webhook-signature"))
		if len(signatures) != 1 {
			t.Errorf("there are %d signatures", len(signatures))
		}
		h.at = start
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a secret that cannot be read is said to be so, and sealed again with another key", func(t *testing.T) {
		const former, current = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		e, old := h.endpoint(webhook.QuotaNear)
		_, secret, err := h.Webhooks.Endpoints.Rotate(ctx, h.space, e.ID)
		h.must(err)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		began := h.at
		defer func() { h.at = began }()
		keyed := func(keys string) *hooks {
			config := *h.Config
			config.SecretKey = keys
			p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
			h.must(err)
			t.Cleanup(func() { _ = p.Close() })
			return &hooks{T: t, Program: p, at: h.at, space: h.space, to: h.to}
		}

		lost := keyed(current)
		if came := lost.sent(); len(came) != 0 {
			t.Errorf("%d are sent", len(came))
		}
		d := lost.deliveries(e)[0]
		if len(d.Log) != 1 || d.Log[0].Status != 0 || !strings.Contains(d.Log[0].Answer, "cannot read the webhook's secret") || d.DueAt == nil || !d.DueAt.After(h.at) {
			t.Errorf("the delivery is %+v", d)
		}
		for p, want := range map[*hooks]bool{lost: true, h: false} {
			got, err := p.Webhooks.Endpoints.Get(ctx, h.space, e.ID)
			listed, err2 := p.Webhooks.Endpoints.List(ctx, h.space)
			if err != nil || err2 != nil || got.Unreadable != want || listed[0].Unreadable != want {
				t.Errorf("unreadable is %v: %v, %v", got.Unreadable, err, err2)
			}
		}
		sealed, unreadable, err := lost.Webhooks.Resealer.Reseal(ctx)
		if sealed != 0 || len(unreadable) != 1 || unreadable[0].ID != e.ID || err != nil {
			t.Errorf("%d are sealed, %v are not: %v", sealed, unreadable, err)
		}
		sealed, unreadable, err = keyed(current + "," + former).Webhooks.Resealer.Reseal(ctx)
		if sealed != 1 || len(unreadable) != 0 || err != nil {
			t.Errorf("%d are sealed, %v are not: %v", sealed, unreadable, err)
		}
		h.at = *d.DueAt
		if came := lost.sent(); len(came) != 1 || !verified(t, secret, came[0]) || !verified(t, old, came[0]) {
			t.Errorf("%d are sent", len(came))
		}
		entries, _, err := h.Tenants.Audit.Of(ctx, h.space, audit.Filter{Actions: []audit.Action{audit.WebhookResealed}, Limit: 10})
		if err != nil || len(entries) != 1 {
			t.Errorf("the entries are %+v, %v", entries, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a failure is tried again for three days, then the endpoint is disabled", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusFound) // which is not followed
		defer h.to.answers(http.StatusNoContent)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		start, ids := h.at, map[string]bool{}
		tries := 0
		for {
			got := h.sent()
			tries += len(got)
			for _, r := range got {
				ids[r.header.Get("webhook-id")] = true
			}
			d := h.deliveries(e)[0]
			if d.DueAt == nil {
				break
			}
			if !d.DueAt.After(h.at) {
				t.Fatal("it is due at once")
			}
			h.at = *d.DueAt
		}
		if took := h.at.Sub(start); tries != 10 || len(ids) != 1 || took < 60*time.Hour || took > 90*time.Hour {
			t.Errorf("%d tries with %d ids in %s", tries, len(ids), took)
		}
		now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID)
		if err != nil || now.State != webhook.Disabled || now.Reason == "" {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		d := h.deliveries(e)[0]
		if err := h.Webhooks.Deliveries.SendAgain(ctx, h.space, e.ID, d.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("sending to a disabled endpoint gives %v", err)
		}
		h.must(h.Webhooks.Endpoints.Resume(ctx, h.space, e.ID))
		h.to.answers(http.StatusOK)
		h.must(h.Webhooks.Deliveries.SendAgain(ctx, h.space, e.ID, d.ID))
		got := h.sent()
		if len(got) != 1 || !ids[got[0].header.Get("webhook-id")] || h.deliveries(e)[0].Outcome != webhook.Delivered {
			t.Errorf("it was sent %d times again", len(got))
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a receiver that asks for time gets it, an hour at most", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusServiceUnavailable)
		defer h.to.answers(http.StatusNoContent)
		for _, c := range []struct {
			asked    string
			from, to time.Duration
		}{
			{"", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"nonsense", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"-7", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"1", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"120", 2 * time.Minute, 132 * time.Second},
			{time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat), 9 * time.Minute, 11 * time.Minute},
			{"99999999999999999999", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"999999999", time.Hour, 66 * time.Minute},
		} {
			h.to.asks(c.asked)
			h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
			h.sent()
			if d := h.deliveries(e)[0]; d.DueAt == nil || d.DueAt.Sub(h.at) < c.from || d.DueAt.Sub(h.at) > c.to {
				t.Errorf("Retry-After: %s makes it due at %v, after %v", c.asked, d.DueAt, h.at)
			}
		}
		h.to.asks("")
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a token's last days are published once each, and no mail server is needed", func(t *testing.T) {
		began := h.at
		defer func() { h.at = began }()
		bot, err := h.Chatbots.Create(ctx, h.space, chatbot.Settings{Name: "Guide"})
		h.must(err)
		end := h.at.Add(20 * 24 * time.Hour)
		token, _, err := h.Chatbots.Tokens.Issue(ctx, h.space, bot.ID, chatbot.NewToken{Name: "shop", ExpiresAt: &end})
		h.must(err)
		e, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: []webhook.Kind{webhook.TokenExpiring}, ChatbotID: bot.ID})
		h.must(err)
		for _, step := range []struct{ at, left float64 }{{5, 0}, {7, 14}, {10, 0}, {18, 3}, {19, 0}} {
			h.at = began.Add(time.Duration(step.at * 24 * float64(time.Hour)))
			for range 2 {
				h.must(h.Chatbots.Tokens.WarnOfExpiring(ctx))
			}
			got := h.sent()
			if len(got) == 0 && step.left == 0 {
				continue
			}
			var payload struct {
				Type string
				Data map[string]any
			}
			if len(got) == 1 {
				h.must(json.Unmarshal(got[0].body, &payload))
			}
			if payload.Type != "token.expiring" || payload.Data["days"] != step.left || payload.Data["token_id"] != token.ID || payload.Data["chatbot_id"] != bot.ID || payload.Data["name"] != "shop" {
				t.Errorf("after %v days come %d, such as %v", step.at, len(got), payload)
			}
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("410 disables an endpoint at once", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusGone)
		defer h.to.answers(http.StatusNoContent)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.sent()
		if now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID); err != nil || now.State != webhook.Disabled {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		entries, _, err := h.Tenants.Audit.Of(ctx, h.space, audit.Filter{Actions: []audit.Action{audit.WebhookDisabled}, Limit: 10})
		if err != nil || len(entries) == 0 || strings.Contains(entries[0].Object.Name, "/in") {
			t.Errorf("the entries are %+v, %v", entries, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a receiver that does not answer slows no other workspace's, and what is too much for it is listed", func(t *testing.T) {
		_, other, err := h.Tenants.SignUps.Create(ctx, account.Account{Email: "other@example.com", Password: "correct horse battery", Workspace: "Other"})
		h.must(err)
		h.must(h.Tenants.Grants.Grant(ctx, other, subscription.Grant{Plan: plan.Standard}))
		quick := newReceiver(t)
		healthy, _, err := h.Webhooks.Endpoints.Create(ctx, other, webhook.Settings{URL: quick.URL, Kinds: webhook.Kinds()})
		h.must(err)
		dead, _ := h.endpoint(webhook.QuotaNear)
		begun, release := make(chan bool, 20), make(chan bool)
		h.to.mu.Lock()
		h.to.arriving = func() { begun <- true; <-release }
		h.to.mu.Unlock()
		for range 20 {
			h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, dead.ID))
		}
		for range 20 {
			h.must(h.Webhooks.Deliveries.SendTest(ctx, other, healthy.ID))
		}
		h.must(h.Webhooks.Sender.Work(ctx))
		arrived := 0
		for deadline := time.Now().Add(20 * time.Second); arrived < 20 && time.Now().Before(deadline); {
			arrived += len(quick.take())
			time.Sleep(time.Millisecond)
		}
		if arrived != 20 || len(begun) != 4 {
			t.Errorf("%d have arrived beside %d that are under way to the other", arrived, len(begun))
		}
		deliveries := store.NewWebhookDeliveries(h.Store)
		for space, want := range map[string]int{h.space: 20, other: 0} {
			waiting, err := deliveries.Pending(ctx, space)
			if err != nil || waiting[dead.ID] != want {
				t.Errorf("%v wait: %v", waiting, err)
			}
		}
		full := webhook.Sending{
			Message: webhook.Message{ID: "msg_full", Kind: webhook.QuotaNear, Payload: "{}", CreatedAt: h.at}, Full: []string{dead.ID},
			Log: []webhook.Attempt{{At: h.at, Answer: "Too much was waiting."}},
		}
		h.must(deliveries.AddMessages(ctx, h.space, []webhook.Sending{full}))
		if d := h.deliveries(dead)[0]; d.Message.ID != "msg_full" || d.Outcome != webhook.Canceled || d.DueAt != nil || len(d.Log) != 1 || d.Log[0].Answer != full.Log[0].Answer {
			t.Errorf("it is listed as %+v", d)
		}
		close(release)
		h.Webhooks.Sender.Wait()
		h.to.mu.Lock()
		h.to.arriving = nil
		h.to.mu.Unlock()
		if n := len(h.to.take()); n != 20 {
			t.Errorf("%d came in the end", n)
		}
		h.must(h.Webhooks.Deliveries.SendAgain(ctx, h.space, dead.ID, h.deliveries(dead)[0].ID))
		if n := len(h.sent()); n != 1 {
			t.Errorf("%d are sent again", n)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, dead.ID))
	})
	run("what a dead process has begun is sent again with the same id", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		dying, kill := context.WithCancel(ctx)
		h.to.mu.Lock()
		h.to.arriving = kill
		h.to.mu.Unlock()
		if err := h.Webhooks.Sender.Work(dying); err != nil && dying.Err() == nil {
			t.Fatal(err)
		}
		h.Webhooks.Sender.Wait()
		h.to.mu.Lock()
		h.to.arriving = nil
		h.to.mu.Unlock()
		first := h.to.take()
		if got := h.sent(); len(got) != 0 {
			t.Error("another process has sent it during the lease")
		}
		h.at = h.at.Add(time.Minute)
		again := h.sent()
		if len(first) != 1 || len(again) != 1 || first[0].header.Get("webhook-id") != again[0].header.Get("webhook-id") {
			t.Errorf("it was sent %d and %d times", len(first), len(again))
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("events reach those who want them, once, with public ids", func(t *testing.T) {
		e, _ := h.endpoint(webhook.Kinds()...)
		record := stats.Record{
			ID: 1, WorkspaceID: h.space, ChatbotID: "cb_1", Counts: true, ConversationID: 4, MessageID: 9, Attempt: 1, Opens: true,
			Outcome: chat.NoAnswer, At: h.at,
		}
		tried, old := record, record
		tried.Counts, tried.MessageID = false, 10
		old.At, old.MessageID = h.at.Add(-time.Second), 11 // from before there was the endpoint
		for range 2 {
			h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
				return eventsOf(h.Program).Counted(ctx, []stats.Record{record, tried, old})
			}))
		}
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			failed := knowledge.Document{WorkspaceID: h.space, ChatbotID: "cb_1", ID: "doc_1", State: knowledge.Failed, Reason: "There is no text in it."}
			return eventsOf(h.Program).DocumentSettled(ctx, failed)
		}))
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			return eventsOf(h.Program).QuotaReached(ctx, tenant.QuotaUse{WorkspaceID: h.space, Used: 8, Included: 10}, 80)
		}))
		var types []string
		for _, r := range h.sent() { // all, though an endpoint is sent four at once
			var payload struct {
				Type string
				Data map[string]any
			}
			h.must(json.Unmarshal(r.body, &payload))
			types = append(types, payload.Type)
			if id, has := payload.Data["conversation_id"]; has && int64(id.(float64)) != h.IDs.Conversation(4) {
				t.Errorf("the conversation is %v", id)
			}
		}
		slices.Sort(types)
		want := []string{"conversation.created", "document.failed", "message.completed", "message.unanswered", "quota.near"}
		if !slices.Equal(types, want) {
			t.Errorf("got %v", types)
		}
		h.must(h.Webhooks.Endpoints.Pause(ctx, h.space, e.ID))
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			return eventsOf(h.Program).QuotaReached(ctx, tenant.QuotaUse{WorkspaceID: h.space, Used: 8, Included: 10}, 80)
		}))
		if len(h.sent()) != 0 {
			t.Error("a paused endpoint receives events")
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a secret that stays unreadable turns the endpoint off with the reason", func(t *testing.T) {
		began := h.at
		defer func() { h.at = began }()
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.to.take()
		config := *h.Config
		config.SecretKey = "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
		h.must(err)
		defer p.Close()
		for range 10 {
			h.must(p.Webhooks.Sender.Work(ctx))
			p.Webhooks.Sender.Wait()
			if d := h.deliveries(e)[0]; d.DueAt != nil {
				h.at = *d.DueAt
			}
		}
		if now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID); err != nil || now.State != webhook.Disabled || !strings.Contains(now.Reason, "secret could not be read") || len(h.to.take()) != 0 {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	run("a server without a key for secrets says so, beside no field", func(t *testing.T) {
		if h.Store.IsSQLite() {
			return // which makes one
		}
		config := *h.Config
		config.SecretKey = ""
		p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
		h.must(err)
		defer p.Close()
		_, _, err = p.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
		if f := fault.As(err); f.Kind != fault.Unavailable || f.Field != "" || !strings.Contains(f.Message, "SECRET_KEY") {
			t.Errorf("it gives %v", err)
		}
	})
	run("old messages are deleted with their deliveries", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.sent()
		h.at = h.at.Add(31 * 24 * time.Hour)
		h.must(h.Webhooks.Sender.DeleteOld(ctx))
		if left := h.deliveries(e); len(left) != 0 {
			t.Errorf("%d are left", len(left))
		}
	})
	run("a workspace has ten endpoints at most, however many are added at once", func(t *testing.T) {
		listed, err := h.Webhooks.Endpoints.List(ctx, h.space)
		h.must(err)
		for _, e := range listed {
			h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
		}
		var adding sync.WaitGroup
		refused := make(chan error, webhook.MaxEndpoints+3)
		for range webhook.MaxEndpoints + 3 {
			adding.Go(func() {
				_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
				if err != nil {
					refused <- err
				}
			})
		}
		adding.Wait()
		close(refused)
		if len(refused) != 3 {
			t.Errorf("%d are refused", len(refused))
		}
		for err := range refused {
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("it gives %v", err)
			}
		}
		listed, err = h.Webhooks.Endpoints.List(ctx, h.space)
		h.must(err)
		for _, e := range listed {
			h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
		}
	})
	run("private addresses and bad settings are refused", func(t *testing.T) {
		for _, address := range []string{
			"", "nonsense", "ftp://example.com", "https://10.0.0.1/", "https://[::1]/", "http://169.254.169.254/latest", "https://u:p@example.com/", "https://127.0.0.2:1/",
		} {
			_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: address, Kinds: webhook.Kinds()})
			if failure := fault.As(err); err == nil || failure.Kind != fault.Invalid || failure.Field != "url" {
				t.Errorf("%q gives %v", address, err)
			}
		}
		_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: []webhook.Kind{webhook.Test}})
		if fault.As(err).Field != "events" {
			t.Errorf("an event that nobody subscribes to gives %v", err)
		}
	})
	run("a plan without API access has none", func(t *testing.T) {
		h.must(h.Tenants.Grants.Grant(ctx, h.space, subscription.Grant{Plan: plan.Starter}))
		_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("it gives %v", err)
		}
	})
}
