package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/llm/llmtest"
)

// oldRequest is [request] in HTTP/1.0.
func oldRequest(method, path, token, body string) string {
	return strings.Replace(request(method, path, token, body), " HTTP/1.1\r\nHost: parley\r\n", " HTTP/1.0\r\n", 1)
}

// unchunked fails the test unless an answer is one that HTTP/1.0 knows, and closes.
func (l *line) unchunked(r *http.Response) {
	l.Helper()
	if len(r.TransferEncoding) > 0 || r.Header.Get("Transfer-Encoding") != "" || !r.Close || r.Header.Get("X-Request-Id") == "" {
		l.Errorf("the answer is %s with the headers %v, %v", r.Status, r.Header, r.TransferEncoding)
	}
}

func TestOldClients(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, sevenInPieces)
	w := start(t, withModel(upstream))
	w.hasNoHurry()
	tn := w.newTenant("baker", plan.Standard, opening)

	t.Run("a whole answer has its length", func(t *testing.T) {
		w := w.within(t)
		for path, body := range map[string]string{chatPath: openingQuestion, chatPath + "x": "{}", "/api/v1/openai/chat/completions": `{"messages":[{"role":"user","content":"When does it open?"}]}`} {
			client := w.dial()
			client.write(oldRequest("POST", path, tn.token, body))
			r := client.answer()
			client.unchunked(r)
			if text, err := io.ReadAll(r.Body); err != nil || int64(len(text)) != r.ContentLength || r.ContentLength == 0 {
				t.Errorf("%s is %q of %d bytes, %v", path, text, r.ContentLength, err)
			}
			client.hasEnded()
		}
	})
	for name, stream := range map[string]struct{ path, body string }{
		"a stream":                     {streamPath, openingQuestion},
		"a stream of an OpenAI client": {"/api/v1/openai/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"When does it open?"}]}`},
	} {
		t.Run(name+" comes as it is written, and ends with the connection", func(t *testing.T) {
			w := w.within(t)
			gate := llmtest.NewGate()
			held := sevenInPieces
			held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
			upstream.Next(held)
			client := w.dial()
			client.write(strings.Replace(oldRequest("POST", stream.path, tn.token, stream.body), "\r\n", "\r\nConnection: keep-alive\r\n", 1))
			r := client.answer()
			client.unchunked(r)
			lines, all := bufio.NewReader(r.Body), ""
			for !strings.Contains(all, "sev") { // while the model waits
				text, err := lines.ReadString('\n')
				w.must(err)
				all += text
			}
			gate.Release()
			rest, err := io.ReadAll(lines)
			w.must(err)
			if all += string(rest); r.ContentLength != -1 || !strings.HasPrefix(all, "data: {") || !strings.HasSuffix(all, "\n\ndata: [DONE]\n\n") {
				t.Errorf("it is %q", all)
			}
		})
	}
	t.Run("a client who leaves a stream cancels the model", func(t *testing.T) {
		w := w.within(t)
		gate := llmtest.NewGate()
		held := sevenInPieces
		held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
		model := upstream.Request(upstream.Arrived())
		upstream.Next(held)
		client := w.dial()
		client.write(oldRequest("POST", streamPath, tn.token, openingQuestion))
		client.answer()
		w.comes("the model waits", gate.Reached())
		w.must(client.Close())
		w.comes("the model is canceled", model.Canceled())
		gate.Release()
	})
	t.Run("who only wants the head of a stream gets it", func(t *testing.T) {
		w := w.within(t)
		conversation := w.marked("POST", streamPath, resumable, bearer(tn.token)).rest()[0].ConversationID
		client := w.dial()
		client.write(oldRequest("HEAD", resumePath(conversation), tn.token, ""))
		text, err := io.ReadAll(client.in)
		w.must(err)
		if head := string(text); !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(head, "\r\n\r\n") || strings.Contains(head, "chunked") || strings.Contains(head, "data:") {
			t.Errorf("it is %q", head)
		}
	})
}

func TestExpect(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.hasNoHurry()
	tn := w.newTenant("baker", plan.Standard, opening)
	_, reading := w.issue(tn, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	_, writing := w.issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	one := conversationsPath + "/" + written(w.newConversation(tn.token, ""))
	head := func(method, path, token, kind string, length int) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", method, path, token, kind, length)
	}
	const ofJSON = "application/json"
	for name, refused := range map[string]struct {
		head   string
		status int
	}{
		"a token that does not work":   {head("POST", chatPath, "parley_no", ofJSON, 100), 401},
		"a token without the scope":    {head("POST", chatPath, reading, ofJSON, 100), 403},
		"another type":                 {head("POST", chatPath, tn.token, "text/plain", 100), 415},
		"another type for a stream":    {head("POST", streamPath, tn.token, "text/plain", 100), 415},
		"another type and no need":     {head("POST", conversationsPath, tn.token, "text/plain", 100), 415},
		"another type to stop":         {head("POST", one+"/stop", tn.token, "text/plain", 100), 415},
		"another type to change":       {head("PATCH", one, writing, "text/plain", 100), 415},
		"another type for a tool":      {head("POST", "/api/v1/mcp", tn.token, "text/plain", 100), 415},
		"another type for OpenAI":      {head("POST", "/api/v1/openai/responses", tn.token, "text/plain", 100), 415},
		"too much":                     {head("POST", chatPath, tn.token, ofJSON, 1<<20+1), 413},
		"too much for a conversation":  {head("POST", conversationsPath, tn.token, ofJSON, 1<<20+1), 413},
		"a body that nobody wants":     {head("GET", one, tn.token, ofJSON, 100), 200},
		"a path that is none":          {head("POST", "/api/v1/nowhere", tn.token, ofJSON, 100), 404},
		"a method that is none":        {head("PUT", chatPath, tn.token, ofJSON, 100), 405},
		"a document without a session": {head("POST", "/api/chatbots/"+tn.chatbot+"/documents", tn.token, ofJSON, 100), 401},
	} {
		t.Run("a client with "+name+" is not asked for its body", func(t *testing.T) {
			client := w.within(t).dial()
			client.write(refused.head)
			if r := client.answer(); r.StatusCode != refused.status {
				t.Errorf("the answer is %s", r.Status)
			}
		})
	}
	t.Run("a client beyond its rate is not asked for its body", func(t *testing.T) {
		w := w.within(t)
		_, once := w.issue(tn, chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: 1}})
		w.checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(once)), 200, 0)
		client := w.dial()
		client.write(head("POST", chatPath, once, ofJSON, 100))
		if r := client.answer(); r.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the answer is %s", r.Status)
		}
	})
	t.Run("any other is, and is answered", func(t *testing.T) {
		w := w.within(t)
		client := w.dial()
		client.write(head("POST", chatPath, tn.token, ofJSON, len(openingQuestion)))
		if r := client.answer(); r.StatusCode != http.StatusContinue {
			t.Fatalf("the answer is %s", r.Status)
		}
		client.write(openingQuestion)
		w.checkAnswer(w.read(client.answer()), 200, 0)
	})
	t.Run("a client of HTTP/1.0, which knows no such answer, is not", func(t *testing.T) {
		w := w.within(t)
		client := w.dial()
		client.write(strings.Replace(oldRequest("POST", chatPath, tn.token, openingQuestion), "\r\n", "\r\nExpect: 100-continue\r\n", 1))
		w.checkAnswer(w.read(client.answer()), 200, 0)
	})
}
