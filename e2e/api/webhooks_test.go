package api

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/webhook"
	"parley/e2e/harness"
	"parley/mail/mailtest"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		to, post := harness.NewReceiver(t), mailtest.New(t, mailtest.Options{})
		w := start(func(c *app.Config) {
			c.WebhookAllow = []string{to.Host()}
			c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
		})
		w.Includes(plan.Standard, func(l *plan.Limits) { l.MessagesPerMonth = 5 })
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		w.Settled(baker)
		h := &harness.WebhookOwner{Visitor: w.SignedIn(baker.Email, baker.Password), To: to, Home: baker}

		// It fails once, and is tried again while all else happens.
		failing := sync.OnceFunc(func() { to.On("/failing", nil) })
		to.On("/failing", func(w http.ResponseWriter, _ *http.Request) {
			failing()
			http.Error(w, "The database is down.", http.StatusInternalServerError)
		})
		failingPage, failingSecret := h.Adds("/failing", webhook.QuotaNear)
		h.Does(failingPage, "/test")
		_, secret := h.Adds("/all", webhook.Kinds()...)

		// one waits for an event, and checks what all have in common.
		one := func(h *harness.WebhookOwner, kind webhook.Kind) map[string]any {
			h.Helper()
			came := h.Comes("/all", string(kind), 1)
			got := came[len(came)-1]
			if !got.SignedWith(h.T, secret) || got.Event.Timestamp.IsZero() || !strings.HasPrefix(got.Header.Get("webhook-id"), "msg_") {
				h.Errorf("%v with %s is not a message of Standard Webhooks", got.Header, got.Body)
			}
			return got.Event.Data
		}
		is := func(h *harness.WebhookOwner, data map[string]any, want map[string]any) {
			h.Helper()
			for name, value := range want {
				if data[name] != value {
					h.Errorf("%s is %v, want %v, in %v", name, data[name], value, data)
				}
			}
		}

		t.Run("a question begins a conversation and is answered", func(t *testing.T) {
			h := h.In(t)
			message, conversation := h.AskedFor(baker.Token, "ann", "When does the bakery open?")
			data := one(h, webhook.MessageCompleted)
			is(h, data, map[string]any{"chatbot_id": baker.Chatbot, "external_user_id": "ann", "outcome": "answered", "attempt": 1.0})
			if harness.Written(int64(data["message_id"].(float64))) != message {
				t.Errorf("the message %s is %v", message, data)
			}
			data = one(h, webhook.ConversationCreated)
			if is(h, data, map[string]any{"external_user_id": "ann"}); harness.Written(int64(data["conversation_id"].(float64))) != conversation {
				t.Errorf("the conversation %s is %v", conversation, data)
			}
			if n := len(to.At("/all", "message.unanswered")); n != 0 {
				t.Errorf("%d were unanswered", n)
			}
		})
		t.Run("a question that is not answered is told of as such", func(t *testing.T) {
			h := h.In(t)
			message, _ := h.AskedFor(baker.Token, "bob", "Do you sell gluten free rolls?")
			data := one(h, webhook.MessageUnanswered)
			if is(h, data, map[string]any{"external_user_id": "bob", "outcome": "no_answer"}); harness.Written(int64(data["message_id"].(float64))) != message {
				t.Errorf("the message %s is %v", message, data)
			}
		})
		t.Run("documents are ready, or failed with the reason", func(t *testing.T) {
			h := h.In(t)
			added, err := h.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Prices", Content: "A roll costs one euro."})
			h.Must(err)
			is(h, one(h, webhook.DocumentReady), map[string]any{"chatbot_id": baker.Chatbot, "document_id": added.ID, "title": "Prices", "state": "ready"})
			_, err = h.Server.Knowledge.Sources.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewSource{URL: "http://127.0.0.1/prices"})
			h.Must(err)
			if data := one(h, webhook.DocumentFailed); data["state"] != "failed" || !strings.Contains(data["reason"].(string), "no public site") {
				t.Errorf("it is %v", data)
			}
		})
		t.Run("80% of a month's messages, and all of them", func(t *testing.T) {
			h := h.In(t)
			near := func(asked, percent int) {
				t.Helper()
				for range asked {
					h.Chats(baker.Token, 200)
				}
				var came []harness.Arrival
				h.Eventually("the quota is near", func() bool {
					h.Must(h.Server.Tenants.Quotas.Watch(t.Context()))
					came = to.At("/all", "quota.near")
					return len(came) > 0 && came[len(came)-1].Event.Data["percent"] == float64(percent)
				})
				is(h, one(h, webhook.QuotaNear), map[string]any{"included": 5.0, "used": float64(percent / 20), "month": plan.MonthOf(plan.Messages, harness.Now())})
			}
			near(2, 80)
			near(1, 100)
			if n := len(to.At("/all", "quota.near")); n != 2 {
				t.Errorf("it is told of %d times", n)
			}
		})
		t.Run("a token that expires soon", func(t *testing.T) {
			h := h.In(t)
			end := harness.Now().Add(14*24*time.Hour + time.Second)
			token, _, err := h.Server.Chatbots.Tokens.Issue(t.Context(), baker.Workspace, baker.Chatbot, chatbot.NewToken{Name: "shop", CreatedBy: baker.Email, ExpiresAt: &end})
			h.Must(err)
			h.Eventually("the warning comes", func() bool {
				h.Must(h.Server.Chatbots.Announcer.WarnOfExpiring(t.Context()))
				return len(to.At("/all", "token.expiring")) > 0
			})
			is(h, one(h, webhook.TokenExpiring), map[string]any{"chatbot_id": baker.Chatbot, "token_id": token.ID, "name": "shop", "kind": "secret", "days": 14.0})
		})
		t.Run("a receiver that asks for time gets it", func(t *testing.T) {
			h := h.In(t)
			to.On("/busy", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "120")
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			page, _ := h.Adds("/busy", webhook.QuotaNear)
			h.Does(page, "/test")
			var first webhook.Delivery
			h.Eventually("the first attempt is over", func() bool {
				first = h.Deliveries(page)[0]
				return len(first.Log) == 1
			})
			if wait := first.DueAt.Sub(first.Log[0].At); first.Log[0].Status != http.StatusServiceUnavailable || wait < 2*time.Minute || wait > 3*time.Minute {
				t.Errorf("it is tried again after %v: %+v", wait, first)
			}
			to.On("/busy", nil)
			h.Later(3*time.Minute, func(p *app.Program) {
				h.Must(p.Webhooks.Sender.Work(context.WithoutCancel(t.Context())))
				p.Webhooks.Sender.Wait()
			})
			came := to.At("/busy", "")
			if len(came) != 2 || came[0].Header.Get("webhook-id") != came[1].Header.Get("webhook-id") || h.Deliveries(page)[0].Outcome != webhook.Delivered {
				t.Errorf("%d have come", len(came))
			}
		})
		t.Run("while a secret is rotated, requests are signed with both", func(t *testing.T) {
			h := h.In(t)
			page, old := h.Adds("/rotated", webhook.QuotaNear)
			r := h.Post(page+"/rotate", nil)
			h.Expect(r, http.StatusOK)
			secret := harness.SecretShown.FindString(r.Text)
			h.Does(page, "/test")
			got := h.Comes("/rotated", "webhook.test", 1)[0]
			if secret == old || !got.SignedWith(t, old) || !got.SignedWith(t, secret) || got.SignedWith(t, failingSecret) {
				t.Errorf("the signatures are %q", got.Header.Get("webhook-signature"))
			}
		})
		t.Run("a delivery is sent again from the page, with the same id", func(t *testing.T) {
			h := h.In(t)
			page, secret := h.Adds("/again", webhook.QuotaNear)
			h.Does(page, "/test")
			first := h.Comes("/again", "webhook.test", 1)[0]
			var again string
			h.Eventually("the page offers to send it again", func() bool {
				again = harness.SendsAgain.FindString(h.Get(page).Text)
				return again != ""
			})
			h.Does(page, again)
			second := h.Comes("/again", "webhook.test", 2)[1]
			if !second.SignedWith(t, secret) || second.Header.Get("webhook-id") != first.Header.Get("webhook-id") || !bytes.Equal(first.Body, second.Body) {
				t.Errorf("again comes %s with %v", second.Body, second.Header)
			}
		})
		t.Run("410 turns a webhook off, and the owner is told by mail", func(t *testing.T) {
			h := h.In(t)
			to.On("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
			page, _ := h.Adds("/gone", webhook.QuotaNear)
			h.Does(page, "/test")
			h.Eventually("the page says so", func() bool { return strings.Contains(h.Get(page).Text, "Parley turned this webhook off.") })
			var told mailtest.Mail
			h.Eventually("a mail comes", func() bool {
				_, err := h.Server.Tenants.Mails.Send(t.Context(), h.Server.Mails.Send)
				h.Must(err)
				mails := post.Mails()
				i := slices.IndexFunc(mails, func(m mailtest.Mail) bool {
					return strings.Contains(m.Data, "Subject: A webhook of baker was turned off")
				})
				if i >= 0 {
					told = mails[i]
				}
				return i >= 0
			})
			said := strings.ReplaceAll(told.Data, "=\r\n", "") // of quoted-printable
			if told.To != baker.Email || !strings.Contains(said, "answered 410 Gone") || !strings.Contains(said, "http://parley.example"+page) {
				t.Errorf("the mail to %s is %s", told.To, told.Data)
			}
			h.Does(page, "/test")
			if n := len(h.Deliveries(page)); n != 1 {
				t.Errorf("%d deliveries are there", n)
			}
		})
		t.Run("a failure is tried again after 5 seconds", func(t *testing.T) {
			h := h.In(t)
			came := h.Comes("/failing", "webhook.test", 2)
			if came[0].Header.Get("webhook-id") != came[1].Header.Get("webhook-id") || !came[1].SignedWith(t, failingSecret) {
				t.Errorf("%v and %v", came[0].Header, came[1].Header)
			}
			sent := func(a harness.Arrival) time.Time {
				seconds, err := strconv.ParseInt(a.Header.Get("webhook-timestamp"), 10, 64)
				h.Must(err)
				return time.Unix(seconds, 0)
			}
			if wait := sent(came[1]).Sub(sent(came[0])); wait < 4*time.Second {
				t.Errorf("it was tried again after %v", wait)
			}
			h.Eventually("the page lists both attempts", func() bool {
				body := h.Get(failingPage).Text
				return strings.Contains(body, "500 in ") && strings.Contains(body, "The database is down.") && strings.Contains(body, "204 in ")
			})
		})
		t.Run("every event is described, and comes as described", func(t *testing.T) {
			document, seen := harness.Description(t), map[string]bool{}
			for _, came := range to.All() {
				seen[came.Event.Type] = true
				if err := document.CheckWebhook(came.Event.Type, came.Header, came.Body); err != nil {
					t.Errorf("%s is not as api/openapi.yaml says: %v", came.Body, err)
				}
			}
			if names := slices.Sorted(maps.Keys(document.Webhooks)); !slices.Equal(slices.Sorted(maps.Keys(seen)), names) || len(names) != len(webhook.Kinds())+1 {
				t.Errorf("described are %q, and %v came", names, seen)
			}
		})
		t.Run("what is private is refused where the operator has not admitted it", func(t *testing.T) {
			h := h.In(t)
			h.Server.Config.WebhookAllow = nil // as [instance.later] opens another process
			h.Later(0, func(p *app.Program) {
				for _, address := range []string{to.URL, "https://" + to.Host(), "https://localhost/in", "https://10.0.0.1/", "https://[::1]/"} {
					_, _, err := p.Webhooks.Endpoints.Create(t.Context(), baker.Workspace, webhook.Settings{URL: address, Kinds: webhook.Kinds()})
					if err == nil {
						t.Errorf("%s is admitted", address)
					}
				}
			})
			page, _ := h.Adds("/private", webhook.QuotaNear) // from when it was admitted
			h.Later(time.Hour, func(p *app.Program) {
				id := page[strings.LastIndex(page, "/")+1:]
				h.Must(p.Webhooks.Deliveries.SendTest(t.Context(), baker.Workspace, id))
				h.Must(p.Webhooks.Sender.Work(context.WithoutCancel(t.Context())))
				p.Webhooks.Sender.Wait()
			})
			d := h.Deliveries(page)[0]
			if len(d.Log) != 1 || d.Log[0].Answer != "There is no public server at this address." || len(to.At("/private", "")) != 0 {
				t.Errorf("it is %+v", d)
			}
		})
	})
}
