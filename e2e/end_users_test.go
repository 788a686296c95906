package e2e

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/core/chatbot"
)

func userHeader(user string) header { return header{"X-External-User-Id", user} }

// separated is a chatbot of the baker's workspace that separates its end users,
// with a token.
func (b bakery) separated() tenantOf {
	b.Helper()
	bot, err := b.server.Chatbots.Create(b.Context(), b.baker.workspace, chatbot.Settings{Name: "separated", SeparateEndUsers: true})
	b.must(err)
	tn := tenantOf{email: b.baker.email, password: b.baker.password, workspace: b.baker.workspace, chatbot: bot.ID}
	_, tn.token = b.issue(tn, chatbot.NewToken{})
	return tn
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
	onBakery(t, func(b bakery) {
		token := b.separated().token
		asked := func(user string) int64 {
			r := b.call("POST", chatPath, byUser("", user), bearer(token))
			b.checkAnswer(r, 200, 0)
			return b.number(r, "conversation_id")
		}
		alice, nobody := asked("alice"), asked("")

		// all are the requests of every route in a conversation, for a user.
		all := func(conversation int64, user string) map[string]func() reply {
			id, headers := written(conversation), []header{bearer(token)}
			query := ""
			if user != "" {
				headers = append(headers, userHeader(user))
				query = "?external_user_id=" + url.QueryEscape(user)
			}
			return map[string]func() reply{
				"a question":                 func() reply { return b.call("POST", chatPath, byUser(id, user), bearer(token)) },
				"a question with a header":   func() reply { return b.call("POST", chatPath, byUser(id, ""), headers...) },
				"a stream":                   func() reply { return b.call("POST", streamPath, byUser(id, user), bearer(token)) },
				"messages by header":         func() reply { return b.call("GET", messagesPath(id), "", headers...) },
				"messages by query":          func() reply { return b.call("GET", messagesPath(id)+query, "", bearer(token)) },
				"a resumed stream by header": func() reply { return b.call("GET", resumePath(conversation), "", headers...) },
				"a resumed stream by query":  func() reply { return b.call("GET", resumePath(conversation)+query, "", bearer(token)) },
				"a stop by header":           func() reply { return b.call("POST", stopPath(conversation), "", headers...) },
				"a stop by query":            func() reply { return b.call("POST", stopPath(conversation)+query, "", bearer(token)) },
				"a stop by body":             func() reply { return b.call("POST", stopPath(conversation), byUser("", user), bearer(token)) },
				"a question with key and query": func() reply {
					return b.call("POST", chatPath+query, byUser(id, user), bearer(token), keyed("k"+id+user))
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
					w, r := b.within(t), request()
					if c.found {
						if r.StatusCode != 200 {
							t.Errorf("it is refused: %d %s", r.StatusCode, r.body)
						}
						return
					}
					w.checkAnswer(r, 404, 3)
					if unknown := all(1, c.user)[route](); unknown.body != r.body || unknown.StatusCode != r.StatusCode {
						t.Errorf("it is told from a conversation that does not exist:\n%s\n%s", r.body, unknown.body)
					}
				})
			}
		}
		b.Run("refused requests leave nothing behind", func(t *testing.T) {
			r := b.within(t).call("GET", messagesPath(written(nobody)), "", bearer(token))
			if messages, _ := r.Data["messages"].([]any); len(messages) != 2+4*2 {
				t.Errorf("%d messages in the conversation of nobody, want those of five questions", len(messages))
			}
		})
	})
}

func TestSeparateEndUsersSetting(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		v, page, token := b.signedIn(b.baker.email, b.baker.password), "/chatbots/"+b.baker.chatbot+"/settings", b.baker.token
		alice := messagesPath(written(b.newConversation(token, `{"external_user_id":"alice"}`)))
		const on = `name="separate_end_users" type="checkbox" value="on" checked`
		b.Run("the settings page turns it on and off, for the next request", func(t *testing.T) {
			w, v := b.within(t), v.in(t)
			if strings.Contains(v.get(page).body, on) {
				t.Error("it is on from the start")
			}
			w.checkAnswer(w.call("GET", alice, "", bearer(token)), 200, 0)
			v.goesTo(v.post(page, pairs{"name", "Baker", "separate_end_users", "on"}), page+"?done=saved")
			if !strings.Contains(v.get(page).body, on) {
				t.Error("the page does not show that it is on")
			}
			w.checkAnswer(w.call("GET", alice, "", bearer(token)), 404, 3)
			w.checkAnswer(w.call("GET", alice, "", bearer(token), userHeader("alice")), 200, 0)
			v.goesTo(v.post(page, pairs{"name", "Baker"}), page+"?done=saved")
			w.checkAnswer(w.call("GET", alice, "", bearer(token)), 200, 0)
		})
	})
}

func TestNamingTheEndUser(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		for name, token := range map[string]string{"of a chatbot as it is by default": b.baker.token, "of one that separates end users": b.separated().token} {
			b.Run(name, func(t *testing.T) {
				w := b.within(t)
				alice := w.newConversation(token, `{"external_user_id":"alice"}`)
				id := written(alice)
				w.play(
					scenario{name: "body and header may both name the same end user", body: byUser(id, "alice"), headers: []header{bearer(token), userHeader("alice")}},
					scenario{name: "body and header that differ are refused", body: byUser(id, "alice"), headers: []header{bearer(token), userHeader("bob")}, status: 400, code: 4, has: []string{"external_user_id"}},
					scenario{name: "so are they in a stream", path: streamPath, body: byUser(id, "alice"), headers: []header{bearer(token), userHeader("bob")}, status: 400, code: 4},
					scenario{name: "and for a new conversation", path: conversationsPath, body: `{"external_user_id":"alice"}`, headers: []header{bearer(token), userHeader("bob")}, status: 400, code: 4},
					scenario{name: "header and query may be equal", method: "GET", path: messagesPath(id) + "?external_user_id=alice", headers: []header{bearer(token), userHeader("alice")}},
					scenario{name: "header and query that differ are refused", method: "GET", path: messagesPath(id) + "?external_user_id=bob", headers: []header{bearer(token), userHeader("alice")}, status: 400, code: 4, has: []string{"external_user_id"}},
					scenario{name: "so are they for a resumed stream", method: "GET", path: resumePath(alice) + "?external_user_id=bob", headers: []header{bearer(token), userHeader("alice")}, status: 400, code: 4},
					scenario{name: "and for a stop", path: stopPath(alice) + "?external_user_id=bob", headers: []header{bearer(token), userHeader("alice")}, status: 400, code: 4},
					scenario{name: "two queries that differ are refused", method: "GET", path: messagesPath(id) + "?external_user_id=bob&external_user_id=alice", headers: as(token), status: 400, code: 4},
					scenario{name: "two headers that differ are refused", method: "GET", path: messagesPath(id), headers: []header{bearer(token), userHeader("alice"), userHeader("bob")}, status: 400, code: 4},
					scenario{name: "another end user's header finds no messages", method: "GET", path: messagesPath(id), headers: []header{bearer(token), userHeader("bob")}, status: 404, code: 3},
					scenario{name: "a name that is not UTF-8 is refused", method: "GET", path: messagesPath(id) + "?external_user_id=%FF", headers: as(token), status: 400, code: 4},
					scenario{name: "a NUL in it is refused", method: "GET", path: messagesPath(id) + "?external_user_id=a%00", headers: as(token), status: 400, code: 4},
				)
				made := w.call("POST", chatPath, byUser("", ""), bearer(token), userHeader("carol ö"))
				w.checkAnswer(made, 200, 0)
				begun := written(w.number(made, "conversation_id"))
				w.checkAnswer(w.call("GET", messagesPath(begun)+"?external_user_id=carol+%C3%B6", "", bearer(token)), 200, 0)
				w.checkAnswer(w.call("POST", chatPath, byUser(begun, "dave"), bearer(token)), 404, 3)
			})
		}
	})
}

func TestKeysOfEndUsers(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		for _, path := range []string{chatPath, streamPath, conversationsPath} {
			b.Run("an idempotency key does not give one end user what another asked for: "+path, func(t *testing.T) {
				w := b.within(t)
				first := w.call("POST", path, byUser("", ""), bearer(token), keyed("shared"), userHeader("alice"))
				if first.StatusCode != 200 {
					t.Fatalf("got %s", first.body)
				}
				again := w.call("POST", path, byUser("", ""), bearer(token), keyed("shared"), userHeader("alice"))
				if w.said(again) != w.said(first) {
					t.Errorf("her own request gives\n%s\nand then\n%s", first.body, again.body)
				}
				w.checkAnswer(w.call("POST", path, byUser("", ""), bearer(token), keyed("shared"), userHeader("bob")), 409, 6)
				w.checkAnswer(w.call("POST", path, byUser("", ""), bearer(token), keyed("shared")), 409, 6)
			})
		}
		b.Run("a key that was used before end users were separated opens no conversation of another", func(t *testing.T) {
			w := b.within(t)
			tn := b.separated()
			set := func(separate bool) {
				w.must(w.server.Chatbots.Update(t.Context(), tn.workspace, tn.chatbot, chatbot.Settings{Name: "separated", SeparateEndUsers: separate}))
			}
			set(false)
			alice := written(w.newConversation(tn.token, `{"external_user_id":"alice"}`))
			w.checkAnswer(w.call("POST", chatPath, asking(alice), bearer(tn.token), keyed("before")), 200, 0)
			set(true)
			w.checkAnswer(w.call("POST", chatPath, asking(alice), bearer(tn.token), keyed("before")), 404, 3)
		})
	})
}

func TestIdentifiersTellNothing(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		var all []int64
		for range 20 {
			all = append(all, b.newConversation(b.baker.token, ""), b.newConversation(b.rival.token, ""))
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
		id := written(all[0])
		for range 3 {
			b.checkAnswer(b.call("POST", chatPath, asking(id), bearer(b.baker.token)), 200, 0)
		}
		var told []string // every identifier of a message that a caller sees
		for _, m := range b.messages(b.baker.token, id, "") {
			told = append(told, written(int64(m["id"].(float64))))
		}
		next := b.call("GET", messagesPath(id)+"?limit=2", "", bearer(b.baker.token))
		told = append(told, written(b.number(next, "next")))
		events := b.marked("POST", streamPath, `{"message":"When does it open?","include":["ids"]}`, bearer(b.baker.token))
		for e, more := events.next(); more; e, more = events.next() {
			answer, _, _ := strings.Cut(e.id, ".")
			told = append(told, answer)
		}
		small = 0
		for _, id := range slices.Compact(told) {
			if len(id) < len(written(1<<40)) {
				small++
			}
		}
		if small > 1 || len(told) < 10 {
			b.Errorf("the messages' identifiers tell how many there are: %v", told)
		}
	})
}
