package api

import (
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestRoutesAndMethods(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		id := harness.Written(b.NewConversation(b.Baker.Token, ""))
		messages := harness.ConversationsPath + "/" + id + "/messages"
		allowed := map[string]string{harness.ChatPath: "POST", harness.StreamPath: "POST", messages: "GET, HEAD"}
		for path, methods := range allowed {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"} {
				if strings.Contains(methods, method) {
					continue
				}
				b.Play(harness.Scenario{
					Name: method + " " + path + " is refused, and the answer says what is not", Method: method, Path: path,
					Headers: harness.As(b.Baker.Token), Status: 405, Code: 4, Answers: []harness.Header{{Name: "Allow", Value: methods}},
				})
			}
		}
		for _, path := range []string{
			"/api/v1", "/api/v1/", "/api/v1/chats", "/api/v1/chat/", "/api/v1/chat/stream/", "/api/v1/Chat", "/api/v1//chat",
			"/api/v1/chat/stream/more", "/api/v1/conversations/", messages + "/", messages + "/1", "/api/v2/chat",
			"/api/v1/%63hat/x", "/api/v1/../v1/nothing", "/api/v1/chat%2Fstream", "/api/", "/api/nothing",
		} {
			b.Play(
				harness.Scenario{Name: "there is no " + path, Path: path, Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token), Status: 404, Code: 3},
				harness.Scenario{Name: "without a token there is no " + path + " either", Method: "GET", Path: path, Status: 404, Code: 3},
			)
		}
		b.Play(
			harness.Scenario{Name: "HEAD of the messages has no body", Method: "HEAD", Path: messages, Headers: harness.As(b.Baker.Token)},
			harness.Scenario{Name: "HEAD without a token is refused", Method: "HEAD", Path: messages, Status: 401, Answers: []harness.Header{{Name: "WWW-Authenticate", Value: "Bearer"}}},
			harness.Scenario{Name: "a percent-encoded identifier is the same identifier", Method: "GET", Path: harness.ConversationsPath + "/" + percent(id) + "/messages", Headers: harness.As(b.Baker.Token)},
			harness.Scenario{Name: "a query on a POST does not matter", Path: harness.ChatPath + "?format=pdf&limit=x", Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token)},
		)
		b.Run("whatever the method, an answer of the API is not cached", func(t *testing.T) {
			w := b.Within(t)
			if r := w.Call("OPTIONS", harness.ChatPath, "", harness.Header{Name: "Origin", Value: "https://other.example"}, harness.Header{Name: "Access-Control-Request-Method", Value: "POST"}); r.Header.Get("Cache-Control") != "no-store" {
				w.Errorf("a preflight has the headers %v", r.Header)
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
	onBakery(t, func(b harness.Bakery) {
		for _, kept := range []string{"a", "req-1.2_3", strings.Repeat("x", 128)} {
			b.Play(
				harness.Scenario{Name: "the caller's own " + kept + " is kept", Path: harness.ConversationsPath, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "X-Request-Id", Value: kept}}, Answers: []harness.Header{{Name: "X-Request-Id", Value: kept}}},
				harness.Scenario{Name: "a failure keeps " + kept, Headers: []harness.Header{{Name: "X-Request-Id", Value: kept}}, Status: 401, Code: 1, Answers: []harness.Header{{Name: "X-Request-Id", Value: kept}}},
				harness.Scenario{Name: "an unknown path keeps " + kept, Path: "/api/v1/nothing", Headers: []harness.Header{{Name: "X-Request-Id", Value: kept}}, Status: 404, Code: 3, Answers: []harness.Header{{Name: "X-Request-Id", Value: kept}}},
			)
		}
		for name, replaced := range map[string]string{
			"129 characters": strings.Repeat("x", 129), "a blank": "a b", "markup": "<b>", "a quote": `a"b`, "a tab": "a\tb",
			"invalid UTF-8": "\xff", "an escape": "a%0a", "text beyond ASCII": "é",
		} {
			b.Play(harness.Scenario{
				Name: "an identifier with " + name + " is replaced", Path: harness.ConversationsPath, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "X-Request-Id", Value: replaced}},
				Then: func(w *harness.Instance, r harness.Reply) {
					if got := r.Header.Get("X-Request-Id"); !strings.HasPrefix(got, "req_") {
						w.Errorf("it became %q", got)
					}
				},
			})
		}
		b.Run("two requests have two identifiers", func(t *testing.T) {
			w := b.Within(t)
			first, second := w.Call("POST", harness.ChatPath, ""), w.Call("POST", harness.ChatPath, "")
			if first.Header.Get("X-Request-Id") == second.Header.Get("X-Request-Id") {
				t.Error("they have one")
			}
		})
		b.Run("the log of a failure names the request and not the token", func(t *testing.T) {
			w := b.Within(t)
			w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(b.Baker.Token), harness.Header{Name: "X-Request-Id", Value: "find-me"})
			w.Eventually("the request is logged", func() bool { return strings.Contains(w.ServerLog.String(), "find-me") })
			if log := w.ServerLog.String(); strings.Contains(log, b.Baker.Token) || strings.Contains(log, "When does") {
				t.Error("the log has the token or the message")
			}
		})
	})
}

func TestRequestsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
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
				w := b.Within(t)
				r := w.Raw(request)
				if r.StatusCode < 400 || r.StatusCode > 499 {
					w.Errorf("status %d", r.StatusCode)
				}
				w.CheckEnvelope(r, r.Error)
				w.CheckHeaders(r)
			})
		}
		b.Run("the server goes on after them", func(t *testing.T) {
			b.Within(t).CheckAnswer(b.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(b.Baker.Token)), 200, 0)
		})
	})
}
