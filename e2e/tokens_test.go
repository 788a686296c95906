package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/store/storetest"
	"parley/store/tenancytest"
)

// revokedWithin is the promise for servers other than the one that revoked.
const revokedWithin = 5 * time.Second

var (
	tokenFields = []string{
		"created_at", "created_by", "expires_at", "hint", "id", "ip_ranges", "kind", "last_used_agent", "last_used_at", "last_used_ip",
		"messages_per_month", "name", "note", "origins", "requests_per_minute", "revoked_at", "scopes", "status", "visitor_requests_per_minute",
	}
	secretShape = regexp.MustCompile(`^parley_[0-9A-Za-z]{49}$`)
	stampShape  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

func tokensPath(bot string) string { return "/api/chatbots/" + bot + "/api-tokens" }

// listed are the records of a chatbot's tokens.
func (v *visitor) listed(bot string) []map[string]any {
	v.Helper()
	r := v.ask("GET", tokensPath(bot), "")
	v.expect(r, http.StatusOK)
	if len(r.Data) != 1 {
		v.Errorf("data has %v", slices.Sorted(maps.Keys(r.Data)))
	}
	var records []map[string]any
	for _, record := range r.Data["tokens"].([]any) {
		records = append(records, record.(map[string]any))
	}
	return records
}

func (v *visitor) create(bot, body string) (id, secret string) {
	v.Helper()
	r := v.ask("POST", tokensPath(bot), body)
	if r.StatusCode != http.StatusOK || r.Error != 0 || r.ErrorMessage != "" {
		v.Fatalf("answered %d %s", r.StatusCode, r.body)
	}
	return r.Data["id"].(string), r.Data["token"].(string)
}

func (v *visitor) revoke(bot, id string) {
	v.Helper()
	r := v.ask("DELETE", tokensPath(bot)+"/"+id, "")
	v.expect(r, http.StatusOK)
	if want := fmt.Sprintf(`{"error":0,"error_message":"","data":{"id":"%s","status":"revoked"}}`, id); r.body != want {
		v.Errorf("answered %s, want %s", r.body, want)
	}
}

// refused fails the test unless an answer is the envelope of a failure.
func (w *instance) refused(r reply, status, code int, message string) {
	w.Helper()
	w.expect(r, status)
	if r.Error != code || !strings.Contains(r.ErrorMessage, message) || !strings.HasSuffix(r.body, `"data":null}`) {
		w.Errorf("answered %s, want code %d and %q", r.body, code, message)
	}
}

func (w *instance) chats(secret string, status int) {
	w.Helper()
	w.expect(w.call("POST", "/api/v1/chat", `{"message":"Hello"}`, bearer(secret)), status)
}

func TestTokenManagement(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		owner := w.signedIn(baker.email, baker.password)
		bot := baker.chatbot

		t.Run("creating answers with the record and, this once, the secret", func(t *testing.T) {
			v := owner.in(t)
			r := v.ask("POST", tokensPath(bot), `{"name":" Website "}`)
			v.expect(r, http.StatusOK)
			if got, want := slices.Sorted(maps.Keys(r.Data)), slices.Sorted(slices.Values(append(slices.Clone(tokenFields), "token"))); !slices.Equal(got, want) {
				t.Errorf("the fields are %v, want %v", got, want)
			}
			secret := r.Data["token"].(string)
			if !secretShape.MatchString(secret) || r.Data["hint"] != secret[:11]+"…"+secret[len(secret)-4:] {
				t.Errorf("the secret %q has the hint %q", secret, r.Data["hint"])
			}
			if !stampShape.MatchString(r.Data["created_at"].(string)) {
				t.Errorf("created_at is %q", r.Data["created_at"])
			}
			for field, want := range map[string]any{
				"name": "Website", "created_by": baker.email, "status": "active", "last_used_at": nil, "expires_at": nil, "revoked_at": nil,
			} {
				if r.Data[field] != want {
					t.Errorf("%s is %v, want %v", field, r.Data[field], want)
				}
			}
			if got := fmt.Sprint(r.Data["scopes"]); got != "[chat conversations:read]" {
				t.Errorf("the scopes are %s", got)
			}
			if got := r.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q", got)
			}
			if list := v.ask("GET", tokensPath(bot), ""); strings.Contains(list.body, secret) {
				t.Error("the list has the secret")
			}
			v.notLogged(secret)
		})
		t.Run("every field of a new token is optional, and so is the body", func(t *testing.T) {
			v := owner.in(t)
			r := v.ask("POST", tokensPath(bot), "")
			v.expect(r, http.StatusOK)
			if r.Data["name"] != "API token" {
				t.Errorf("the name is %v", r.Data["name"])
			}
		})
		t.Run("the list has the newest first, revoked ones too, with the same fields", func(t *testing.T) {
			v := owner.in(t)
			first, _ := v.create(bot, `{"name":"first"}`)
			v.create(bot, `{"name":"second"}`)
			v.revoke(bot, first)
			records := v.listed(bot)
			if records[0]["name"] != "second" || records[1]["name"] != "first" {
				t.Errorf("the order is %v, %v", records[0]["name"], records[1]["name"])
			}
			if records[0]["status"] != "active" || records[1]["status"] != "revoked" || !stampShape.MatchString(fmt.Sprint(records[1]["revoked_at"])) {
				t.Errorf("got %v and %v", records[0], records[1])
			}
			for _, record := range records {
				if got := slices.Sorted(maps.Keys(record)); !slices.Equal(got, tokenFields) {
					t.Errorf("the fields are %v, want %v", got, tokenFields)
				}
			}
		})
		t.Run("revoking is for good, and twice is success", func(t *testing.T) {
			v := owner.in(t)
			id, secret := v.create(bot, `{"name":"short-lived"}`)
			v.chats(secret, http.StatusOK)
			v.revoke(bot, id)
			v.chats(secret, http.StatusUnauthorized)
			at := v.listed(bot)[0]["revoked_at"]
			v.revoke(bot, id)
			if again := v.listed(bot)[0]["revoked_at"]; again != at {
				t.Errorf("revoked_at was %v and is %v", at, again)
			}
			v.chats(secret, http.StatusUnauthorized)
		})
		t.Run("the last use is recorded", func(t *testing.T) {
			v := owner.in(t)
			_, secret := v.create(bot, `{"name":"used"}`)
			if at := v.listed(bot)[0]["last_used_at"]; at != nil {
				t.Errorf("before the first use it is %v", at)
			}
			v.chats(secret, http.StatusOK)
			v.eventually("the last use is written", func() bool { return v.listed(bot)[0]["last_used_at"] != nil })
			used := v.listed(bot)[0]
			if at := fmt.Sprint(used["last_used_at"]); !stampShape.MatchString(at) || used["last_used_ip"] != "127.0.0.1" || used["last_used_agent"] != "Go-http-client/1.1" {
				t.Errorf("after it, %v, by %v, %v", at, used["last_used_ip"], used["last_used_agent"])
			}
		})
		t.Run("a token with one scope has no other", func(t *testing.T) {
			v := owner.in(t)
			_, secret := v.create(bot, `{"name":"writer","scopes":["chat"]}`)
			r := v.call("POST", "/api/v1/conversations", "{}", bearer(secret))
			v.expect(r, http.StatusOK)
			path := fmt.Sprintf("/api/v1/conversations/%.0f/messages", r.Data["conversation_id"])
			v.refused(v.call("GET", path, "", bearer(secret)), http.StatusForbidden, 2, "conversations:read")
		})
		t.Run("an expired token is refused like an unknown one", func(t *testing.T) {
			v := owner.in(t)
			soon := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)
			_, secret := v.create(bot, `{"name":"brief","expires_at":"`+soon+`"}`)
			v.eventually("the token expires", func() bool {
				return v.call("POST", "/api/v1/conversations", "{}", bearer(secret)).StatusCode == http.StatusUnauthorized
			})
			if got := v.listed(bot)[0]["status"]; got != "expired" {
				t.Errorf("the status is %v", got)
			}
		})
		t.Run("an impossible token is refused with a reason", func(t *testing.T) {
			v := owner.in(t)
			before := len(v.listed(bot))
			for body, message := range map[string]string{
				`{"name":"` + strings.Repeat("n", 101) + `"}`: "at most 100",
				`{"scopes":["all"]}`:                          "There is no scope",
				`{"scopes":["chat","chat"]}`:                  "given twice",
				`{"expires_at":"2001-01-01T00:00:00Z"}`:       "in the future",
				`{"expires_at":"tomorrow"}`:                   "expires_at",
				`{"name":`:                                    "not valid JSON",
				`[]`:                                          "must be an object",
			} {
				v.refused(v.ask("POST", tokensPath(bot), body), http.StatusBadRequest, 4, message)
			}
			if after := len(v.listed(bot)); after != before {
				t.Errorf("%d tokens became %d", before, after)
			}
		})
		t.Run("without a session, all is refused with code 1", func(t *testing.T) {
			v := w.within(t).visitor()
			v.refused(v.ask("GET", tokensPath(bot), ""), http.StatusUnauthorized, 1, "Sign in")
			v.refused(v.ask("POST", tokensPath(bot), "{}"), http.StatusUnauthorized, 1, "Sign in")
			v.refused(v.ask("DELETE", tokensPath(bot)+"/"+baker.tokenID, ""), http.StatusUnauthorized, 1, "Sign in")
		})
	})
}

func TestTokensAndPlans(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		for _, name := range []plan.Name{plan.Starter, plan.Basic} {
			t.Run("the "+string(name)+" plan creates none, and says which does", func(t *testing.T) {
				w := w.within(t)
				small := w.newTenant(string(name), name)
				v := w.signedIn(small.email, small.password)
				v.refused(v.ask("POST", tokensPath(small.chatbot), "{}"), http.StatusForbidden, 2, "Upgrade to the Standard plan or above")
				if records := v.listed(small.chatbot); len(records) != 0 {
					t.Errorf("there are %v", records)
				}
			})
		}
		for _, name := range []plan.Name{plan.Standard, plan.Premium, plan.Enterprise} {
			t.Run("the "+string(name)+" plan creates them", func(t *testing.T) {
				w := w.within(t)
				large := w.newTenant(string(name), name)
				v := w.signedIn(large.email, large.password)
				_, secret := v.create(large.chatbot, "{}")
				v.chats(secret, http.StatusOK)
			})
		}
		t.Run("a lower plan whose row has API access does not let tokens in", func(t *testing.T) {
			w := w.within(t)
			small := w.newTenant("opened", plan.Standard)
			opened := plan.Defaults()[0]
			opened.Limits.Features, opened.Limits.TokensPerChatbot = plan.AllFeatures(), 5
			w.must(tenancytest.WritePlan(t.Context(), w.server.Store, opened))
			w.must(w.server.Tenants.Grants.SetPlan(t.Context(), small.workspace, plan.Starter))
			w.isAnswered(small.token, http.StatusForbidden, 2)
		})
		t.Run("a downgrade silences tokens with code 2, and an upgrade brings them back", func(t *testing.T) {
			w := w.within(t)
			baker := w.newTenant("baker", plan.Standard)
			v := w.signedIn(baker.email, baker.password)
			other, _ := v.create(baker.chatbot, "{}")
			change := func(to string) { v.post("/workspaces/"+baker.workspace+"/billing", pairs{"plan", to}) }
			question := func() int {
				return v.call("POST", "/api/v1/conversations", "{}", bearer(baker.token)).StatusCode
			}
			change("basic")
			v.eventually("the token is silenced", func() bool { return question() == http.StatusForbidden })
			v.refused(v.call("POST", "/api/v1/chat", `{"message":"Hello"}`, bearer(baker.token)), http.StatusForbidden, 2, "Standard plan or above")
			v.refused(v.ask("POST", tokensPath(baker.chatbot), "{}"), http.StatusForbidden, 2, "Standard plan or above")
			v.revoke(baker.chatbot, other)
			if records := v.listed(baker.chatbot); len(records) != 2 {
				t.Errorf("there are %v", records)
			}
			change("standard")
			v.eventually("the token works again", func() bool { return question() == http.StatusOK })
		})
	})
}

func TestTokenLimit(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard) // with one token; the plan has ten
		owner := w.signedIn(baker.email, baker.password)
		t.Run("of twenty created at once, as many succeed as the plan still includes", func(t *testing.T) {
			v := owner.in(t)
			codes := make(chan string, 20)
			for range cap(codes) {
				go func() {
					request, _ := http.NewRequest("POST", w.base+tokensPath(baker.chatbot), nil) // the address is right
					request.Header.Set("Cookie", "parley_session="+v.cookies["parley_session"])
					response, err := http.DefaultClient.Do(request)
					if err != nil {
						codes <- err.Error()
						return
					}
					response.Body.Close()
					codes <- response.Status
				}()
			}
			count := map[string]int{}
			for range cap(codes) {
				count[<-codes]++
			}
			if count["200 OK"] != 9 || count["403 Forbidden"] != 11 {
				t.Errorf("the answers were %v", count)
			}
			if got := len(v.listed(baker.chatbot)); got != 10 {
				t.Errorf("there are %d tokens", got)
			}
		})
		t.Run("the next one is refused, with the limit and what to do", func(t *testing.T) {
			v := owner.in(t)
			v.refused(v.ask("POST", tokensPath(baker.chatbot), "{}"), http.StatusForbidden, 2, "The Standard plan includes 10 active API tokens for each chatbot. Revoke one or upgrade the plan.")
		})
		t.Run("a revoked token no longer counts", func(t *testing.T) {
			v := owner.in(t)
			v.revoke(baker.chatbot, baker.tokenID)
			v.create(baker.chatbot, "{}")
			v.refused(v.ask("POST", tokensPath(baker.chatbot), "{}"), http.StatusForbidden, 2, "Revoke one")
		})
		t.Run("each chatbot has its own limit", func(t *testing.T) {
			v := owner.in(t)
			r := v.post("/workspaces/"+baker.workspace+"/chatbots", pairs{"name", "Second"})
			v.create(strings.TrimSuffix(strings.TrimPrefix(location(r), "/chatbots/"), "/welcome"), "{}")
		})
	})
}

func TestRevocationReachesOtherServers(t *testing.T) {
	database := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = database }
	here, there := start(t, on), start(t, on)
	baker := here.newTenant("baker", plan.Standard)
	owner := here.signedIn(baker.email, baker.password)
	there.chats(baker.token, http.StatusOK) // so that it is remembered there

	owner.revoke(baker.chatbot, baker.tokenID)
	revoked := time.Now()
	here.chats(baker.token, http.StatusUnauthorized)
	there.eventually("the token is refused by the other server", func() bool {
		return there.call("POST", "/api/v1/conversations", "{}", bearer(baker.token)).StatusCode == http.StatusUnauthorized
	})
	if took := time.Since(revoked); took > revokedWithin {
		t.Errorf("it took %s, want at most %s", took, revokedWithin)
	}
}
