package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
)

// asking is a question in a conversation, whose identifier is JSON.
func asking(conversation string) string {
	return `{"message":"When does the bakery open?","conversation_id":` + conversation + `}`
}

func messagesPath(conversation string) string {
	return conversationsPath + "/" + conversation + "/messages"
}

func TestConversationIDs(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		id := written(b.newConversation(token, ""))
		same := func(w *instance, r reply) {
			if got := written(w.number(r, "conversation_id")); got != id {
				w.Errorf("the conversation is %s, want %s", got, id)
			}
		}
		b.play(
			scenario{name: "an identifier as a string continues the conversation", body: asking(`"` + id + `"`), headers: as(token), then: same},
			scenario{name: "an identifier as an integer continues it too", body: asking(id), headers: as(token), then: same},
			scenario{name: "an escaped identifier continues it too", body: asking(`"\u003` + id[:1] + id[1:] + `"`), headers: as(token), then: same},
		)
		b.play(b.foreignConversations(id)...)
	})
}

// foreignConversations name no conversation of the baker: all are refused
// with the same bytes, by all three routes.
func (b bakery) foreignConversations(id string) []scenario {
	sibling, err := b.server.Chatbots.Create(b.Context(), b.baker.workspace, chatbot.Settings{Name: "sibling"})
	b.must(err)
	_, siblingToken := b.issue(tenantOf{email: b.baker.email, workspace: b.baker.workspace, chatbot: sibling.ID}, chatbot.NewToken{})
	ids := map[string]string{
		"letters":                          `"abc"`,
		"an identifier nobody has":         `"9007199254740991"`,
		"an integer nobody has":            `9007199254740991`,
		"2^53":                             `"9007199254740992"`,
		"2^63":                             `"9223372036854775808"`,
		"10^30":                            `1000000000000000000000000000000`,
		"10^30 in short":                   `1e30`,
		"10^400":                           `1e400`,
		"a float":                          id + `.5`,
		"a float that is an integer":       id + `.0`,
		"a float in a string":              `"` + id + `.0"`,
		"an exponent":                      id + `e0`,
		"zero":                             `0`,
		"minus zero":                       `-0`,
		"a negative integer":               `-` + id,
		"a negative integer in a string":   `"-` + id + `"`,
		"a plus":                           `"+` + id + `"`,
		"a leading zero in a string":       `"0` + id + `"`,
		"hexadecimal":                      `"0x1"`,
		"an empty string":                  `""`,
		"a blank":                          `" "`,
		"a blank behind":                   `"` + id + ` "`,
		"an underscore":                    `"1_0"`,
		"digits of another script":         `"١"`,
		"an escaped NUL behind":            `"` + id + `\u0000"`,
		"true":                             `true`,
		"an array":                         `[` + id + `]`,
		"an object":                        `{"id":` + id + `}`,
		"a quote and SQL":                  `"' OR 1=1 --"`,
		"200,000 characters":               `"` + strings.Repeat("1", 200_000) + `"`,
		"one of another workspace":         written(b.newConversation(b.rival.token, "")),
		"one of another workspace, a text": `"` + written(b.newConversation(b.rival.token, "")) + `"`,
		"one of another chatbot of ours":   written(b.newConversation(siblingToken, "")),
	}
	first := b.call("POST", chatPath, asking(`"abc"`), bearer(b.baker.token))
	same := func(w *instance, r reply) {
		if r.body != first.body {
			w.Errorf("it is told from the others: %s", r.body)
		}
	}
	var all []scenario
	for name, value := range ids {
		all = append(all,
			scenario{name: name + " is no conversation", body: asking(value), headers: as(b.baker.token), status: 404, code: 3, then: same},
			scenario{name: name + " is no conversation of the stream", path: streamPath, body: asking(value), headers: as(b.baker.token), status: 404, code: 3, then: same},
		)
		if text := strings.Trim(value, `"`); text != "" && len(text) < 1_000 {
			all = append(all, scenario{name: name + " has no messages", method: "GET", path: messagesPath(percent(text)), headers: as(b.baker.token), status: 404, code: 3, then: same})
		}
	}
	return all
}

func TestExternalUsers(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		alice := written(b.newConversation(token, `{"external_user_id":"alice"}`))
		nobody := written(b.newConversation(token, ""))
		with := func(conversation, user string) string {
			return `{"message":"When does the bakery open?","conversation_id":"` + conversation + `","external_user_id":"` + user + `"}`
		}
		missing := b.call("POST", chatPath, asking(`"abc"`), bearer(token))
		same := func(w *instance, r reply) {
			if r.body != missing.body {
				w.Errorf("it is told from a conversation that does not exist: %s", r.body)
			}
		}
		b.play(
			scenario{name: "the same user continues", body: with(alice, "alice"), headers: as(token)},
			scenario{name: "no user continues", body: asking(alice), headers: as(token)},
			scenario{name: "an empty user is none", body: with(alice, ""), headers: as(token)},
			scenario{name: "another user finds no conversation", body: with(alice, "bob"), headers: as(token), status: 404, code: 3, then: same},
			scenario{name: "another user finds none to stream", path: streamPath, body: with(alice, "bob"), headers: as(token), status: 404, code: 3, then: same},
			scenario{name: "the user's name is compared exactly", body: with(alice, "Alice"), headers: as(token), status: 404, code: 3, then: same},
			scenario{name: "a conversation of nobody becomes the first user's", body: with(nobody, "carol"), headers: as(token)},
			scenario{name: "and is no other's from then on", body: with(nobody, "bob"), headers: as(token), status: 404, code: 3, then: same},
			scenario{name: "an implicit conversation has its user", body: `{"message":"When does the bakery open?","external_user_id":"dave"}`, headers: as(token), then: func(w *instance, r reply) {
				made := written(w.number(r, "conversation_id"))
				w.checkAnswer(w.call("POST", chatPath, with(made, "erin"), bearer(token)), 404, 3)
				w.checkAnswer(w.call("POST", chatPath, with(made, "dave"), bearer(token)), 200, 0)
			}},
		)
		b.Run("a refused question leaves nothing behind", func(t *testing.T) {
			w := b.within(t)
			if n := len(w.messages(token, alice, "")); n != 6 {
				t.Errorf("alice's conversation has %d messages, want 6", n)
			}
		})
	})
}

// iso8601 is a moment in UTC.
var iso8601 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)

func (w *instance) checkMoment(value any) time.Time {
	w.Helper()
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !iso8601.MatchString(text) {
		w.Errorf("%v is no ISO 8601 moment in UTC", value)
	}
	return at
}

// checkFields fails unless an object has exactly the fields.
func (w *instance) checkFields(object map[string]any, names ...string) {
	w.Helper()
	var has []string
	for name := range object {
		has = append(has, name)
	}
	slices.Sort(has)
	slices.Sort(names)
	if !slices.Equal(has, names) {
		w.Errorf("the fields are %v, want %v", has, names)
	}
}

func TestCreatedConversation(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		b.play(scenario{
			name: "a conversation has the fields of the specification", path: conversationsPath, body: `{"external_user_id":"alice"}`, headers: as(b.baker.token),
			then: func(w *instance, r reply) {
				w.checkFields(r.Data, "conversation_id", "chatbot_id", "status", "created_at")
				w.number(r, "conversation_id")
				w.checkMoment(r.Data["created_at"])
				if r.Data["chatbot_id"] != b.baker.chatbot || !strings.HasPrefix(b.baker.chatbot, "cb_") || r.Data["status"] != "active" {
					w.Errorf("got %s", r.body)
				}
			},
		}, scenario{
			name: "each creation makes another", path: conversationsPath, headers: as(b.baker.token),
			then: func(w *instance, r reply) {
				if w.number(r, "conversation_id") == w.newConversation(b.baker.token, "") {
					w.Error("they are the same")
				}
			},
		})
		b.Run("a new conversation has no messages", func(t *testing.T) {
			w := b.within(t)
			r := w.call("GET", messagesPath(written(w.newConversation(b.baker.token, ""))), "", bearer(b.baker.token))
			w.checkAnswer(r, 200, 0)
			if !strings.Contains(r.body, `"data":{"messages":[]}`) {
				t.Errorf("got %s", r.body)
			}
		})
	})
}

// messages reads a conversation back and checks the shape of what it says.
func (w *instance) messages(token, conversation, query string) []map[string]any {
	w.Helper()
	r := w.call("GET", messagesPath(conversation)+query, "", bearer(token))
	w.checkAnswer(r, 200, 0)
	list, ok := r.Data["messages"].([]any)
	if !ok {
		w.Fatalf("no messages: %s", shortened(r.body))
	}
	var all []map[string]any
	for _, item := range list {
		message := item.(map[string]any)
		ours := []string{"format"}
		for _, name := range []string{"status", "outcome", "finish_reason", "sources", "usage"} {
			if message[name] != nil {
				ours = append(ours, name)
			}
		}
		w.checkFields(message, append(ours, "id", "role", "content", "created_at")...)
		w.checkMoment(message["created_at"])
		all = append(all, message)
	}
	return all
}

func TestMessages(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		id := written(b.newConversation(token, ""))
		for n := range 3 {
			body := fmt.Sprintf(`{"message":"When does the bakery open? (%d)","conversation_id":%s,"format":"html"}`, n, id)
			b.checkAnswer(b.call("POST", chatPath, body, bearer(token)), 200, 0)
		}
		all := b.messages(token, id, "")
		b.Run("they are oldest first, questions and answers alternating", func(t *testing.T) {
			w := b.within(t)
			if len(all) != 6 {
				t.Fatalf("%d messages, want 6", len(all))
			}
			seen, at := map[float64]bool{}, time.Time{}
			for i, m := range all {
				if role := []string{"user", "assistant"}[i%2]; m["role"] != role {
					t.Errorf("message %d is of %v, want %s", i, m["role"], role)
				}
				moment := w.checkMoment(m["created_at"])
				number := m["id"].(float64)
				if seen[number] || number < 1 || number != float64(int64(number)) || number >= 1<<53 || moment.Before(at) {
					t.Errorf("message %d is out of order: %v", i, m)
				}
				seen[number], at = true, moment
			}
			if all[2]["content"] != "When does the bakery open? (1)" {
				t.Errorf("the question became %q", all[2]["content"])
			}
			if answer := all[3]["content"].(string); strings.Contains(answer, "<p>") || !strings.Contains(answer, "seven in the morning") {
				t.Errorf("the answer is not stored as Markdown: %q", answer)
			}
		})
		idOf := func(n int) string { return written(int64(all[n]["id"].(float64))) }
		page := func(query string, from, to int, more bool) scenario {
			return scenario{name: "the page " + query, method: "GET", path: messagesPath(id) + query, headers: as(token), then: func(w *instance, r reply) {
				got := w.messages(token, id, query)
				if len(got) != to-from || len(got) > 0 && got[0]["id"] != all[from]["id"] {
					w.Errorf("got %d messages, want those from %d to %d: %s", len(got), from, to, r.body)
				}
				w.checkFields(r.Data, "messages", "has_more", "next")
				var next any // null
				if more {
					next = all[to-1]["id"]
				}
				if r.Data["has_more"] != more || r.Data["next"] != next {
					w.Errorf("has_more or next is wrong: %s", r.body)
				}
			}}
		}
		b.play(
			page("?limit=2", 0, 2, true), page("?limit=2&after="+idOf(1), 2, 4, true), page("?limit=2&after="+idOf(3), 4, 6, false),
			page("?limit=100", 0, 6, false), page("?limit=6", 0, 6, false), page("?limit=5", 0, 5, true), page("?after="+idOf(4), 5, 6, false),
			page("?after="+idOf(5), 6, 6, false), page("?after=0&limit=1", 0, 1, true),
			scenario{name: "without a page there are the specification's fields alone", method: "GET", path: messagesPath(id), headers: as(token), lacks: []string{"has_more", `"next"`}},
			scenario{name: "an unknown parameter does not matter", method: "GET", path: messagesPath(id) + "?page=2&sort=desc", headers: as(token), lacks: []string{"has_more"}},
		)
		elsewhere := b.number(b.askIn("", "When does the bakery open?", token), "message_id")
		for _, query := range []string{"limit=0", "limit=101", "limit=-1", "limit=abc", "limit=1.5", "limit=10000000000000000000000", "limit=%00", "after=-1", "after=abc", "after=1e3", "after=9223372036854775808", "after=9007199254740991", "after=1", "after=" + written(elsewhere)} {
			code := "invalid_request"
			if strings.HasPrefix(query, "after") {
				code = "invalid_cursor"
			}
			b.play(scenario{name: "the page " + query + " is refused", method: "GET", path: messagesPath(id) + "?" + query, headers: as(token), status: 400, code: 4, has: []string{query[:5]}, answers: []header{{"X-Error-Code", code}}})
		}
		for _, query := range []string{"ids", "sources,", "Usage", "sources,passages"} {
			b.play(scenario{name: "messages cannot include " + query, method: "GET", path: messagesPath(id) + "?include=" + query, headers: as(token), status: 400, code: 4, has: []string{"include"}, lacks: []string{"passages"}})
		}
	})
}
