package api

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/e2e/harness"
)

func userHeader(user string) harness.Header {
	return harness.Header{Name: "X-External-User-Id", Value: user}
}

// byUser is a question in a conversation for an end user; both are left out
// where they are empty.
func byUser(conversation, user string) string {
	body := `{"message":"When does the bakery open?"`
	if conversation != "" {
		body += `,"conversation_id":"` + conversation + `"`
	}
	if user != "" {
		body += `,"external_user_id":"` + user + `"`
	}
	return body + "}"
}

func TestSeparateEndUsers(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Separated().Token
		asked := func(user string) int64 {
			r := b.Call("POST", harness.ChatPath, byUser("", user), harness.Bearer(token))
			b.CheckAnswer(r, 200, 0)
			return b.Number(r, "conversation_id")
		}
		alice, nobody := asked("alice"), asked("")

		// all are the requests of every route in a conversation, for a user.
		all := func(conversation int64, user string) map[string]func() harness.Reply {
			id, headers := harness.Written(conversation), []harness.Header{harness.Bearer(token)}
			query := ""
			if user != "" {
				headers = append(headers, userHeader(user))
				query = "?external_user_id=" + url.QueryEscape(user)
			}
			return map[string]func() harness.Reply{
				"a question":               func() harness.Reply { return b.Call("POST", harness.ChatPath, byUser(id, user), harness.Bearer(token)) },
				"a question with a header": func() harness.Reply { return b.Call("POST", harness.ChatPath, byUser(id, ""), headers...) },
				"a stream": func() harness.Reply {
					return b.Call("POST", harness.StreamPath, byUser(id, user), harness.Bearer(token))
				},
				"messages by header":         func() harness.Reply { return b.Call("GET", harness.MessagesPath(id), "", headers...) },
				"messages by query":          func() harness.Reply { return b.Call("GET", harness.MessagesPath(id)+query, "", harness.Bearer(token)) },
				"a resumed stream by header": func() harness.Reply { return b.Call("GET", harness.ResumePath(conversation), "", headers...) },
				"a resumed stream by query": func() harness.Reply {
					return b.Call("GET", harness.ResumePath(conversation)+query, "", harness.Bearer(token))
				},
				"a stop by header": func() harness.Reply { return b.Call("POST", harness.StopPath(conversation), "", headers...) },
				"a stop by query": func() harness.Reply {
					return b.Call("POST", harness.StopPath(conversation)+query, "", harness.Bearer(token))
				},
				"a stop by body": func() harness.Reply {
					return b.Call("POST", harness.StopPath(conversation), byUser("", user), harness.Bearer(token))
				},
				"a question with key and query": func() harness.Reply {
					return b.Call("POST", harness.ChatPath+query, byUser(id, user), harness.Bearer(token), harness.Keyed("k"+id+user))
				},
			}
		}
		for _, c := range []struct {
			name         string
			conversation int64
			user         string
			found        bool
		}{
			{"its own end user has the conversation", alice, "alice", true},
			{"another end user does not find it", alice, "bob", false},
			{"a request that names nobody does not find it", alice, "", false},
			{"an end user is compared exactly", alice, "Alice", false},
			{"a conversation of nobody is for requests that name nobody", nobody, "", true},
			{"an end user does not find a conversation of nobody, and it does not become theirs", nobody, "bob", false},
		} {
			for route, request := range all(c.conversation, c.user) {
				b.Run(c.name+": "+route, func(t *testing.T) {
					w, r := b.Within(t), request()
					if c.found {
						if r.StatusCode != 200 {
							t.Errorf("it is refused: %d %s", r.StatusCode, r.Text)
						}
						return
					}
					w.CheckAnswer(r, 404, 3)
					if unknown := all(1, c.user)[route](); unknown.Text != r.Text || unknown.StatusCode != r.StatusCode {
						t.Errorf("it is told from a conversation that does not exist:\n%s\n%s", r.Text, unknown.Text)
					}
				})
			}
		}
		b.Run("refused requests leave nothing behind", func(t *testing.T) {
			r := b.Within(t).Call("GET", harness.MessagesPath(harness.Written(nobody)), "", harness.Bearer(token))
			if messages, _ := r.Data["messages"].([]any); len(messages) != 2+4*2 {
				t.Errorf("%d messages in the conversation of nobody, want those of five questions", len(messages))
			}
		})
	})
}

func TestSeparateEndUsersSetting(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		v, page, token := b.SignedIn(b.Baker.Email, b.Baker.Password), "/chatbots/"+b.Baker.Chatbot+"/settings", b.Baker.Token
		alice := harness.MessagesPath(harness.Written(b.NewConversation(token, `{"external_user_id":"alice"}`)))
		const on = `name="separate_end_users" type="checkbox" value="on" checked`
		b.Run("the settings page turns it on and off, for the next request", func(t *testing.T) {
			w, v := b.Within(t), v.In(t)
			if strings.Contains(v.Get(page).Text, on) {
				t.Error("it is on from the start")
			}
			w.CheckAnswer(w.Call("GET", alice, "", harness.Bearer(token)), 200, 0)
			v.GoesTo(v.Post(page, harness.Pairs{"name", "Baker", "separate_end_users", "on"}), page+"?done=saved")
			if !strings.Contains(v.Get(page).Text, on) {
				t.Error("the page does not show that it is on")
			}
			w.CheckAnswer(w.Call("GET", alice, "", harness.Bearer(token)), 404, 3)
			w.CheckAnswer(w.Call("GET", alice, "", harness.Bearer(token), userHeader("alice")), 200, 0)
			v.GoesTo(v.Post(page, harness.Pairs{"name", "Baker"}), page+"?done=saved")
			w.CheckAnswer(w.Call("GET", alice, "", harness.Bearer(token)), 200, 0)
		})
	})
}

func TestNamingTheEndUser(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		for name, token := range map[string]string{"of a chatbot as it is by default": b.Baker.Token, "of one that separates end users": b.Separated().Token} {
			b.Run(name, func(t *testing.T) {
				w := b.Within(t)
				alice := w.NewConversation(token, `{"external_user_id":"alice"}`)
				id := harness.Written(alice)
				w.Play(
					harness.Scenario{Name: "body and header may both name the same end user", Body: byUser(id, "alice"), Headers: []harness.Header{harness.Bearer(token), userHeader("alice")}},
					harness.Scenario{Name: "body and header that differ are refused", Body: byUser(id, "alice"), Headers: []harness.Header{harness.Bearer(token), userHeader("bob")}, Status: 400, Code: 4, Has: []string{"external_user_id"}},
					harness.Scenario{Name: "so are they in a stream", Path: harness.StreamPath, Body: byUser(id, "alice"), Headers: []harness.Header{harness.Bearer(token), userHeader("bob")}, Status: 400, Code: 4},
					harness.Scenario{Name: "and for a new conversation", Path: harness.ConversationsPath, Body: `{"external_user_id":"alice"}`, Headers: []harness.Header{harness.Bearer(token), userHeader("bob")}, Status: 400, Code: 4},
					harness.Scenario{Name: "header and query may be equal", Method: "GET", Path: harness.MessagesPath(id) + "?external_user_id=alice", Headers: []harness.Header{harness.Bearer(token), userHeader("alice")}},
					harness.Scenario{Name: "header and query that differ are refused", Method: "GET", Path: harness.MessagesPath(id) + "?external_user_id=bob", Headers: []harness.Header{harness.Bearer(token), userHeader("alice")}, Status: 400, Code: 4, Has: []string{"external_user_id"}},
					harness.Scenario{Name: "so are they for a resumed stream", Method: "GET", Path: harness.ResumePath(alice) + "?external_user_id=bob", Headers: []harness.Header{harness.Bearer(token), userHeader("alice")}, Status: 400, Code: 4},
					harness.Scenario{Name: "and for a stop", Path: harness.StopPath(alice) + "?external_user_id=bob", Headers: []harness.Header{harness.Bearer(token), userHeader("alice")}, Status: 400, Code: 4},
					harness.Scenario{Name: "two queries that differ are refused", Method: "GET", Path: harness.MessagesPath(id) + "?external_user_id=bob&external_user_id=alice", Headers: harness.As(token), Status: 400, Code: 4},
					harness.Scenario{Name: "two headers that differ are refused", Method: "GET", Path: harness.MessagesPath(id), Headers: []harness.Header{harness.Bearer(token), userHeader("alice"), userHeader("bob")}, Status: 400, Code: 4},
					harness.Scenario{Name: "another end user's header finds no messages", Method: "GET", Path: harness.MessagesPath(id), Headers: []harness.Header{harness.Bearer(token), userHeader("bob")}, Status: 404, Code: 3},
					harness.Scenario{Name: "a name that is not UTF-8 is refused", Method: "GET", Path: harness.MessagesPath(id) + "?external_user_id=%FF", Headers: harness.As(token), Status: 400, Code: 4},
					harness.Scenario{Name: "a NUL in it is refused", Method: "GET", Path: harness.MessagesPath(id) + "?external_user_id=a%00", Headers: harness.As(token), Status: 400, Code: 4},
				)
				made := w.Call("POST", harness.ChatPath, byUser("", ""), harness.Bearer(token), userHeader("carol ö"))
				w.CheckAnswer(made, 200, 0)
				begun := harness.Written(w.Number(made, "conversation_id"))
				w.CheckAnswer(w.Call("GET", harness.MessagesPath(begun)+"?external_user_id=carol+%C3%B6", "", harness.Bearer(token)), 200, 0)
				w.CheckAnswer(w.Call("POST", harness.ChatPath, byUser(begun, "dave"), harness.Bearer(token)), 404, 3)
			})
		}
	})
}

func TestKeysOfEndUsers(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		for _, path := range []string{harness.ChatPath, harness.StreamPath, harness.ConversationsPath} {
			b.Run("an idempotency key does not give one end user what another asked for: "+path, func(t *testing.T) {
				w := b.Within(t)
				first := w.Call("POST", path, byUser("", ""), harness.Bearer(token), harness.Keyed("shared"), userHeader("alice"))
				if first.StatusCode != 200 {
					t.Fatalf("got %s", first.Text)
				}
				again := w.Call("POST", path, byUser("", ""), harness.Bearer(token), harness.Keyed("shared"), userHeader("alice"))
				if w.Said(again) != w.Said(first) {
					t.Errorf("her own request gives\n%s\nand then\n%s", first.Text, again.Text)
				}
				w.CheckAnswer(w.Call("POST", path, byUser("", ""), harness.Bearer(token), harness.Keyed("shared"), userHeader("bob")), 409, 6)
				w.CheckAnswer(w.Call("POST", path, byUser("", ""), harness.Bearer(token), harness.Keyed("shared")), 409, 6)
			})
		}
		b.Run("a key that was used before end users were separated opens no conversation of another", func(t *testing.T) {
			w := b.Within(t)
			tn := b.Separated()
			set := func(separate bool) {
				w.Must(w.Server.Chatbots.Update(t.Context(), tn.Workspace, tn.Chatbot, chatbot.Settings{Name: "separated", SeparateEndUsers: separate}))
			}
			set(false)
			alice := harness.Written(w.NewConversation(tn.Token, `{"external_user_id":"alice"}`))
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(alice), harness.Bearer(tn.Token), harness.Keyed("before")), 200, 0)
			set(true)
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(alice), harness.Bearer(tn.Token), harness.Keyed("before")), 404, 3)
		})
	})
}

func TestIdentifiersTellNothing(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		var all []int64
		for range 20 {
			all = append(all, b.NewConversation(b.Baker.Token, ""), b.NewConversation(b.Rival.Token, ""))
		}
		small, rising := 0, 0
		for i, id := range all {
			if id < 1<<40 { // one in 8,192
				small++
			}
			if i > 0 && id > all[i-1] {
				rising++
			}
		}
		if small > 2 || rising > 35 || rising < 4 {
			b.Errorf("identifiers tell how many conversations there are: %v", all)
		}
		id := harness.Written(all[0])
		for range 3 {
			b.CheckAnswer(b.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(b.Baker.Token)), 200, 0)
		}
		var told []string // every identifier of a message that a caller sees
		for _, m := range b.Messages(b.Baker.Token, id, "") {
			told = append(told, harness.Written(int64(m["id"].(float64))))
		}
		next := b.Call("GET", harness.MessagesPath(id)+"?limit=2", "", harness.Bearer(b.Baker.Token))
		told = append(told, harness.Written(b.Number(next, "next")))
		events := b.Marked("POST", harness.StreamPath, `{"message":"When does it open?","include":["ids"]}`, harness.Bearer(b.Baker.Token))
		for e, more := events.Next(); more; e, more = events.Next() {
			answer, _, _ := strings.Cut(e.ID, ".")
			told = append(told, answer)
		}
		small = 0
		for _, id := range slices.Compact(told) {
			if len(id) < len(harness.Written(1<<40)) {
				small++
			}
		}
		if small > 1 || len(told) < 10 {
			b.Errorf("the messages' identifiers tell how many there are: %v", told)
		}
	})
}
