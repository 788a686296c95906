package e2e

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"regexp"
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
	"parley/mail/mailtest"
)

// hooked is an owner with a receiver.
type hooked struct {
	*visitor
	to   *receiver
	home tenantOf
}

func (h *hooked) in(t *testing.T) *hooked { return &hooked{h.visitor.in(t), h.to, h.home} }

var (
	secretShown = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)
	webhookLink = regexp.MustCompile(`/webhooks/(we_[a-z0-9]+)`)
	sendsAgain  = regexp.MustCompile(`/deliveries/[0-9]+/send`)
)

// adds adds a webhook on the page, and returns its address there and its secret.
func (h *hooked) adds(path string, kinds ...webhook.Kind) (page, secret string) {
	h.Helper()
	typed := pairs{"url", h.to.URL + path}
	for _, kind := range kinds {
		typed = append(typed, string(kind), "on")
	}
	list := "/workspaces/" + h.home.workspace + "/webhooks"
	r := h.post(list, typed)
	h.expect(r, http.StatusOK)
	secret = secretShown.FindString(r.body)
	found := webhookLink.FindStringSubmatch(r.body)
	if found == nil || secret == "" || r.Header.Get("Cache-Control") != "no-store" {
		h.Fatalf("no webhook is added: %s", shortened(r.body))
	}
	return list + "/" + found[1], secret
}

// does presses a button of a webhook's page.
func (h *hooked) does(page, act string) {
	h.Helper()
	h.expect(h.post(page+act, nil), http.StatusSeeOther)
}

// comes waits for a request at a path.
func (h *hooked) comes(path, kind string, n int) []arrival {
	h.Helper()
	var came []arrival
	h.eventually(kind+" comes at "+path, func() bool {
		came = h.to.at(path, kind)
		return len(came) >= n
	})
	return came
}

// deliveries are what the program keeps of what was sent.
func (h *hooked) deliveries(page string) []webhook.Delivery {
	h.Helper()
	all, err := h.server.Program.Webhooks.Deliveries.List(h.Context(), h.home.workspace, page[strings.LastIndex(page, "/")+1:], 0, 100)
	h.must(err)
	return all
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		to, post := newReceiver(t), mailtest.New(t, mailtest.Options{})
		w := start(func(c *app.Config) {
			c.WebhookAllow = []string{to.host()}
			c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
		})
		w.includes(plan.Standard, func(l *plan.Limits) { l.MessagesPerMonth = 5 })
		baker := w.newTenant("baker", plan.Standard, opening)
		w.settled(baker)
		h := &hooked{w.signedIn(baker.email, baker.password), to, baker}

		// It fails once, and is tried again while all else happens.
		failing := sync.OnceFunc(func() { to.on("/failing", nil) })
		to.on("/failing", func(w http.ResponseWriter, _ *http.Request) {
			failing()
			http.Error(w, "The database is down.", http.StatusInternalServerError)
		})
		failingPage, failingSecret := h.adds("/failing", webhook.QuotaNear)
		h.does(failingPage, "/test")
		_, secret := h.adds("/all", webhook.Kinds()...)

		// one waits for an event, and checks what all have in common.
		one := func(h *hooked, kind webhook.Kind) map[string]any {
			h.Helper()
			came := h.comes("/all", string(kind), 1)
			got := came[len(came)-1]
			if !got.signedWith(h.T, secret) || got.event.Timestamp.IsZero() || !strings.HasPrefix(got.header.Get("webhook-id"), "msg_") {
				h.Errorf("%v with %s is not a message of Standard Webhooks", got.header, got.body)
			}
			return got.event.Data
		}
		is := func(h *hooked, data map[string]any, want map[string]any) {
			h.Helper()
			for name, value := range want {
				if data[name] != value {
					h.Errorf("%s is %v, want %v, in %v", name, data[name], value, data)
				}
			}
		}

		t.Run("a question begins a conversation and is answered", func(t *testing.T) {
			h := h.in(t)
			message, conversation := h.askedFor(baker.token, "ann", "When does the bakery open?")
			data := one(h, webhook.MessageCompleted)
			is(h, data, map[string]any{"chatbot_id": baker.chatbot, "external_user_id": "ann", "outcome": "answered", "attempt": 1.0})
			if written(int64(data["message_id"].(float64))) != message {
				t.Errorf("the message %s is %v", message, data)
			}
			data = one(h, webhook.ConversationCreated)
			if is(h, data, map[string]any{"external_user_id": "ann"}); written(int64(data["conversation_id"].(float64))) != conversation {
				t.Errorf("the conversation %s is %v", conversation, data)
			}
			if n := len(to.at("/all", "message.unanswered")); n != 0 {
				t.Errorf("%d were unanswered", n)
			}
		})
		t.Run("a question that is not answered is told of as such", func(t *testing.T) {
			h := h.in(t)
			message, _ := h.askedFor(baker.token, "bob", "Do you sell gluten free rolls?")
			data := one(h, webhook.MessageUnanswered)
			if is(h, data, map[string]any{"external_user_id": "bob", "outcome": "no_answer"}); written(int64(data["message_id"].(float64))) != message {
				t.Errorf("the message %s is %v", message, data)
			}
		})
		t.Run("documents are ready, or failed with the reason", func(t *testing.T) {
			h := h.in(t)
			added, err := h.server.Knowledge.Documents.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewDocument{Title: "Prices", Content: "A roll costs one euro."})
			h.must(err)
			is(h, one(h, webhook.DocumentReady), map[string]any{"chatbot_id": baker.chatbot, "document_id": added.ID, "title": "Prices", "state": "ready"})
			_, err = h.server.Knowledge.Sources.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewSource{URL: "http://127.0.0.1/prices"})
			h.must(err)
			if data := one(h, webhook.DocumentFailed); data["state"] != "failed" || !strings.Contains(data["reason"].(string), "no public site") {
				t.Errorf("it is %v", data)
			}
		})
		t.Run("80% of a month's messages, and all of them", func(t *testing.T) {
			h := h.in(t)
			near := func(asked, percent int) {
				t.Helper()
				for range asked {
					h.chats(baker.token, 200)
				}
				var came []arrival
				h.eventually("the quota is near", func() bool {
					h.must(h.server.Tenants.Quotas.Watch(t.Context()))
					came = to.at("/all", "quota.near")
					return len(came) > 0 && came[len(came)-1].event.Data["percent"] == float64(percent)
				})
				is(h, one(h, webhook.QuotaNear), map[string]any{"included": 5.0, "used": float64(percent / 20), "month": plan.MonthOf(plan.Messages, now())})
			}
			near(2, 80)
			near(1, 100)
			if n := len(to.at("/all", "quota.near")); n != 2 {
				t.Errorf("it is told of %d times", n)
			}
		})
		t.Run("a token that expires soon", func(t *testing.T) {
			h := h.in(t)
			end := now().Add(14*24*time.Hour + time.Second)
			token, _, err := h.server.Chatbots.Tokens.Issue(t.Context(), baker.workspace, baker.chatbot, chatbot.NewToken{Name: "shop", CreatedBy: baker.email, ExpiresAt: &end})
			h.must(err)
			h.eventually("the warning comes", func() bool {
				h.must(h.server.Chatbots.Announcer.WarnOfExpiring(t.Context()))
				return len(to.at("/all", "token.expiring")) > 0
			})
			is(h, one(h, webhook.TokenExpiring), map[string]any{"chatbot_id": baker.chatbot, "token_id": token.ID, "name": "shop", "kind": "secret", "days": 14.0})
		})
		t.Run("a receiver that asks for time gets it", func(t *testing.T) {
			h := h.in(t)
			to.on("/busy", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "120")
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			page, _ := h.adds("/busy", webhook.QuotaNear)
			h.does(page, "/test")
			var first webhook.Delivery
			h.eventually("the first attempt is over", func() bool {
				first = h.deliveries(page)[0]
				return len(first.Log) == 1
			})
			if wait := first.DueAt.Sub(first.Log[0].At); first.Log[0].Status != http.StatusServiceUnavailable || wait < 2*time.Minute || wait > 3*time.Minute {
				t.Errorf("it is tried again after %v: %+v", wait, first)
			}
			to.on("/busy", nil)
			h.later(3*time.Minute, func(p *app.Program) {
				h.must(p.Webhooks.Sender.Work(context.WithoutCancel(t.Context())))
				p.Webhooks.Sender.Wait()
			})
			came := to.at("/busy", "")
			if len(came) != 2 || came[0].header.Get("webhook-id") != came[1].header.Get("webhook-id") || h.deliveries(page)[0].Outcome != webhook.Delivered {
				t.Errorf("%d have come", len(came))
			}
		})
		t.Run("while a secret is rotated, requests are signed with both", func(t *testing.T) {
			h := h.in(t)
			page, old := h.adds("/rotated", webhook.QuotaNear)
			r := h.post(page+"/rotate", nil)
			h.expect(r, http.StatusOK)
			secret := secretShown.FindString(r.body)
			h.does(page, "/test")
			got := h.comes("/rotated", "webhook.test", 1)[0]
			if secret == old || !got.signedWith(t, old) || !got.signedWith(t, secret) || got.signedWith(t, failingSecret) {
				t.Errorf("the signatures are %q", got.header.Get("webhook-signature"))
			}
		})
		t.Run("a delivery is sent again from the page, with the same id", func(t *testing.T) {
			h := h.in(t)
			page, secret := h.adds("/again", webhook.QuotaNear)
			h.does(page, "/test")
			first := h.comes("/again", "webhook.test", 1)[0]
			var again string
			h.eventually("the page offers to send it again", func() bool {
				again = sendsAgain.FindString(h.get(page).body)
				return again != ""
			})
			h.does(page, again)
			second := h.comes("/again", "webhook.test", 2)[1]
			if !second.signedWith(t, secret) || second.header.Get("webhook-id") != first.header.Get("webhook-id") || !bytes.Equal(first.body, second.body) {
				t.Errorf("again comes %s with %v", second.body, second.header)
			}
		})
		t.Run("410 turns a webhook off, and the owner is told by mail", func(t *testing.T) {
			h := h.in(t)
			to.on("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
			page, _ := h.adds("/gone", webhook.QuotaNear)
			h.does(page, "/test")
			h.eventually("the page says so", func() bool { return strings.Contains(h.get(page).body, "Parley turned this webhook off.") })
			var told mailtest.Mail
			h.eventually("a mail comes", func() bool {
				_, err := h.server.Tenants.Mails.Send(t.Context(), h.server.Mails.Send)
				h.must(err)
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
			if told.To != baker.email || !strings.Contains(said, "answered 410 Gone") || !strings.Contains(said, "http://parley.example"+page) {
				t.Errorf("the mail to %s is %s", told.To, told.Data)
			}
			h.does(page, "/test")
			if n := len(h.deliveries(page)); n != 1 {
				t.Errorf("%d deliveries are there", n)
			}
		})
		t.Run("a failure is tried again after 5 seconds", func(t *testing.T) {
			h := h.in(t)
			came := h.comes("/failing", "webhook.test", 2)
			if came[0].header.Get("webhook-id") != came[1].header.Get("webhook-id") || !came[1].signedWith(t, failingSecret) {
				t.Errorf("%v and %v", came[0].header, came[1].header)
			}
			sent := func(a arrival) time.Time {
				seconds, err := strconv.ParseInt(a.header.Get("webhook-timestamp"), 10, 64)
				h.must(err)
				return time.Unix(seconds, 0)
			}
			if wait := sent(came[1]).Sub(sent(came[0])); wait < 4*time.Second {
				t.Errorf("it was tried again after %v", wait)
			}
			h.eventually("the page lists both attempts", func() bool {
				body := h.get(failingPage).body
				return strings.Contains(body, "500 in ") && strings.Contains(body, "The database is down.") && strings.Contains(body, "204 in ")
			})
		})
		t.Run("every event is described, and comes as described", func(t *testing.T) {
			document, seen := description(t), map[string]bool{}
			for _, came := range to.all() {
				seen[came.event.Type] = true
				if err := document.CheckWebhook(came.event.Type, came.header, came.body); err != nil {
					t.Errorf("%s is not as api/openapi.yaml says: %v", came.body, err)
				}
			}
			if names := slices.Sorted(maps.Keys(document.Webhooks)); !slices.Equal(slices.Sorted(maps.Keys(seen)), names) || len(names) != len(webhook.Kinds())+1 {
				t.Errorf("described are %q, and %v came", names, seen)
			}
		})
		t.Run("what is private is refused where the operator has not admitted it", func(t *testing.T) {
			h := h.in(t)
			h.server.Config.WebhookAllow = nil // as [instance.later] opens another process
			h.later(0, func(p *app.Program) {
				for _, address := range []string{to.URL, "https://" + to.host(), "https://localhost/in", "https://10.0.0.1/", "https://[::1]/"} {
					_, _, err := p.Webhooks.Endpoints.Create(t.Context(), baker.workspace, webhook.Settings{URL: address, Kinds: webhook.Kinds()})
					if err == nil {
						t.Errorf("%s is admitted", address)
					}
				}
			})
			page, _ := h.adds("/private", webhook.QuotaNear) // from when it was admitted
			h.later(time.Hour, func(p *app.Program) {
				id := page[strings.LastIndex(page, "/")+1:]
				h.must(p.Webhooks.Deliveries.SendTest(t.Context(), baker.workspace, id))
				h.must(p.Webhooks.Sender.Work(context.WithoutCancel(t.Context())))
				p.Webhooks.Sender.Wait()
			})
			d := h.deliveries(page)[0]
			if len(d.Log) != 1 || d.Log[0].Answer != "There is no public server at this address." || len(to.at("/private", "")) != 0 {
				t.Errorf("it is %+v", d)
			}
		})
	})
}
