package e2e

import (
	"strings"
	"testing"
)

func TestRoutesAndMethods(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		id := written(b.newConversation(b.baker.token, ""))
		messages := conversationsPath + "/" + id + "/messages"
		allowed := map[string]string{chatPath: "POST", streamPath: "POST", messages: "GET, HEAD"}
		for path, methods := range allowed {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"} {
				if strings.Contains(methods, method) {
					continue
				}
				b.play(scenario{
					name: method + " " + path + " is refused, and the answer says what is not", method: method, path: path,
					headers: as(b.baker.token), status: 405, code: 4, answers: []header{{"Allow", methods}},
				})
			}
		}
		for _, path := range []string{
			"/api/v1", "/api/v1/", "/api/v1/chats", "/api/v1/chat/", "/api/v1/chat/stream/", "/api/v1/Chat", "/api/v1//chat",
			"/api/v1/chat/stream/more", "/api/v1/conversations/", messages + "/", messages + "/1", "/api/v2/chat",
			"/api/v1/%63hat/x", "/api/v1/../v1/nothing", "/api/v1/chat%2Fstream", "/api/", "/api/nothing",
		} {
			b.play(
				scenario{name: "there is no " + path, path: path, body: openingQuestion, headers: as(b.baker.token), status: 404, code: 3},
				scenario{name: "without a token there is no " + path + " either", method: "GET", path: path, status: 404, code: 3},
			)
		}
		b.play(
			scenario{name: "HEAD of the messages has no body", method: "HEAD", path: messages, headers: as(b.baker.token)},
			scenario{name: "HEAD without a token is refused", method: "HEAD", path: messages, status: 401, answers: []header{{"WWW-Authenticate", "Bearer"}}},
			scenario{name: "a percent-encoded identifier is the same identifier", method: "GET", path: conversationsPath + "/" + percent(id) + "/messages", headers: as(b.baker.token)},
			scenario{name: "a query on a POST does not matter", path: chatPath + "?format=pdf&limit=x", body: openingQuestion, headers: as(b.baker.token)},
		)
		b.Run("whatever the method, an answer of the API is not cached", func(t *testing.T) {
			w := b.within(t)
			if r := w.call("OPTIONS", chatPath, "", header{"Origin", "https://other.example"}, header{"Access-Control-Request-Method", "POST"}); r.Header.Get("Access-Control-Allow-Origin") != "" {
				w.Errorf("pages of other sites may use the API: %v", r.Header)
			}
		})
	})
}

// percent writes each character of a text as %XX.
func percent(text string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(text) {
		out.WriteString("%" + string(digits[text[i]>>4]) + string(digits[text[i]&15]))
	}
	return out.String()
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		for _, kept := range []string{"a", "req-1.2_3", strings.Repeat("x", 128)} {
			b.play(
				scenario{name: "the caller's own " + kept + " is kept", path: conversationsPath, headers: []header{bearer(b.baker.token), {"X-Request-Id", kept}}, answers: []header{{"X-Request-Id", kept}}},
				scenario{name: "a failure keeps " + kept, headers: []header{{"X-Request-Id", kept}}, status: 401, code: 1, answers: []header{{"X-Request-Id", kept}}},
				scenario{name: "an unknown path keeps " + kept, path: "/api/v1/nothing", headers: []header{{"X-Request-Id", kept}}, status: 404, code: 3, answers: []header{{"X-Request-Id", kept}}},
			)
		}
		for name, replaced := range map[string]string{
			"129 characters": strings.Repeat("x", 129), "a blank": "a b", "markup": "<b>", "a quote": `a"b`, "a tab": "a\tb",
			"invalid UTF-8": "\xff", "an escape": "a%0a", "text beyond ASCII": "é",
		} {
			b.play(scenario{
				name: "an identifier with " + name + " is replaced", path: conversationsPath, headers: []header{bearer(b.baker.token), {"X-Request-Id", replaced}},
				then: func(w *instance, r reply) {
					if got := r.Header.Get("X-Request-Id"); !strings.HasPrefix(got, "req_") {
						w.Errorf("it became %q", got)
					}
				},
			})
		}
		b.Run("two requests have two identifiers", func(t *testing.T) {
			w := b.within(t)
			first, second := w.call("POST", chatPath, ""), w.call("POST", chatPath, "")
			if first.Header.Get("X-Request-Id") == second.Header.Get("X-Request-Id") {
				t.Error("they have one")
			}
		})
		b.Run("the log of a failure names the request and not the token", func(t *testing.T) {
			w := b.within(t)
			w.call("POST", chatPath, openingQuestion, bearer(b.baker.token), header{"X-Request-Id", "find-me"})
			w.eventually("the request is logged", func() bool { return strings.Contains(w.log.String(), "find-me") })
			if log := w.log.String(); strings.Contains(log, b.baker.token) || strings.Contains(log, "When does") {
				t.Error("the log has the token or the message")
			}
		})
	})
}

func TestRequestsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		const head = "POST /api/v1/chat HTTP/1.1\r\nHost: parley\r\nConnection: close\r\n"
		for name, request := range map[string]string{
			"a header too large":         head + "X-Padding: " + strings.Repeat("x", 32<<10) + "\r\n\r\n",
			"two different lengths":      head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
			"a negative length":          head + "Content-Length: -1\r\n\r\n",
			"a length that is no number": head + "Content-Length: many\r\n\r\n",
			"a length and chunks":        head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n\r\n",
			"a chunk that is no chunk":   head + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n",
			"a request line of one word": "POST\r\n\r\n",
			"no protocol":                "POST /api/v1/chat\r\nHost: parley\r\nConnection: close\r\n\r\n",
		} {
			b.Run(name+" is answered with the envelope", func(t *testing.T) {
				w := b.within(t)
				r := w.raw(request)
				if r.StatusCode < 400 || r.StatusCode > 499 {
					w.Errorf("status %d", r.StatusCode)
				}
				w.checkEnvelope(r, r.Error)
				w.checkHeaders(r)
			})
		}
		b.Run("the server goes on after them", func(t *testing.T) {
			b.within(t).checkAnswer(b.call("POST", chatPath, openingQuestion, bearer(b.baker.token)), 200, 0)
		})
	})
}
