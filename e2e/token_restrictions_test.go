package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
)

const (
	shopOrigin = "https://shop.example"
	evilOrigin = "https://evil.example"
)

func atOrigin(origin string) header { return header{"Origin", origin} }

// change patches a token.
func (v *visitor) change(bot, id, body string) reply {
	v.Helper()
	return v.ask("PATCH", tokensPath(bot)+"/"+id, body)
}

// isRefused fails the test unless an answer is a failure with a code and a sentence.
func (w *instance) isRefused(r reply, status int, code, sentence string) {
	w.Helper()
	if r.StatusCode != status || r.Header.Get("X-Error-Code") != code || !strings.Contains(r.ErrorMessage, sentence) {
		w.Errorf("answered %d %s %s, want %d %s and %q", r.StatusCode, r.Header.Get("X-Error-Code"), r.body, status, code, sentence)
	}
}

const hello = `{"message":"Hello"}`

func TestTokenRestrictions(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		owner := w.signedIn(baker.email, baker.password)
		bot := baker.chatbot

		t.Run("what a token cannot have is refused with a code", func(t *testing.T) {
			v := owner.in(t)
			id, _ := v.create(bot, `{"name":"plain"}`)
			for body, c := range map[string][2]string{
				`{"ip_ranges":["192.0.2.7"]}`:                                 {"invalid_ip_range", "CIDR"},
				`{"ip_ranges":["192.0.2.0/24","office"]}`:                     {"invalid_ip_range", `"office"`},
				`{"kind":"publishable"}`:                                      {"origins_required", "at least one origin"},
				`{"kind":"publishable","origins":["https://shop.example/a"]}`: {"invalid_origin", "without a path"},
				`{"kind":"publishable","origins":["*"]}`:                      {"invalid_origin", "no origin"},
				`{"origins":["https://shop.example"]}`:                        {"invalid_request", "Only a publishable token"},
				`{"kind":"both"}`:                                             {"invalid_request", `There is no kind "both"`},
				`{"requests_per_minute":-1}`:                                  {"invalid_request", "whole number"},
				`{"requests_per_minute":1.5}`:                                 {"invalid_request", "requests_per_minute"},
				`{"note":"` + strings.Repeat("n", 1001) + `"}`:                {"invalid_request", "at most 1000"},
				`{"kind":"publishable","origins":["http://localhost:99999"]}`: {"invalid_origin", "no origin"},
			} {
				v.isRefused(v.ask("POST", tokensPath(bot), body), http.StatusBadRequest, c[0], c[1])
			}
			for body, c := range map[string][2]string{
				`{"ip_ranges":["10.0.0.0/33"]}`:                 {"invalid_ip_range", "CIDR"},
				`{"scopes":[]}`:                                 {"invalid_request", "at least one scope"},
				`{"name":null}`:                                 {"invalid_request", "must not be null"},
				`{"name":"  "}`:                                 {"invalid_request", "Enter a name"},
				`{"expires_at":"2001-01-01T00:00:00Z"}`:         {"invalid_request", "in the future"},
				`{"visitor_requests_per_minute":5}`:             {"invalid_request", "Only a publishable token"},
				`{"requests_per_minute":"many"}`:                {"invalid_request", "requests_per_minute"},
				`{"origins":["https://shop.example"],"note":0}`: {"invalid_request", "note"},
			} {
				v.isRefused(v.change(bot, id, body), http.StatusBadRequest, c[0], c[1])
			}
			v.revoke(bot, id)
			v.isRefused(v.change(bot, id, `{"requests_per_minute":5}`), http.StatusConflict, "token_ended", "Create a new one")
			v.isRefused(v.ask("POST", tokensPath(bot)+"/"+id+"/roll", ""), http.StatusConflict, "token_ended", "revoked")
		})
		t.Run("a range admits its addresses alone, from the next request on", func(t *testing.T) {
			v := owner.in(t)
			id, secret := v.create(bot, `{"name":"office","ip_ranges":["192.0.2.77/24","2001:db8::/32"]}`)
			if got := fmt.Sprint(v.listed(bot)[0]["ip_ranges"]); got != "[192.0.2.0/24 2001:db8::/32]" {
				t.Errorf("the ranges are %s", got)
			}
			v.isRefused(v.call("POST", chatPath, hello, bearer(secret)), http.StatusForbidden, "address_not_allowed", "the address 127.0.0.1")
			r := v.change(bot, id, `{"ip_ranges":["127.0.0.0/8"]}`)
			v.expect(r, http.StatusOK)
			v.chats(secret, http.StatusOK)
			v.expect(v.change(bot, id, `{"ip_ranges":[]}`), http.StatusOK)
			v.chats(secret, http.StatusOK)
		})
		t.Run("a token's own requests a minute are limited, and its answers say so", func(t *testing.T) {
			v := owner.in(t)
			id, secret := v.create(bot, `{"name":"slow","requests_per_minute":2}`)
			for left := 1; left >= 0; left-- {
				r := v.call("POST", "/api/v1/conversations", "{}", bearer(secret))
				v.expect(r, http.StatusOK)
				if got := r.Header.Get("RateLimit-Policy"); got != `"workspace";q=300;w=60, "token";q=2;w=60` {
					t.Errorf("RateLimit-Policy is %s", got)
				}
				if got := r.Header.Get("RateLimit"); !strings.Contains(got, fmt.Sprintf(`"token";r=%d;t=`, left)) || !strings.HasPrefix(got, `"workspace";r=2`) {
					t.Errorf("RateLimit is %s", got)
				}
			}
			r := v.call("POST", chatPath, hello, bearer(secret))
			v.isRefused(r, http.StatusTooManyRequests, "rate_limited", "This token may send 2 requests a minute")
			wait := r.Header.Get("Retry-After")
			if n, err := strconv.Atoi(wait); err != nil || n < 1 || n > 61 || !strings.HasSuffix(r.Header.Get("RateLimit"), `"token";r=0;t=`+wait) {
				t.Errorf("Retry-After is %q, and RateLimit %s", wait, r.Header.Get("RateLimit"))
			}
			v.expect(v.change(bot, id, `{"requests_per_minute":null}`), http.StatusOK)
			v.chats(secret, http.StatusOK)
			v.chats(baker.token, http.StatusOK)
		})
		t.Run("a token's own messages a month are limited", func(t *testing.T) {
			v := owner.in(t)
			_, secret := v.create(bot, `{"name":"cheap","messages_per_month":2}`)
			v.chats(secret, http.StatusOK)
			v.expect(v.call("POST", "/api/v1/conversations", "{}", bearer(secret)), http.StatusOK)
			r := v.call("POST", chatPath, `{"message":"Hello","conversation_id":1}`, bearer(secret))
			v.expect(r, http.StatusNotFound) // and is no message
			v.expect(v.call("POST", chatPath+"/stream", hello, bearer(secret)), http.StatusOK)
			r = v.call("POST", chatPath, hello, bearer(secret))
			v.isRefused(r, http.StatusTooManyRequests, "token_quota_exceeded", "This token may send 2 messages a month")
			if n, _ := strconv.Atoi(r.Header.Get("Retry-After")); n < 1 {
				t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
			}
			v.chats(baker.token, http.StatusOK)
		})
		t.Run("the same limits hold for agents: a message too many is an answer of the tool, a request too many none", func(t *testing.T) {
			v := owner.in(t)
			_, secret := v.create(bot, `{"name":"agent","messages_per_month":1,"requests_per_minute":4}`)
			ask := func(question string) reply {
				return v.call("POST", toolsPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":`+question+`}}}`, bearer(secret))
			}
			for question, want := range map[string]string{`""`: "(invalid_request)", `7`: "question"} {
				r := ask(question) // and is no message
				v.expect(r, http.StatusOK)
				if !strings.Contains(r.body, `"isError":true`) || !strings.Contains(r.body, want) {
					t.Errorf("%s is answered %s", question, r.body)
				}
			}
			if r := ask(`"Hello"`); r.StatusCode != http.StatusOK || strings.Contains(r.body, `"isError":true`) {
				t.Errorf("the first message is answered %s", r.body)
			}
			if r := ask(`"Hello"`); r.StatusCode != http.StatusOK || !strings.Contains(r.body, `"isError":true`) || !strings.Contains(r.body, "(token_quota_exceeded)") {
				t.Errorf("the second is answered %s", r.body)
			}
			v.isRefused(v.call("POST", toolsPath, listTools, bearer(secret)), http.StatusTooManyRequests, "rate_limited", "This token may send 4 requests a minute")
		})
		t.Run("rolling keeps the settings", func(t *testing.T) {
			v := owner.in(t)
			id, _ := v.create(bot, `{"kind":"publishable","name":"shop","note":"For the shop","origins":["https://shop.example"],"ip_ranges":["127.0.0.0/8"],"messages_per_month":100}`)
			r := v.ask("POST", tokensPath(bot)+"/"+id+"/roll", `{"overlap_days":0}`)
			v.expect(r, http.StatusOK)
			if !strings.HasPrefix(r.Data["token"].(string), "parley_pub_") || r.Data["kind"] != "publishable" || r.Data["note"] != "For the shop" ||
				fmt.Sprint(r.Data["origins"], r.Data["ip_ranges"], r.Data["messages_per_month"], r.Data["visitor_requests_per_minute"]) != "[https://shop.example] [127.0.0.0/8] 100 20" {
				t.Errorf("it is %v", r.Data)
			}
		})
	})
}

func TestBrowserTokens(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		owner := w.signedIn(baker.email, baker.password)
		bot := baker.chatbot
		id, public := owner.create(bot, `{"kind":"publishable","name":"shop","origins":["https://shop.example","HTTP://LocalHost:3000"]}`)
		preflight := func(w *instance, origin string) reply {
			return w.call("OPTIONS", chatPath, "", atOrigin(origin), header{"Access-Control-Request-Method", "POST"}, header{"Access-Control-Request-Headers", "authorization,content-type"})
		}

		t.Run("pages of a listed origin may call, read and stream", func(t *testing.T) {
			w := w.within(t)
			r := preflight(w, shopOrigin)
			w.expect(r, http.StatusNoContent)
			for name, want := range map[string]string{
				"Access-Control-Allow-Origin": shopOrigin, "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Authorization, Content-Type", "Vary": "Origin",
			} {
				if got := r.Header.Get(name); !strings.Contains(got, want) {
					t.Errorf("%s of the preflight is %q, want %q", name, got, want)
				}
			}
			for path, origin := range map[string]string{chatPath: shopOrigin, chatPath + "/stream": "http://localhost:3000", "/api/v1/conversations": shopOrigin} {
				r := w.call("POST", path, hello, bearer(public), atOrigin(origin))
				w.expect(r, http.StatusOK)
				exposed := r.Header.Get("Access-Control-Expose-Headers")
				if r.Header.Get("Access-Control-Allow-Origin") != origin || r.Header.Get("Vary") != "Origin" || r.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s has the headers %v", path, r.Header)
				}
				for _, name := range []string{"X-Request-ID", "X-Error-Code", "RateLimit", "RateLimit-Policy", "Retry-After"} {
					if !strings.Contains(exposed, name) {
						t.Errorf("%s exposes %s, without %s", path, exposed, name)
					}
				}
			}
		})
		t.Run("pages of another origin may not, and cannot read why", func(t *testing.T) {
			w := w.within(t)
			for _, origin := range []string{evilOrigin, "null", "http://shop.example", "https://shop.example.evil.example", w.base} {
				for what, r := range map[string]reply{
					"preflight": preflight(w, origin), "question": w.call("POST", chatPath, hello, bearer(public), atOrigin(origin)),
				} {
					w.expect(r, http.StatusForbidden)
					if r.Header.Get("X-Error-Code") != "origin_not_allowed" || r.Header.Get("Access-Control-Allow-Origin") != "" {
						t.Errorf("%s of %s: the headers are %v", what, origin, r.Header)
					}
				}
			}
			w.isRefused(w.call("POST", chatPath, hello, bearer(public)), http.StatusForbidden, "origin_not_allowed", "names no origin")
		})
		t.Run("it reads what a page shows before the first question, and nothing secret", func(t *testing.T) {
			w := w.within(t)
			bot, err := w.server.Chatbots.Get(w.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			settings := bot.Settings()
			settings.Name, settings.Instructions, settings.NoAnswer, settings.SeparateEndUsers = "Baker & Söhne", "Never speak of the oven.", "Ask the oven.", true
			w.must(w.server.Chatbots.Update(w.Context(), baker.workspace, baker.chatbot, settings))
			_, err = w.server.Knowledge.Documents.Add(w.Context(), baker.workspace, baker.chatbot, knowledge.NewDocument{Title: "Hours", Content: "# When do you open?\n\nAt seven.\n"})
			w.must(err)
			w.settled(baker)
			r := w.call("GET", chatbotPath, "", bearer(public), atOrigin(shopOrigin))
			w.expect(r, http.StatusOK)
			w.checkParts(r.body, []string{`"name":"Baker & Söhne"`, `"welcome":"Ask Baker & Söhne a question, for example about hours."`, `"When do you open?"`, `"separate_end_users":true`, `"limits":{"message_chars":16000,"requests_per_minute":20,"messages_per_month":null}`}, "oven", "model")
			if r.Header.Get("Access-Control-Allow-Origin") != shopOrigin || r.Header.Get("RateLimit") == "" {
				t.Errorf("the headers are %v", r.Header)
			}
			w.isRefused(w.call("GET", chatbotPath, "", bearer(public), atOrigin(evilOrigin)), http.StatusForbidden, "origin_not_allowed", evilOrigin)
			preflight := w.call("OPTIONS", chatbotPath, "", atOrigin(shopOrigin), header{"Access-Control-Request-Method", "GET"}, header{"Access-Control-Request-Headers", "authorization"})
			if w.expect(preflight, http.StatusNoContent); !strings.Contains(preflight.Header.Get("Access-Control-Allow-Methods"), "GET") {
				t.Errorf("the preflight has %v", preflight.Header)
			}
			for restrictions, limits := range map[string]string{
				`{}`:                        `"limits":{"message_chars":16000,"requests_per_minute":300,"messages_per_month":20000}`,
				`{"requests_per_minute":7}`: `"limits":{"message_chars":16000,"requests_per_minute":7,"messages_per_month":20000}`,
				`{"requests_per_minute":9000,"messages_per_month":5}`: `"limits":{"message_chars":16000,"requests_per_minute":300,"messages_per_month":5}`,
			} {
				_, secret := owner.in(t).create(bot.ID, restrictions)
				w.checkParts(w.call("GET", chatbotPath, "", bearer(secret)).body, []string{limits})
			}
			_, reading := owner.in(t).create(bot.ID, `{"scopes":["conversations:read"]}`)
			w.isRefused(w.call("GET", chatbotPath, "", bearer(reading)), http.StatusForbidden, "missing_scope", "chat")
		})
		t.Run("it may only chat", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", "/api/v1/conversations", "{}", bearer(public), atOrigin(shopOrigin))
			w.expect(r, http.StatusOK)
			r = w.call("GET", fmt.Sprintf("/api/v1/conversations/%.0f/messages", r.Data["conversation_id"]), "", bearer(public), atOrigin(shopOrigin))
			w.isRefused(r, http.StatusForbidden, "missing_scope", "conversations:read")
			if r.Header.Get("Access-Control-Allow-Origin") != shopOrigin {
				t.Error("the page cannot read why")
			}
			v := owner.in(t)
			v.isRefused(v.change(bot, id, `{"scopes":["conversations:read"]}`), http.StatusBadRequest, "invalid_request", "A publishable token has the scope")
		})
		t.Run("a secret token is refused in browsers, except on pages of this server", func(t *testing.T) {
			w := w.within(t)
			for _, origin := range []string{shopOrigin, evilOrigin, "null"} {
				r := w.call("POST", chatPath, hello, bearer(baker.token), atOrigin(origin))
				w.isRefused(r, http.StatusForbidden, "secret_token_in_browser", "every visitor of the page can read and use it")
			}
			w.expect(w.call("POST", chatPath, hello, bearer(baker.token), atOrigin(w.base)), http.StatusOK)
		})
		t.Run("each visitor has a limit, and reads only that", func(t *testing.T) {
			v := owner.in(t)
			_, public := v.create(bot, `{"kind":"publishable","origins":["https://shop.example"],"visitor_requests_per_minute":1}`)
			r := v.call("POST", chatPath, hello, bearer(public), atOrigin(shopOrigin))
			v.expect(r, http.StatusOK)
			if r.Header.Get("RateLimit-Policy") != `"visitor";q=1;w=60` || !strings.HasPrefix(r.Header.Get("RateLimit"), `"visitor";r=0;t=`) {
				t.Errorf("the headers are %v", r.Header)
			}
			r = v.call("POST", chatPath, hello, bearer(public), atOrigin(shopOrigin))
			v.isRefused(r, http.StatusTooManyRequests, "rate_limited", "Too many requests")
			if r.Header.Get("Retry-After") == "" || r.Header.Get("Access-Control-Allow-Origin") != shopOrigin {
				t.Errorf("the headers are %v", r.Header)
			}
		})
		t.Run("an origin that is taken away is refused at once", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.change(bot, id, `{"origins":["http://localhost:3000"]}`), http.StatusOK)
			v.isRefused(v.call("POST", chatPath, hello, bearer(public), atOrigin(shopOrigin)), http.StatusForbidden, "origin_not_allowed", shopOrigin)
		})
	})
}
