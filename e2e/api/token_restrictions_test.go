package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

// patchToken patches a token.
func patchToken(v *harness.Visitor, bot, id, body string) harness.Reply {
	v.Helper()
	return v.Ask("PATCH", harness.TokensPath(bot)+"/"+id, body)
}

const hello = `{"message":"Hello"}`

func TestTokenRestrictions(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		owner := w.SignedIn(baker.Email, baker.Password)
		bot := baker.Chatbot

		t.Run("what a token cannot have is refused with a code", func(t *testing.T) {
			v := owner.In(t)
			id, _ := v.CreateToken(bot, `{"name":"plain"}`)
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
				v.IsRefused(v.Ask("POST", harness.TokensPath(bot), body), http.StatusBadRequest, c[0], c[1])
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
				v.IsRefused(patchToken(v, bot, id, body), http.StatusBadRequest, c[0], c[1])
			}
			v.RevokeToken(bot, id)
			v.IsRefused(patchToken(v, bot, id, `{"requests_per_minute":5}`), http.StatusConflict, "token_ended", "Create a new one")
			v.IsRefused(v.Ask("POST", harness.TokensPath(bot)+"/"+id+"/roll", ""), http.StatusConflict, "token_ended", "revoked")
		})
		t.Run("a range admits its addresses alone, from the next request on", func(t *testing.T) {
			v := owner.In(t)
			id, secret := v.CreateToken(bot, `{"name":"office","ip_ranges":["192.0.2.77/24","2001:db8::/32"]}`)
			if got := fmt.Sprint(v.ListedTokens(bot)[0]["ip_ranges"]); got != "[192.0.2.0/24 2001:db8::/32]" {
				t.Errorf("the ranges are %s", got)
			}
			v.IsRefused(v.Call("POST", harness.ChatPath, hello, harness.Bearer(secret)), http.StatusForbidden, "address_not_allowed", "the address 127.0.0.1")
			r := patchToken(v, bot, id, `{"ip_ranges":["127.0.0.0/8"]}`)
			v.Expect(r, http.StatusOK)
			v.Chats(secret, http.StatusOK)
			v.Expect(patchToken(v, bot, id, `{"ip_ranges":[]}`), http.StatusOK)
			v.Chats(secret, http.StatusOK)
		})
		t.Run("a token's own requests a minute are limited, and its answers say so", func(t *testing.T) {
			v := owner.In(t)
			id, secret := v.CreateToken(bot, `{"name":"slow","requests_per_minute":2}`)
			for left := 1; left >= 0; left-- {
				r := v.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(secret))
				v.Expect(r, http.StatusOK)
				if got := r.Header.Get("RateLimit-Policy"); got != `"workspace";q=300;w=60, "token";q=2;w=60` {
					t.Errorf("RateLimit-Policy is %s", got)
				}
				if got := r.Header.Get("RateLimit"); !strings.Contains(got, fmt.Sprintf(`"token";r=%d;t=`, left)) || !strings.HasPrefix(got, `"workspace";r=2`) {
					t.Errorf("RateLimit is %s", got)
				}
			}
			r := v.Call("POST", harness.ChatPath, hello, harness.Bearer(secret))
			v.IsRefused(r, http.StatusTooManyRequests, "rate_limited", "This token may send 2 requests a minute")
			wait := r.Header.Get("Retry-After")
			if n, err := strconv.Atoi(wait); err != nil || n < 1 || n > 61 || !strings.HasSuffix(r.Header.Get("RateLimit"), `"token";r=0;t=`+wait) {
				t.Errorf("Retry-After is %q, and RateLimit %s", wait, r.Header.Get("RateLimit"))
			}
			v.Expect(patchToken(v, bot, id, `{"requests_per_minute":null}`), http.StatusOK)
			v.Chats(secret, http.StatusOK)
			v.Chats(baker.Token, http.StatusOK)
		})
		t.Run("a token's own messages a month are limited", func(t *testing.T) {
			v := owner.In(t)
			_, secret := v.CreateToken(bot, `{"name":"cheap","messages_per_month":2}`)
			v.Chats(secret, http.StatusOK)
			v.Expect(v.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(secret)), http.StatusOK)
			r := v.Call("POST", harness.ChatPath, `{"message":"Hello","conversation_id":1}`, harness.Bearer(secret))
			v.Expect(r, http.StatusNotFound) // and is no message
			v.Expect(v.Call("POST", harness.ChatPath+"/stream", hello, harness.Bearer(secret)), http.StatusOK)
			r = v.Call("POST", harness.ChatPath, hello, harness.Bearer(secret))
			v.IsRefused(r, http.StatusTooManyRequests, "token_quota_exceeded", "This token may send 2 messages a month")
			if n, _ := strconv.Atoi(r.Header.Get("Retry-After")); n < 1 {
				t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
			}
			v.Chats(baker.Token, http.StatusOK)
		})
		t.Run("the same limits hold for agents: a message too many is an answer of the tool, a request too many none", func(t *testing.T) {
			v := owner.In(t)
			_, secret := v.CreateToken(bot, `{"name":"agent","messages_per_month":1,"requests_per_minute":4}`)
			ask := func(question string) harness.Reply {
				return v.Call("POST", harness.ToolsPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":`+question+`}}}`, harness.Bearer(secret))
			}
			for question, want := range map[string]string{`""`: "(invalid_request)", `7`: "question"} {
				r := ask(question) // and is no message
				v.Expect(r, http.StatusOK)
				if !strings.Contains(r.Text, `"isError":true`) || !strings.Contains(r.Text, want) {
					t.Errorf("%s is answered %s", question, r.Text)
				}
			}
			if r := ask(`"Hello"`); r.StatusCode != http.StatusOK || strings.Contains(r.Text, `"isError":true`) {
				t.Errorf("the first message is answered %s", r.Text)
			}
			if r := ask(`"Hello"`); r.StatusCode != http.StatusOK || !strings.Contains(r.Text, `"isError":true`) || !strings.Contains(r.Text, "(token_quota_exceeded)") {
				t.Errorf("the second is answered %s", r.Text)
			}
			v.IsRefused(v.Call("POST", harness.ToolsPath, harness.ListTools, harness.Bearer(secret)), http.StatusTooManyRequests, "rate_limited", "This token may send 4 requests a minute")
		})
		t.Run("rolling keeps the settings", func(t *testing.T) {
			v := owner.In(t)
			id, _ := v.CreateToken(bot, `{"kind":"publishable","name":"shop","note":"For the shop","origins":["https://shop.example"],"ip_ranges":["127.0.0.0/8"],"messages_per_month":100}`)
			r := v.Ask("POST", harness.TokensPath(bot)+"/"+id+"/roll", `{"overlap_days":0}`)
			v.Expect(r, http.StatusOK)
			if !strings.HasPrefix(r.Data["token"].(string), "parley_pub_") || r.Data["kind"] != "publishable" || r.Data["note"] != "For the shop" ||
				fmt.Sprint(r.Data["origins"], r.Data["ip_ranges"], r.Data["messages_per_month"], r.Data["visitor_requests_per_minute"]) != "[https://shop.example] [127.0.0.0/8] 100 20" {
				t.Errorf("it is %v", r.Data)
			}
		})
	})
}

func TestBrowserTokens(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		owner := w.SignedIn(baker.Email, baker.Password)
		bot := baker.Chatbot
		id, public := owner.CreateToken(bot, `{"kind":"publishable","name":"shop","origins":["https://shop.example","HTTP://LocalHost:3000"]}`)
		preflight := func(w *harness.Instance, origin string) harness.Reply {
			return w.Call("OPTIONS", harness.ChatPath, "", harness.AtOrigin(origin), harness.Header{Name: "Access-Control-Request-Method", Value: "POST"}, harness.Header{Name: "Access-Control-Request-Headers", Value: "authorization,content-type"})
		}

		t.Run("pages of a listed origin may call, read and stream", func(t *testing.T) {
			w := w.Within(t)
			r := preflight(w, harness.ShopOrigin)
			w.Expect(r, http.StatusNoContent)
			for name, want := range map[string]string{
				"Access-Control-Allow-Origin": harness.ShopOrigin, "Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Authorization, Content-Type", "Vary": "Origin",
			} {
				if got := r.Header.Get(name); !strings.Contains(got, want) {
					t.Errorf("%s of the preflight is %q, want %q", name, got, want)
				}
			}
			for path, origin := range map[string]string{harness.ChatPath: harness.ShopOrigin, harness.ChatPath + "/stream": "http://localhost:3000", "/api/v1/conversations": harness.ShopOrigin} {
				r := w.Call("POST", path, hello, harness.Bearer(public), harness.AtOrigin(origin))
				w.Expect(r, http.StatusOK)
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
			w := w.Within(t)
			for _, origin := range []string{harness.EvilOrigin, "null", "http://shop.example", "https://shop.example.evil.example", w.Base} {
				r := w.Call("POST", harness.ChatPath, hello, harness.Bearer(public), harness.AtOrigin(origin))
				w.Expect(r, http.StatusForbidden)
				if r.Header.Get("X-Error-Code") != "origin_not_allowed" || r.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("the headers for %s are %v", origin, r.Header)
				}
			}
			w.IsRefused(w.Call("POST", harness.ChatPath, hello, harness.Bearer(public)), http.StatusForbidden, "origin_not_allowed", "names no origin")
		})
		t.Run("nobody learns without a token which origins tokens list", func(t *testing.T) {
			w := w.Within(t)
			headers := func(r harness.Reply, origin string) string {
				var all []string
				for name, values := range r.Header {
					if strings.HasPrefix(name, "Access-Control-") {
						all = append(all, name+": "+strings.ReplaceAll(strings.Join(values, ","), origin, "*"))
					}
				}
				slices.Sort(all)
				return fmt.Sprint(r.Status, all)
			}
			for what, call := range map[string]func(origin string) harness.Reply{
				"a preflight": func(origin string) harness.Reply { return preflight(w, origin) },
				"a request without a token": func(origin string) harness.Reply {
					return w.Call("POST", harness.ChatPath, hello, harness.AtOrigin(origin))
				},
				"a request with a made-up token": func(origin string) harness.Reply {
					return w.Call("POST", harness.ChatPath, hello, harness.Bearer("parley_pub_"+strings.Repeat("a", 49)), harness.AtOrigin(origin))
				},
			} {
				if listed, other := headers(call(harness.ShopOrigin), harness.ShopOrigin), headers(call(harness.EvilOrigin), harness.EvilOrigin); listed != other {
					t.Errorf("%s gives %s to a listed origin and %s to another", what, listed, other)
				}
			}
		})
		t.Run("it reads what a page shows before the first question, and nothing secret", func(t *testing.T) {
			w := w.Within(t)
			bot, err := w.Server.Chatbots.Get(w.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			settings := bot.Settings()
			settings.Name, settings.Instructions, settings.NoAnswer, settings.SeparateEndUsers = "Baker & Söhne", "Never speak of the oven.", "Ask the oven.", true
			w.Must(w.Server.Chatbots.Update(w.Context(), baker.Workspace, baker.Chatbot, settings))
			_, err = w.Server.Knowledge.Documents.Add(w.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Hours", Content: "# When do you open?\n\nAt seven.\n"})
			w.Must(err)
			w.Settled(baker)
			r := w.Call("GET", harness.ChatbotPath, "", harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin))
			w.Expect(r, http.StatusOK)
			w.CheckParts(r.Text, []string{`"name":"Baker & Söhne"`, `"welcome":"Ask Baker & Söhne a question, for example about hours."`, `"When do you open?"`, `"separate_end_users":true`, `"limits":{"message_chars":16000,"requests_per_minute":20,"messages_per_month":null}`}, "oven", "model")
			if r.Header.Get("Access-Control-Allow-Origin") != harness.ShopOrigin || r.Header.Get("RateLimit") == "" {
				t.Errorf("the headers are %v", r.Header)
			}
			w.IsRefused(w.Call("GET", harness.ChatbotPath, "", harness.Bearer(public), harness.AtOrigin(harness.EvilOrigin)), http.StatusForbidden, "origin_not_allowed", harness.EvilOrigin)
			preflight := w.Call("OPTIONS", harness.ChatbotPath, "", harness.AtOrigin(harness.ShopOrigin), harness.Header{Name: "Access-Control-Request-Method", Value: "GET"}, harness.Header{Name: "Access-Control-Request-Headers", Value: "authorization"})
			if w.Expect(preflight, http.StatusNoContent); !strings.Contains(preflight.Header.Get("Access-Control-Allow-Methods"), "GET") {
				t.Errorf("the preflight has %v", preflight.Header)
			}
			for restrictions, limits := range map[string]string{
				`{}`:                        `"limits":{"message_chars":16000,"requests_per_minute":300,"messages_per_month":20000}`,
				`{"requests_per_minute":7}`: `"limits":{"message_chars":16000,"requests_per_minute":7,"messages_per_month":20000}`,
				`{"requests_per_minute":9000,"messages_per_month":5}`: `"limits":{"message_chars":16000,"requests_per_minute":300,"messages_per_month":5}`,
			} {
				_, secret := owner.In(t).CreateToken(bot.ID, restrictions)
				w.CheckParts(w.Call("GET", harness.ChatbotPath, "", harness.Bearer(secret)).Text, []string{limits})
			}
			_, reading := owner.In(t).CreateToken(bot.ID, `{"scopes":["conversations:read"]}`)
			w.IsRefused(w.Call("GET", harness.ChatbotPath, "", harness.Bearer(reading)), http.StatusForbidden, "missing_scope", "chat")
		})
		t.Run("it may only chat", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", "/api/v1/conversations", "{}", harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin))
			w.Expect(r, http.StatusOK)
			r = w.Call("GET", fmt.Sprintf("/api/v1/conversations/%.0f/messages", r.Data["conversation_id"]), "", harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin))
			w.IsRefused(r, http.StatusForbidden, "missing_scope", "conversations:read")
			if r.Header.Get("Access-Control-Allow-Origin") != harness.ShopOrigin {
				t.Error("the page cannot read why")
			}
			v := owner.In(t)
			v.IsRefused(patchToken(v, bot, id, `{"scopes":["conversations:read"]}`), http.StatusBadRequest, "invalid_request", "A publishable token has the scope")
		})
		t.Run("a secret token is refused in browsers, except on pages of this server", func(t *testing.T) {
			w := w.Within(t)
			for _, origin := range []string{harness.ShopOrigin, harness.EvilOrigin, "null"} {
				r := w.Call("POST", harness.ChatPath, hello, harness.Bearer(baker.Token), harness.AtOrigin(origin))
				w.IsRefused(r, http.StatusForbidden, "secret_token_in_browser", "every visitor of the page can read and use it")
			}
			w.Expect(w.Call("POST", harness.ChatPath, hello, harness.Bearer(baker.Token), harness.AtOrigin(w.Base)), http.StatusOK)
		})
		t.Run("each network has a limit, and reads only that", func(t *testing.T) {
			v := owner.In(t)
			_, public := v.CreateToken(bot, `{"kind":"publishable","origins":["https://shop.example"],"visitor_requests_per_minute":1}`)
			r := v.Call("POST", harness.ChatPath, hello, harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin))
			v.Expect(r, http.StatusOK)
			if r.Header.Get("RateLimit-Policy") != `"visitor";q=1;w=60` || !strings.HasPrefix(r.Header.Get("RateLimit"), `"visitor";r=0;t=`) {
				t.Errorf("the headers are %v", r.Header)
			}
			r = v.Call("POST", harness.ChatPath, hello, harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin))
			v.IsRefused(r, http.StatusTooManyRequests, "rate_limited", "Too many requests")
			if r.Header.Get("Retry-After") == "" || r.Header.Get("Access-Control-Allow-Origin") != harness.ShopOrigin {
				t.Errorf("the headers are %v", r.Header)
			}
		})
		t.Run("replays, resumed streams and stopped answers have ten times the limit for themselves", func(t *testing.T) {
			v := owner.In(t)
			_, slow := v.CreateToken(bot, `{"kind":"publishable","name":"slow","origins":["https://shop.example"],"visitor_requests_per_minute":1}`)
			again := func() harness.Reply {
				return v.Call("POST", harness.ChatPath, hello, harness.Bearer(slow), harness.AtOrigin(harness.ShopOrigin), harness.Header{Name: "Idempotency-Key", Value: "once"})
			}
			for range 10 {
				v.Expect(again(), http.StatusOK)
			}
			r := again()
			v.IsRefused(r, http.StatusTooManyRequests, "rate_limited", "Too many requests")
			if r.Header.Get("Retry-After") == "" {
				t.Errorf("the headers are %v", r.Header)
			}
		})
		t.Run("an origin that is taken away is refused at once", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(patchToken(v, bot, id, `{"origins":["http://localhost:3000"]}`), http.StatusOK)
			v.IsRefused(v.Call("POST", harness.ChatPath, hello, harness.Bearer(public), harness.AtOrigin(harness.ShopOrigin)), http.StatusForbidden, "origin_not_allowed", harness.ShopOrigin)
		})
	})
}
