package api

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// oldRequest is [request] in HTTP/1.0.
func oldRequest(method, path, token, body string) string {
	return strings.Replace(harness.Request(method, path, token, body), " HTTP/1.1\r\nHost: parley\r\n", " HTTP/1.0\r\n", 1)
}

func TestOldClients(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, harness.SevenInPieces)
	w := harness.Start(t, harness.WithModel(upstream))
	w.HasNoHurry()
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)

	t.Run("a whole answer has its length", func(t *testing.T) {
		w := w.Within(t)
		for path, body := range map[string]string{harness.ChatPath: harness.OpeningQuestion, harness.ChatPath + "x": "{}", "/api/v1/openai/chat/completions": `{"messages":[{"role":"user","content":"When does it open?"}]}`} {
			client := w.Dial()
			client.Send(oldRequest("POST", path, tn.Token, body))
			r := client.Answer()
			client.Unchunked(r)
			if text, err := io.ReadAll(r.Body); err != nil || int64(len(text)) != r.ContentLength || r.ContentLength == 0 {
				t.Errorf("%s is %q of %d bytes, %v", path, text, r.ContentLength, err)
			}
			client.HasEnded()
		}
	})
	for name, stream := range map[string]struct{ path, body string }{
		"a stream":                     {harness.StreamPath, harness.OpeningQuestion},
		"a stream of an OpenAI client": {"/api/v1/openai/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"When does it open?"}]}`},
	} {
		t.Run(name+" comes as it is written, and ends with the connection", func(t *testing.T) {
			w := w.Within(t)
			gate := llmtest.NewGate()
			held := harness.SevenInPieces
			held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
			upstream.Next(held)
			client := w.Dial()
			client.Send(strings.Replace(oldRequest("POST", stream.path, tn.Token, stream.body), "\r\n", "\r\nConnection: keep-alive\r\n", 1))
			r := client.Answer()
			client.Unchunked(r)
			lines, all := bufio.NewReader(r.Body), ""
			for !strings.Contains(all, "sev") { // while the model waits
				text, err := lines.ReadString('\n')
				w.Must(err)
				all += text
			}
			gate.Release()
			rest, err := io.ReadAll(lines)
			w.Must(err)
			if all += string(rest); r.ContentLength != -1 || !strings.HasPrefix(all, "data: {") || !strings.HasSuffix(all, "\n\ndata: [DONE]\n\n") {
				t.Errorf("it is %q", all)
			}
		})
	}
	t.Run("a client who leaves a stream cancels the model", func(t *testing.T) {
		w := w.Within(t)
		gate := llmtest.NewGate()
		held := harness.SevenInPieces
		held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
		model := upstream.Request(upstream.Arrived())
		upstream.Next(held)
		client := w.Dial()
		client.Send(oldRequest("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
		client.Answer()
		w.Comes("the model waits", gate.Reached())
		w.Must(client.Close())
		w.Comes("the model is canceled", model.Canceled())
		gate.Release()
	})
	t.Run("who only wants the head of a stream gets it", func(t *testing.T) {
		w := w.Within(t)
		conversation := w.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(tn.Token)).Rest()[0].ConversationID
		client := w.Dial()
		client.Send(oldRequest("HEAD", harness.ResumePath(conversation), tn.Token, ""))
		text, err := io.ReadAll(client.In)
		w.Must(err)
		if head := string(text); !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(head, "\r\n\r\n") || strings.Contains(head, "chunked") || strings.Contains(head, "data:") {
			t.Errorf("it is %q", head)
		}
	})
}

func TestExpect(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.HasNoHurry()
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)
	_, reading := w.Issue(tn, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	_, writing := w.Issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	one := harness.ConversationsPath + "/" + harness.Written(w.NewConversation(tn.Token, ""))
	head := func(method, path, token, kind string, length int) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", method, path, token, kind, length)
	}
	const ofJSON = "application/json"
	for name, refused := range map[string]struct {
		head   string
		status int
	}{
		"a token that does not work":   {head("POST", harness.ChatPath, "parley_no", ofJSON, 100), 401},
		"a token without the scope":    {head("POST", harness.ChatPath, reading, ofJSON, 100), 403},
		"another type":                 {head("POST", harness.ChatPath, tn.Token, "text/plain", 100), 415},
		"another type for a stream":    {head("POST", harness.StreamPath, tn.Token, "text/plain", 100), 415},
		"another type and no need":     {head("POST", harness.ConversationsPath, tn.Token, "text/plain", 100), 415},
		"another type to stop":         {head("POST", one+"/stop", tn.Token, "text/plain", 100), 415},
		"another type to change":       {head("PATCH", one, writing, "text/plain", 100), 415},
		"another type for a tool":      {head("POST", "/api/v1/mcp", tn.Token, "text/plain", 100), 415},
		"another type for OpenAI":      {head("POST", "/api/v1/openai/responses", tn.Token, "text/plain", 100), 415},
		"too much":                     {head("POST", harness.ChatPath, tn.Token, ofJSON, 1<<20+1), 413},
		"too much for a conversation":  {head("POST", harness.ConversationsPath, tn.Token, ofJSON, 1<<20+1), 413},
		"a body that nobody wants":     {head("GET", one, tn.Token, ofJSON, 100), 200},
		"a path that is none":          {head("POST", "/api/v1/nowhere", tn.Token, ofJSON, 100), 404},
		"a method that is none":        {head("PUT", harness.ChatPath, tn.Token, ofJSON, 100), 405},
		"a document without a session": {head("POST", "/api/chatbots/"+tn.Chatbot+"/documents", tn.Token, ofJSON, 100), 401},
	} {
		t.Run("a client with "+name+" is not asked for its body", func(t *testing.T) {
			client := w.Within(t).Dial()
			client.Send(refused.head)
			if r := client.Answer(); r.StatusCode != refused.status {
				t.Errorf("the answer is %s", r.Status)
			}
		})
	}
	t.Run("a client beyond its rate is not asked for its body", func(t *testing.T) {
		w := w.Within(t)
		_, once := w.Issue(tn, chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: 1}})
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(once)), 200, 0)
		client := w.Dial()
		client.Send(head("POST", harness.ChatPath, once, ofJSON, 100))
		if r := client.Answer(); r.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the answer is %s", r.Status)
		}
	})
	t.Run("any other is, and is answered", func(t *testing.T) {
		w := w.Within(t)
		client := w.Dial()
		client.Send(head("POST", harness.ChatPath, tn.Token, ofJSON, len(harness.OpeningQuestion)))
		if r := client.Answer(); r.StatusCode != http.StatusContinue {
			t.Fatalf("the answer is %s", r.Status)
		}
		client.Send(harness.OpeningQuestion)
		w.CheckAnswer(w.Read(client.Answer()), 200, 0)
	})
	t.Run("a client of HTTP/1.0, which knows no such answer, is not", func(t *testing.T) {
		w := w.Within(t)
		client := w.Dial()
		client.Send(strings.Replace(oldRequest("POST", harness.ChatPath, tn.Token, harness.OpeningQuestion), "\r\n", "\r\nExpect: 100-continue\r\n", 1))
		w.CheckAnswer(w.Read(client.Answer()), 200, 0)
	})
}
