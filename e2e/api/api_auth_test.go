package api

import (
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

// changed is a token with one character, the nth, replaced by another.
func changed(token string, n int) string {
	other := byte('a')
	if token[n] == other {
		other = 'b'
	}
	return token[:n] + string(other) + token[n+1:]
}

func TestTokenHeaders(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token, other := b.Baker.Token, b.Rival.Token
		key := func(value string) harness.Header { return harness.Header{Name: "X-API-Key", Value: value} }
		authorization := func(value string) harness.Header { return harness.Header{Name: "Authorization", Value: value} }
		b.Play(
			harness.Scenario{Name: "a bearer token is accepted", Body: harness.OpeningQuestion, Headers: harness.As(token), Has: []string{"seven in the morning"}},
			harness.Scenario{Name: "X-API-Key is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{key(token)}, Has: []string{"seven in the morning"}},
			harness.Scenario{Name: "the scheme in lower case is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{authorization("bearer " + token)}},
			harness.Scenario{Name: "the scheme in any case is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{authorization("BeArEr " + token)}},
			harness.Scenario{Name: "the same token in both headers is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(token), key(token)}},
			harness.Scenario{Name: "the same token twice in one header is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(token), harness.Bearer(token)}},
			harness.Scenario{Name: "a token beside another scheme is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{authorization("Basic dXNlcjpwYXNz"), key(token)}},
			harness.Scenario{Name: "two different tokens are refused", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(token), key(other)}, Status: 400, Code: 4},
			harness.Scenario{Name: "two different bearer tokens are refused", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(token), harness.Bearer(other)}, Status: 400, Code: 4},
			harness.Scenario{Name: "two different API keys are refused", Body: harness.OpeningQuestion, Headers: []harness.Header{key(other), key(token)}, Status: 400, Code: 4},
			harness.Scenario{Name: "a token decides which chatbot answers", Body: harness.OpeningQuestion, Headers: harness.As(other), Has: []string{"secret pretzel"}, Lacks: []string{"seven"}},
		)
	})
}

// paths are one request to each of the routes that need a token.
func paths(b harness.Bakery, conversation string) []harness.Scenario {
	return []harness.Scenario{
		{Name: "chat", Body: harness.OpeningQuestion},
		{Name: "chat/stream", Path: harness.StreamPath, Body: harness.OpeningQuestion},
		{Name: "conversations", Path: harness.ConversationsPath},
		{Name: "messages", Method: "GET", Path: harness.ConversationsPath + "/" + conversation + "/messages"},
	}
}

func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		revokedID, revoked := b.Issue(b.Baker, chatbot.NewToken{})
		b.CheckAnswer(b.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(revoked)), 200, 0)
		b.Must(b.Server.Chatbots.Tokens.Revoke(b.Context(), b.Baker.Workspace, b.Baker.Chatbot, revokedID))
		soon := harness.Now().Add(2 * time.Second)
		_, expired := b.Issue(b.Baker, chatbot.NewToken{ExpiresAt: &soon})
		b.CheckAnswer(b.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(expired)), 200, 0)
		b.Eventually("the token expires", func() bool {
			return b.Call("POST", harness.ConversationsPath, "", harness.Bearer(expired)).StatusCode == 401
		})

		refused := map[string][]harness.Header{
			"no token":                             nil,
			"an empty bearer token":                {{Name: "Authorization", Value: "Bearer "}},
			"the scheme alone":                     {{Name: "Authorization", Value: "Bearer"}},
			"a token without a scheme":             {{Name: "Authorization", Value: token}},
			"a token after two spaces":             {{Name: "Authorization", Value: "Bearer  " + token}},
			"a token after a tab":                  {{Name: "Authorization", Value: "Bearer\t" + token}},
			"another scheme":                       {{Name: "Authorization", Value: "Basic " + token}},
			"two tokens in one header":             {{Name: "Authorization", Value: "Bearer " + token + ", Bearer " + token}},
			"a malformed token":                    harness.As("parley_short"),
			"a token of another service":           harness.As("sk-" + token),
			"a token in capitals":                  harness.As("PARLEY_" + token[7:]),
			"a token with a character more":        harness.As(token + "A"),
			"a token with a character less":        harness.As(token[:len(token)-1]),
			"a token with its first letter wrong":  harness.As(changed(token, 7)),
			"a token with its middle wrong":        harness.As(changed(token, 25)),
			"a token with its checksum wrong":      harness.As(changed(token, len(token)-1)),
			"a token with its prefix wrong":        harness.As(changed(token, 0)),
			"a token that nobody was ever given":   harness.As(unknownToken),
			"a revoked token":                      harness.As(revoked),
			"a revoked token as API key":           {{Name: "X-API-Key", Value: revoked}},
			"an expired token":                     harness.As(expired),
			"a very long token":                    harness.As(strings.Repeat("a", 4_000)),
			"a token in a cookie":                  {{Name: "Cookie", Value: "token=" + token + "; parley_session=" + token}},
			"the dashboard's session in a cookie":  {{Name: "Cookie", Value: "parley_session=" + sessionOf(b.Instance, b.Baker)}},
			"a token with invalid UTF-8":           harness.As(token[:20] + "\xff" + token[21:]),
			"a token in a header of another name":  {{Name: "X-API-Token", Value: token}, {Name: "Api-Key", Value: token}},
			"a token in the proxy's authorization": {{Name: "Proxy-Authorization", Value: "Bearer " + token}},
		}
		first := b.Call("POST", harness.ChatPath, harness.OpeningQuestion)
		conversation := b.NewConversation(token, "")
		for name, headers := range refused {
			b.Run(name+" is the same 401 everywhere", func(t *testing.T) {
				for _, s := range paths(b, harness.Written(conversation)) {
					s.Headers, s.Status, s.Code = headers, 401, 1
					s.Then = func(w *harness.Instance, r harness.Reply) {
						if r.Text != first.Text {
							w.Errorf("%s tells it from a missing token: %s", s.Name, r.Text)
						}
					}
					s.Play(b.Within(t))
				}
			})
		}
		for _, query := range []string{"token", "access_token", "api_key", "X-API-Key"} {
			b.Play(harness.Scenario{
				Name: "a token in the query as " + query + " is not looked at",
				Path: harness.ChatPath + "?" + query + "=" + token, Body: harness.OpeningQuestion, Status: 401, Code: 1,
			})
		}
		b.Play(harness.Scenario{
			Name: "a token in the body is not looked at", Status: 401, Code: 1,
			Body: `{"message":"x","token":"` + token + `","api_key":"` + token + `"}`,
		})
	})
}

// unknownToken is well-formed, its checksum included, but was never issued.
var unknownToken = func() string {
	body := strings.Repeat("0", 43)
	return "parley_" + body + base62(crc32.ChecksumIEEE([]byte(body)))
}()

// sessionOf signs in on the page and returns the secret in the cookie.
func sessionOf(w *harness.Instance, tn harness.Tenant) string {
	w.Helper()
	for name, value := range w.SignedIn(tn.Email, tn.Password).Cookies {
		if name == "parley_session" {
			return value
		}
	}
	w.Fatal("the dashboard gave no session")
	return ""
}

func TestPlanWithoutAPI(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		conversation := harness.Written(b.NewConversation(b.Baker.Token, ""))
		setPlan := func(name plan.Name, status int) {
			b.Must(b.Server.Tenants.Grants.SetPlan(b.Context(), b.Baker.Workspace, name))
			b.Eventually("the plan acts", func() bool {
				return b.Call("POST", harness.ConversationsPath, "", harness.Bearer(b.Baker.Token)).StatusCode == status
			})
		}
		for _, below := range []plan.Name{plan.Starter, plan.Basic} {
			setPlan(below, 403)
			for _, s := range paths(b, conversation) {
				s.Name = "on " + string(below) + " a token is refused at " + s.Name
				s.Headers, s.Status, s.Code, s.Has = harness.As(b.Baker.Token), 403, 2, []string{"Upgrade"}
				b.Play(s)
			}
			b.Play(harness.Scenario{Name: "an unknown token stays a 401 on " + string(below), Headers: harness.As(unknownToken), Status: 401, Code: 1})
		}
		for _, above := range []plan.Name{plan.Standard, plan.Premium, plan.Enterprise} {
			setPlan(above, 200)
			b.Play(harness.Scenario{Name: "on " + string(above) + " the same token works", Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token)})
		}
	})
}

func TestScopes(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		_, chatOnly := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})
		_, readOnly := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
		messages := harness.ConversationsPath + "/" + harness.Written(b.NewConversation(b.Baker.Token, "")) + "/messages"
		b.Play(
			harness.Scenario{Name: "a token to chat may chat", Body: harness.OpeningQuestion, Headers: harness.As(chatOnly)},
			harness.Scenario{Name: "a token to chat may create a conversation", Path: harness.ConversationsPath, Headers: harness.As(chatOnly)},
			harness.Scenario{Name: "a token to chat may not read", Method: "GET", Path: messages, Headers: harness.As(chatOnly), Status: 403, Code: 2, Has: []string{"conversations:read"}},
			harness.Scenario{Name: "a token to read may read", Method: "GET", Path: messages, Headers: harness.As(readOnly)},
			harness.Scenario{Name: "a token to read may not chat", Body: harness.OpeningQuestion, Headers: harness.As(readOnly), Status: 403, Code: 2},
			harness.Scenario{Name: "a token to read may not stream", Path: harness.StreamPath, Body: harness.OpeningQuestion, Headers: harness.As(readOnly), Status: 403, Code: 2},
			harness.Scenario{Name: "a token to read may not create a conversation", Path: harness.ConversationsPath, Headers: harness.As(readOnly), Status: 403, Code: 2},
		)
	})
}

// base62 writes the check sum of a token in six digits.
func base62(sum uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	written := make([]byte, 6)
	for i := range written {
		written[len(written)-1-i] = digits[sum%62]
		sum /= 62
	}
	return string(written)
}
