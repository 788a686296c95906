package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/store/storetest"
	"parley/store/tenancytest"
)

// revokedWithin is the promise for servers other than the one that revoked.
const revokedWithin = 5 * time.Second

func TestTokenManagement(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		owner := w.SignedIn(baker.Email, baker.Password)
		bot := baker.Chatbot

		t.Run("creating answers with the record and, this once, the secret", func(t *testing.T) {
			v := owner.In(t)
			r := v.Ask("POST", harness.TokensPath(bot), `{"name":" Website "}`)
			v.Expect(r, http.StatusOK)
			if got, want := slices.Sorted(maps.Keys(r.Data)), slices.Sorted(slices.Values(append(slices.Clone(harness.TokenFields), "token"))); !slices.Equal(got, want) {
				t.Errorf("the fields are %v, want %v", got, want)
			}
			secret := r.Data["token"].(string)
			if !harness.SecretShape.MatchString(secret) || r.Data["hint"] != secret[:11]+"…"+secret[len(secret)-4:] {
				t.Errorf("the secret %q has the hint %q", secret, r.Data["hint"])
			}
			if !harness.StampShape.MatchString(r.Data["created_at"].(string)) {
				t.Errorf("created_at is %q", r.Data["created_at"])
			}
			for field, want := range map[string]any{
				"name": "Website", "created_by": baker.Email, "status": "active", "last_used_at": nil, "expires_at": nil, "revoked_at": nil,
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
			if list := v.Ask("GET", harness.TokensPath(bot), ""); strings.Contains(list.Text, secret) {
				t.Error("the list has the secret")
			}
			v.NotLogged(secret)
		})
		t.Run("every field of a new token is optional, and so is the body", func(t *testing.T) {
			v := owner.In(t)
			r := v.Ask("POST", harness.TokensPath(bot), "")
			v.Expect(r, http.StatusOK)
			if r.Data["name"] != "API token" {
				t.Errorf("the name is %v", r.Data["name"])
			}
		})
		t.Run("the list has the newest first, revoked ones too, with the same fields", func(t *testing.T) {
			v := owner.In(t)
			first, _ := v.CreateToken(bot, `{"name":"first"}`)
			v.CreateToken(bot, `{"name":"second"}`)
			v.RevokeToken(bot, first)
			records := v.ListedTokens(bot)
			if records[0]["name"] != "second" || records[1]["name"] != "first" {
				t.Errorf("the order is %v, %v", records[0]["name"], records[1]["name"])
			}
			if records[0]["status"] != "active" || records[1]["status"] != "revoked" || !harness.StampShape.MatchString(fmt.Sprint(records[1]["revoked_at"])) {
				t.Errorf("got %v and %v", records[0], records[1])
			}
			for _, record := range records {
				if got := slices.Sorted(maps.Keys(record)); !slices.Equal(got, harness.TokenFields) {
					t.Errorf("the fields are %v, want %v", got, harness.TokenFields)
				}
			}
		})
		t.Run("revoking is for good, and twice is success", func(t *testing.T) {
			v := owner.In(t)
			id, secret := v.CreateToken(bot, `{"name":"short-lived"}`)
			v.Chats(secret, http.StatusOK)
			v.RevokeToken(bot, id)
			v.Chats(secret, http.StatusUnauthorized)
			at := v.ListedTokens(bot)[0]["revoked_at"]
			v.RevokeToken(bot, id)
			if again := v.ListedTokens(bot)[0]["revoked_at"]; again != at {
				t.Errorf("revoked_at was %v and is %v", at, again)
			}
			v.Chats(secret, http.StatusUnauthorized)
		})
		t.Run("the last use is recorded", func(t *testing.T) {
			v := owner.In(t)
			_, secret := v.CreateToken(bot, `{"name":"used"}`)
			if at := v.ListedTokens(bot)[0]["last_used_at"]; at != nil {
				t.Errorf("before the first use it is %v", at)
			}
			v.Chats(secret, http.StatusOK)
			v.Eventually("the last use is written", func() bool { return v.ListedTokens(bot)[0]["last_used_at"] != nil })
			used := v.ListedTokens(bot)[0]
			if at := fmt.Sprint(used["last_used_at"]); !harness.StampShape.MatchString(at) || used["last_used_ip"] != "127.0.0.1" || used["last_used_agent"] != "Go-http-client/1.1" {
				t.Errorf("after it, %v, by %v, %v", at, used["last_used_ip"], used["last_used_agent"])
			}
		})
		t.Run("a token with one scope has no other", func(t *testing.T) {
			v := owner.In(t)
			_, secret := v.CreateToken(bot, `{"name":"writer","scopes":["chat"]}`)
			r := v.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(secret))
			v.Expect(r, http.StatusOK)
			path := fmt.Sprintf("/api/v1/conversations/%.0f/messages", r.Data["conversation_id"])
			v.Refused(v.Call("GET", path, "", harness.Bearer(secret)), http.StatusForbidden, 2, "conversations:read")
		})
		t.Run("an expired token is refused like an unknown one", func(t *testing.T) {
			v := owner.In(t)
			soon := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)
			_, secret := v.CreateToken(bot, `{"name":"brief","expires_at":"`+soon+`"}`)
			v.Eventually("the token expires", func() bool {
				return v.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(secret)).StatusCode == http.StatusUnauthorized
			})
			if got := v.ListedTokens(bot)[0]["status"]; got != "expired" {
				t.Errorf("the status is %v", got)
			}
		})
		t.Run("an impossible token is refused with a reason", func(t *testing.T) {
			v := owner.In(t)
			before := len(v.ListedTokens(bot))
			for body, message := range map[string]string{
				`{"name":"` + strings.Repeat("n", 101) + `"}`: "at most 100",
				`{"scopes":["all"]}`:                          "There is no scope",
				`{"scopes":["chat","chat"]}`:                  "given twice",
				`{"expires_at":"2001-01-01T00:00:00Z"}`:       "in the future",
				`{"expires_at":"tomorrow"}`:                   "expires_at",
				`{"name":`:                                    "not valid JSON",
				`[]`:                                          "must be an object",
			} {
				v.Refused(v.Ask("POST", harness.TokensPath(bot), body), http.StatusBadRequest, 4, message)
			}
			if after := len(v.ListedTokens(bot)); after != before {
				t.Errorf("%d tokens became %d", before, after)
			}
		})
		t.Run("without a session, all is refused with code 1", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.Refused(v.Ask("GET", harness.TokensPath(bot), ""), http.StatusUnauthorized, 1, "Sign in")
			v.Refused(v.Ask("POST", harness.TokensPath(bot), "{}"), http.StatusUnauthorized, 1, "Sign in")
			v.Refused(v.Ask("DELETE", harness.TokensPath(bot)+"/"+baker.TokenID, ""), http.StatusUnauthorized, 1, "Sign in")
		})
	})
}

func TestTokensAndPlans(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		for _, name := range []plan.Name{plan.Starter, plan.Basic} {
			t.Run("the "+string(name)+" plan creates none, and says which does", func(t *testing.T) {
				w := w.Within(t)
				small := w.NewTenant(string(name), name)
				v := w.SignedIn(small.Email, small.Password)
				v.Refused(v.Ask("POST", harness.TokensPath(small.Chatbot), "{}"), http.StatusForbidden, 2, "Upgrade to the Standard plan or above")
				if records := v.ListedTokens(small.Chatbot); len(records) != 0 {
					t.Errorf("there are %v", records)
				}
			})
		}
		for _, name := range []plan.Name{plan.Standard, plan.Premium, plan.Enterprise} {
			t.Run("the "+string(name)+" plan creates them", func(t *testing.T) {
				w := w.Within(t)
				large := w.NewTenant(string(name), name)
				v := w.SignedIn(large.Email, large.Password)
				_, secret := v.CreateToken(large.Chatbot, "{}")
				v.Chats(secret, http.StatusOK)
			})
		}
		t.Run("a lower plan whose row has API access does not let tokens in", func(t *testing.T) {
			w := w.Within(t)
			small := w.NewTenant("opened", plan.Standard)
			opened := plan.Defaults()[0]
			opened.Limits.Features, opened.Limits.TokensPerChatbot = plan.AllFeatures(), 5
			w.Must(tenancytest.WritePlan(t.Context(), w.Server.Store, opened))
			w.Must(w.Server.Tenants.Grants.SetPlan(t.Context(), small.Workspace, plan.Starter))
			w.IsAnswered(small.Token, http.StatusForbidden, 2)
		})
		t.Run("a downgrade silences tokens with code 2, and an upgrade brings them back", func(t *testing.T) {
			w := w.Within(t)
			baker := w.NewTenant("baker", plan.Standard)
			v := w.SignedIn(baker.Email, baker.Password)
			other, _ := v.CreateToken(baker.Chatbot, "{}")
			change := func(to string) { v.Post("/workspaces/"+baker.Workspace+"/billing", harness.Pairs{"plan", to}) }
			question := func() int {
				return v.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(baker.Token)).StatusCode
			}
			change("basic")
			v.Eventually("the token is silenced", func() bool { return question() == http.StatusForbidden })
			v.Refused(v.Call("POST", "/api/v1/chat", `{"message":"Hello"}`, harness.Bearer(baker.Token)), http.StatusForbidden, 2, "Standard plan or above")
			v.Refused(v.Ask("POST", harness.TokensPath(baker.Chatbot), "{}"), http.StatusForbidden, 2, "Standard plan or above")
			v.RevokeToken(baker.Chatbot, other)
			if records := v.ListedTokens(baker.Chatbot); len(records) != 2 {
				t.Errorf("there are %v", records)
			}
			change("standard")
			v.Eventually("the token works again", func() bool { return question() == http.StatusOK })
		})
	})
}

func TestTokenLimit(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard) // with one token; the plan has ten
		owner := w.SignedIn(baker.Email, baker.Password)
		t.Run("of twenty created at once, as many succeed as the plan still includes", func(t *testing.T) {
			v := owner.In(t)
			codes := make(chan string, 20)
			for range cap(codes) {
				go func() {
					request, _ := http.NewRequest("POST", w.Base+harness.TokensPath(baker.Chatbot), nil) // the address is right
					request.Header.Set("Cookie", "parley_session="+v.Cookies["parley_session"])
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
			if got := len(v.ListedTokens(baker.Chatbot)); got != 10 {
				t.Errorf("there are %d tokens", got)
			}
		})
		t.Run("the next one is refused, with the limit and what to do", func(t *testing.T) {
			v := owner.In(t)
			v.Refused(v.Ask("POST", harness.TokensPath(baker.Chatbot), "{}"), http.StatusForbidden, 2, "The Standard plan includes 10 active API tokens for each chatbot. Revoke one or upgrade the plan.")
		})
		t.Run("a revoked token no longer counts", func(t *testing.T) {
			v := owner.In(t)
			v.RevokeToken(baker.Chatbot, baker.TokenID)
			v.CreateToken(baker.Chatbot, "{}")
			v.Refused(v.Ask("POST", harness.TokensPath(baker.Chatbot), "{}"), http.StatusForbidden, 2, "Revoke one")
		})
		t.Run("each chatbot has its own limit", func(t *testing.T) {
			v := owner.In(t)
			r := v.Post("/workspaces/"+baker.Workspace+"/chatbots", harness.Pairs{"name", "Second"})
			v.CreateToken(strings.TrimSuffix(strings.TrimPrefix(harness.Location(r), "/chatbots/"), "/welcome"), "{}")
		})
	})
}

func TestRevocationReachesOtherServers(t *testing.T) {
	database := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = database }
	here, there := harness.Start(t, on), harness.Start(t, on)
	baker := here.NewTenant("baker", plan.Standard)
	owner := here.SignedIn(baker.Email, baker.Password)
	there.Chats(baker.Token, http.StatusOK) // so that it is remembered there

	owner.RevokeToken(baker.Chatbot, baker.TokenID)
	revoked := time.Now()
	here.Chats(baker.Token, http.StatusUnauthorized)
	there.Eventually("the token is refused by the other server", func() bool {
		return there.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(baker.Token)).StatusCode == http.StatusUnauthorized
	})
	if took := time.Since(revoked); took > revokedWithin {
		t.Errorf("it took %s, want at most %s", took, revokedWithin)
	}
}
