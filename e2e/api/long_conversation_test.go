package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

// A long conversation is never in memory whole: it is read a page at a time while it is sent.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	tn := w.NewTenant("baker", plan.Enterprise, harness.Opening)
	_, tn.Token = w.Issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	const questions = 40
	question, id := strings.Repeat("😀", 16_000), ""
	ask := func(text string) {
		body := fmt.Sprintf(`{"message":%q}`, text)
		if id != "" {
			body = fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, text, id)
		}
		r := w.Call("POST", harness.ChatPath, body, harness.Bearer(tn.Token))
		w.Expect(r, http.StatusOK)
		id = fmt.Sprintf("%.0f", r.Data["conversation_id"])
	}
	ask("When does the bakery open?")
	short := w.Call("GET", harness.ConversationsPath+"/"+id+"/messages", "", harness.Bearer(tn.Token))
	for n := range questions {
		ask(fmt.Sprint(n, question))
	}
	path := harness.ConversationsPath + "/" + id + "/messages"
	list := func(w *harness.Instance, query string) (r harness.Reply, messages []any) {
		r = w.Call("GET", path+query, "", harness.Bearer(tn.Token))
		w.Expect(r, http.StatusOK)
		messages, _ = r.Data["messages"].([]any)
		return r, messages
	}
	t.Run("a short one has a length", func(t *testing.T) {
		if short.ContentLength != int64(len(short.Text)) || len(short.Data["messages"].([]any)) != 2 {
			t.Errorf("the length of %q is %d", short.Text, short.ContentLength)
		}
	})
	for _, with := range []string{"", "&include=sources,usage"} {
		t.Run("without a limit there are all messages, as in pages, with include "+with, func(t *testing.T) {
			w := w.Within(t)
			_, all := list(w, "?"+with)
			var paged []any
			for after := "?limit=7"; after != ""; {
				r, some := list(w, after+with)
				paged = append(paged, some...)
				if len(some) != 7 && r.Data["has_more"] == true {
					t.Errorf("a page has %d messages", len(some))
				}
				after = ""
				if next, more := r.Data["next"].(float64); more {
					after = fmt.Sprintf("?limit=7&after=%.0f", next)
				}
			}
			one, _ := json.Marshal(all, json.Deterministic(true))
			other, _ := json.Marshal(paged, json.Deterministic(true))
			if len(all) != 2*(questions+1) || string(one) != string(other) {
				t.Errorf("there are %d messages, and %d in pages", len(all), len(paged))
			}
		})
	}
	t.Run("the rest after a message is whole, too, and says that there is no more", func(t *testing.T) {
		w := w.Within(t)
		_, all := list(w, "")
		first, _ := all[0].(map[string]any)
		r, rest := list(w, fmt.Sprintf("?after=%.0f", first["id"]))
		if len(rest) != len(all)-1 || r.Data["has_more"] != false || r.Data["next"] != nil {
			t.Errorf("%d of %d, has_more %v, next %v", len(rest), len(all), r.Data["has_more"], r.Data["next"])
		}
	})
	t.Run("one that is deleted while it is sent breaks off", func(t *testing.T) {
		w := w.Within(t)
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.Base, "http://"))
		w.Must(err)
		defer conn.Close()
		w.Must(conn.(*net.TCPConn).SetReadBuffer(64 << 10))
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n\r\n", path, tn.Token)
		w.Must(err)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		w.Must(err)
		defer r.Body.Close()
		begin := make([]byte, 1000)
		_, err = io.ReadFull(r.Body, begin)
		w.Must(err)
		w.Expect(w.Call("DELETE", harness.ConversationsPath+"/"+id, "", harness.Bearer(tn.Token)), http.StatusOK)
		if rest, err := io.ReadAll(r.Body); err == nil {
			t.Errorf("it ends well, with %d bytes", len(begin)+len(rest))
		}
	})
}

// A body of few bytes can be many values.
func TestBodiesOfManyValues(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	tn := w.NewTenant("baker", plan.Enterprise, harness.Opening)
	many := strings.Repeat("{},", 20_000) + "{}"
	for name, row := range map[string]struct{ path, body string }{
		"messages":       {"/api/v1/openai/chat/completions", `{"messages":[` + many + `]}`},
		"items":          {"/api/v1/openai/responses", `{"input":[` + many + `]}`},
		"unknown values": {harness.ChatPath, `{"message":"a","other":[` + many + `]}`},
		"names":          {harness.ChatPath, `{"message":"a"` + strings.Repeat(`,"":0`, 20_000) + `}`},
		"arguments":      {"/api/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"a","other":[` + strings.Repeat("0,", 1000) + `0]}}}`},
		"metadata":       {harness.ConversationsPath, `{"metadata":{"a":[` + many + `]}}`},
	} {
		t.Run("too many "+name+" are refused", func(t *testing.T) {
			w := w.Within(t)
			w.Expect(w.Call("POST", row.path, row.body, harness.Bearer(tn.Token)), http.StatusRequestEntityTooLarge)
		})
	}
	t.Run("so are lists in lists in lists", func(t *testing.T) {
		w := w.Within(t)
		body := `{"message":"a","other":` + strings.Repeat("[", 3_000) + strings.Repeat("]", 3_000) + `}`
		w.CheckAnswer(w.Call("POST", harness.ChatPath, body, harness.Bearer(tn.Token)), http.StatusBadRequest, 4)
	})
}
