package e2e

import (
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
)

// changed is a token with one character, the nth, replaced by another.
func changed(token string, n int) string {
	other := byte('a')
	if token[n] == other {
		other = 'b'
	}
	return token[:n] + string(other) + token[n+1:]
}

func (w *instance) issue(tn tenantOf, request chatbot.NewToken) (id, secret string) {
	w.Helper()
	request.Name, request.CreatedBy = "test", tn.email
	token, secret, err := w.server.Chatbots.Tokens.Issue(w.Context(), tn.workspace, tn.chatbot, request)
	w.must(err)
	return token.ID, secret
}

func TestTokenHeaders(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token, other := b.baker.token, b.rival.token
		key := func(value string) header { return header{"X-API-Key", value} }
		authorization := func(value string) header { return header{"Authorization", value} }
		b.play(
			scenario{name: "a bearer token is accepted", body: openingQuestion, headers: as(token), has: []string{"seven in the morning"}},
			scenario{name: "X-API-Key is accepted", body: openingQuestion, headers: []header{key(token)}, has: []string{"seven in the morning"}},
			scenario{name: "the scheme in lower case is accepted", body: openingQuestion, headers: []header{authorization("bearer " + token)}},
			scenario{name: "the scheme in any case is accepted", body: openingQuestion, headers: []header{authorization("BeArEr " + token)}},
			scenario{name: "the same token in both headers is accepted", body: openingQuestion, headers: []header{bearer(token), key(token)}},
			scenario{name: "the same token twice in one header is accepted", body: openingQuestion, headers: []header{bearer(token), bearer(token)}},
			scenario{name: "a token beside another scheme is accepted", body: openingQuestion, headers: []header{authorization("Basic dXNlcjpwYXNz"), key(token)}},
			scenario{name: "two different tokens are refused", body: openingQuestion, headers: []header{bearer(token), key(other)}, status: 400, code: 4},
			scenario{name: "two different bearer tokens are refused", body: openingQuestion, headers: []header{bearer(token), bearer(other)}, status: 400, code: 4},
			scenario{name: "two different API keys are refused", body: openingQuestion, headers: []header{key(other), key(token)}, status: 400, code: 4},
			scenario{name: "a token decides which chatbot answers", body: openingQuestion, headers: as(other), has: []string{"secret pretzel"}, lacks: []string{"seven"}},
		)
	})
}

// paths are one request to each of the routes that need a token.
func (b bakery) paths(conversation string) []scenario {
	return []scenario{
		{name: "chat", body: openingQuestion},
		{name: "chat/stream", path: streamPath, body: openingQuestion},
		{name: "conversations", path: conversationsPath},
		{name: "messages", method: "GET", path: conversationsPath + "/" + conversation + "/messages"},
	}
}

func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		revokedID, revoked := b.issue(b.baker, chatbot.NewToken{})
		b.checkAnswer(b.call("POST", chatPath, openingQuestion, bearer(revoked)), 200, 0)
		b.must(b.server.Chatbots.Tokens.Revoke(b.Context(), b.baker.workspace, b.baker.chatbot, revokedID))
		soon := now().Add(2 * time.Second)
		_, expired := b.issue(b.baker, chatbot.NewToken{ExpiresAt: &soon})
		b.checkAnswer(b.call("POST", chatPath, openingQuestion, bearer(expired)), 200, 0)
		b.eventually("the token expires", func() bool {
			return b.call("POST", conversationsPath, "", bearer(expired)).StatusCode == 401
		})

		refused := map[string][]header{
			"no token":                             nil,
			"an empty bearer token":                {{"Authorization", "Bearer "}},
			"the scheme alone":                     {{"Authorization", "Bearer"}},
			"a token without a scheme":             {{"Authorization", token}},
			"a token after two spaces":             {{"Authorization", "Bearer  " + token}},
			"a token after a tab":                  {{"Authorization", "Bearer\t" + token}},
			"another scheme":                       {{"Authorization", "Basic " + token}},
			"two tokens in one header":             {{"Authorization", "Bearer " + token + ", Bearer " + token}},
			"a malformed token":                    as("parley_short"),
			"a token of another service":           as("sk-" + token),
			"a token in capitals":                  as("PARLEY_" + token[7:]),
			"a token with a character more":        as(token + "A"),
			"a token with a character less":        as(token[:len(token)-1]),
			"a token with its first letter wrong":  as(changed(token, 7)),
			"a token with its middle wrong":        as(changed(token, 25)),
			"a token with its checksum wrong":      as(changed(token, len(token)-1)),
			"a token with its prefix wrong":        as(changed(token, 0)),
			"a token that nobody was ever given":   as(unknownToken),
			"a revoked token":                      as(revoked),
			"a revoked token as API key":           {{"X-API-Key", revoked}},
			"an expired token":                     as(expired),
			"a very long token":                    as(strings.Repeat("a", 4_000)),
			"a token in a cookie":                  {{"Cookie", "token=" + token + "; parley_session=" + token}},
			"the dashboard's session in a cookie":  {{"Cookie", "parley_session=" + b.sessionOf(b.baker)}},
			"a token with invalid UTF-8":           as(token[:20] + "\xff" + token[21:]),
			"a token in a header of another name":  {{"X-API-Token", token}, {"Api-Key", token}},
			"a token in the proxy's authorization": {{"Proxy-Authorization", "Bearer " + token}},
		}
		first := b.call("POST", chatPath, openingQuestion)
		conversation := b.newConversation(token, "")
		for name, headers := range refused {
			b.Run(name+" is the same 401 everywhere", func(t *testing.T) {
				for _, s := range b.paths(written(conversation)) {
					s.headers, s.status, s.code = headers, 401, 1
					s.then = func(w *instance, r reply) {
						if r.body != first.body {
							w.Errorf("%s tells it from a missing token: %s", s.name, r.body)
						}
					}
					s.play(b.within(t))
				}
			})
		}
		for _, query := range []string{"token", "access_token", "api_key", "X-API-Key"} {
			b.play(scenario{
				name: "a token in the query as " + query + " is not looked at",
				path: chatPath + "?" + query + "=" + token, body: openingQuestion, status: 401, code: 1,
			})
		}
		b.play(scenario{
			name: "a token in the body is not looked at", status: 401, code: 1,
			body: `{"message":"x","token":"` + token + `","api_key":"` + token + `"}`,
		})
	})
}

// unknownToken is well-formed, its checksum included, but was never issued.
var unknownToken = func() string {
	body := strings.Repeat("0", 43)
	return "parley_" + body + base62(crc32.ChecksumIEEE([]byte(body)))
}()

// sessionOf signs in on the page and returns the secret in the cookie.
func (w *instance) sessionOf(tn tenantOf) string {
	w.Helper()
	for name, value := range w.signedIn(tn.email, tn.password).cookies {
		if name == "parley_session" {
			return value
		}
	}
	w.Fatal("the dashboard gave no session")
	return ""
}

func TestPlanWithoutAPI(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		conversation := written(b.newConversation(b.baker.token, ""))
		setPlan := func(name plan.Name, status int) {
			b.must(b.server.Tenants.Grants.SetPlan(b.Context(), b.baker.workspace, name))
			b.eventually("the plan acts", func() bool {
				return b.call("POST", conversationsPath, "", bearer(b.baker.token)).StatusCode == status
			})
		}
		for _, below := range []plan.Name{plan.Starter, plan.Basic} {
			setPlan(below, 403)
			for _, s := range b.paths(conversation) {
				s.name = "on " + string(below) + " a token is refused at " + s.name
				s.headers, s.status, s.code, s.has = as(b.baker.token), 403, 2, []string{"Upgrade"}
				b.play(s)
			}
			b.play(scenario{name: "an unknown token stays a 401 on " + string(below), headers: as(unknownToken), status: 401, code: 1})
		}
		for _, above := range []plan.Name{plan.Standard, plan.Premium, plan.Enterprise} {
			setPlan(above, 200)
			b.play(scenario{name: "on " + string(above) + " the same token works", body: openingQuestion, headers: as(b.baker.token)})
		}
	})
}

func TestScopes(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		_, chatOnly := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})
		_, readOnly := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
		messages := conversationsPath + "/" + written(b.newConversation(b.baker.token, "")) + "/messages"
		b.play(
			scenario{name: "a token to chat may chat", body: openingQuestion, headers: as(chatOnly)},
			scenario{name: "a token to chat may create a conversation", path: conversationsPath, headers: as(chatOnly)},
			scenario{name: "a token to chat may not read", method: "GET", path: messages, headers: as(chatOnly), status: 403, code: 2, has: []string{"conversations:read"}},
			scenario{name: "a token to read may read", method: "GET", path: messages, headers: as(readOnly)},
			scenario{name: "a token to read may not chat", body: openingQuestion, headers: as(readOnly), status: 403, code: 2},
			scenario{name: "a token to read may not stream", path: streamPath, body: openingQuestion, headers: as(readOnly), status: 403, code: 2},
			scenario{name: "a token to read may not create a conversation", path: conversationsPath, headers: as(readOnly), status: 403, code: 2},
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
