package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/e2e/harness"
)

func TestConversationIDs(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		id := harness.Written(b.NewConversation(token, ""))
		same := func(w *harness.Instance, r harness.Reply) {
			if got := harness.Written(w.Number(r, "conversation_id")); got != id {
				w.Errorf("the conversation is %s, want %s", got, id)
			}
		}
		b.Play(
			harness.Scenario{Name: "an identifier as a string continues the conversation", Body: harness.Asking(`"` + id + `"`), Headers: harness.As(token), Then: same},
			harness.Scenario{Name: "an identifier as an integer continues it too", Body: harness.Asking(id), Headers: harness.As(token), Then: same},
			harness.Scenario{Name: "an escaped identifier continues it too", Body: harness.Asking(`"\u003` + id[:1] + id[1:] + `"`), Headers: harness.As(token), Then: same},
		)
		b.Play(foreignConversations(b, id)...)
	})
}

// foreignConversations name no conversation of the baker: all are refused
// with the same bytes, by all three routes.
func foreignConversations(b harness.Bakery, id string) []harness.Scenario {
	sibling, err := b.Server.Chatbots.Create(b.Context(), b.Baker.Workspace, chatbot.Settings{Name: "sibling"})
	b.Must(err)
	_, siblingToken := b.Issue(harness.Tenant{Email: b.Baker.Email, Workspace: b.Baker.Workspace, Chatbot: sibling.ID}, chatbot.NewToken{})
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
		"one of another workspace":         harness.Written(b.NewConversation(b.Rival.Token, "")),
		"one of another workspace, a text": `"` + harness.Written(b.NewConversation(b.Rival.Token, "")) + `"`,
		"one of another chatbot of ours":   harness.Written(b.NewConversation(siblingToken, "")),
	}
	first := b.Call("POST", harness.ChatPath, harness.Asking(`"abc"`), harness.Bearer(b.Baker.Token))
	same := func(w *harness.Instance, r harness.Reply) {
		if r.Text != first.Text {
			w.Errorf("it is told from the others: %s", r.Text)
		}
	}
	var all []harness.Scenario
	for name, value := range ids {
		all = append(all,
			harness.Scenario{Name: name + " is no conversation", Body: harness.Asking(value), Headers: harness.As(b.Baker.Token), Status: 404, Code: 3, Then: same},
			harness.Scenario{Name: name + " is no conversation of the stream", Path: harness.StreamPath, Body: harness.Asking(value), Headers: harness.As(b.Baker.Token), Status: 404, Code: 3, Then: same},
		)
		if text := strings.Trim(value, `"`); text != "" && len(text) < 1_000 {
			all = append(all, harness.Scenario{Name: name + " has no messages", Method: "GET", Path: harness.MessagesPath(percent(text)), Headers: harness.As(b.Baker.Token), Status: 404, Code: 3, Then: same})
		}
	}
	return all
}

func TestExternalUsers(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		alice := harness.Written(b.NewConversation(token, `{"external_user_id":"alice"}`))
		nobody := harness.Written(b.NewConversation(token, ""))
		with := func(conversation, user string) string {
			return `{"message":"When does the bakery open?","conversation_id":"` + conversation + `","external_user_id":"` + user + `"}`
		}
		missing := b.Call("POST", harness.ChatPath, harness.Asking(`"abc"`), harness.Bearer(token))
		same := func(w *harness.Instance, r harness.Reply) {
			if r.Text != missing.Text {
				w.Errorf("it is told from a conversation that does not exist: %s", r.Text)
			}
		}
		b.Play(
			harness.Scenario{Name: "the same user continues", Body: with(alice, "alice"), Headers: harness.As(token)},
			harness.Scenario{Name: "no user continues", Body: harness.Asking(alice), Headers: harness.As(token)},
			harness.Scenario{Name: "an empty user is none", Body: with(alice, ""), Headers: harness.As(token)},
			harness.Scenario{Name: "another user finds no conversation", Body: with(alice, "bob"), Headers: harness.As(token), Status: 404, Code: 3, Then: same},
			harness.Scenario{Name: "another user finds none to stream", Path: harness.StreamPath, Body: with(alice, "bob"), Headers: harness.As(token), Status: 404, Code: 3, Then: same},
			harness.Scenario{Name: "the user's name is compared exactly", Body: with(alice, "Alice"), Headers: harness.As(token), Status: 404, Code: 3, Then: same},
			harness.Scenario{Name: "a conversation of nobody becomes the first user's", Body: with(nobody, "carol"), Headers: harness.As(token)},
			harness.Scenario{Name: "and is no other's from then on", Body: with(nobody, "bob"), Headers: harness.As(token), Status: 404, Code: 3, Then: same},
			harness.Scenario{Name: "an implicit conversation has its user", Body: `{"message":"When does the bakery open?","external_user_id":"dave"}`, Headers: harness.As(token), Then: func(w *harness.Instance, r harness.Reply) {
				made := harness.Written(w.Number(r, "conversation_id"))
				w.CheckAnswer(w.Call("POST", harness.ChatPath, with(made, "erin"), harness.Bearer(token)), 404, 3)
				w.CheckAnswer(w.Call("POST", harness.ChatPath, with(made, "dave"), harness.Bearer(token)), 200, 0)
			}},
		)
		b.Run("a refused question leaves nothing behind", func(t *testing.T) {
			w := b.Within(t)
			if n := len(w.Messages(token, alice, "")); n != 6 {
				t.Errorf("alice's conversation has %d messages, want 6", n)
			}
		})
	})
}

func TestCreatedConversation(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		b.Play(harness.Scenario{
			Name: "a conversation has the fields of the specification", Path: harness.ConversationsPath, Body: `{"external_user_id":"alice"}`, Headers: harness.As(b.Baker.Token),
			Then: func(w *harness.Instance, r harness.Reply) {
				w.CheckFields(r.Data, "conversation_id", "chatbot_id", "status", "created_at")
				w.Number(r, "conversation_id")
				w.CheckMoment(r.Data["created_at"])
				if r.Data["chatbot_id"] != b.Baker.Chatbot || !strings.HasPrefix(b.Baker.Chatbot, "cb_") || r.Data["status"] != "active" {
					w.Errorf("got %s", r.Text)
				}
			},
		}, harness.Scenario{
			Name: "each creation makes another", Path: harness.ConversationsPath, Headers: harness.As(b.Baker.Token),
			Then: func(w *harness.Instance, r harness.Reply) {
				if w.Number(r, "conversation_id") == w.NewConversation(b.Baker.Token, "") {
					w.Error("they are the same")
				}
			},
		})
		b.Run("a new conversation has no messages", func(t *testing.T) {
			w := b.Within(t)
			r := w.Call("GET", harness.MessagesPath(harness.Written(w.NewConversation(b.Baker.Token, ""))), "", harness.Bearer(b.Baker.Token))
			w.CheckAnswer(r, 200, 0)
			if !strings.Contains(r.Text, `"data":{"messages":[]}`) {
				t.Errorf("got %s", r.Text)
			}
		})
	})
}

func TestMessages(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		id := harness.Written(b.NewConversation(token, ""))
		for n := range 3 {
			body := fmt.Sprintf(`{"message":"When does the bakery open? (%d)","conversation_id":%s,"format":"html"}`, n, id)
			b.CheckAnswer(b.Call("POST", harness.ChatPath, body, harness.Bearer(token)), 200, 0)
		}
		all := b.Messages(token, id, "")
		b.Run("they are oldest first, questions and answers alternating", func(t *testing.T) {
			w := b.Within(t)
			if len(all) != 6 {
				t.Fatalf("%d messages, want 6", len(all))
			}
			seen, at := map[float64]bool{}, time.Time{}
			for i, m := range all {
				if role := []string{"user", "assistant"}[i%2]; m["role"] != role {
					t.Errorf("message %d is of %v, want %s", i, m["role"], role)
				}
				moment := w.CheckMoment(m["created_at"])
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
		idOf := func(n int) string { return harness.Written(int64(all[n]["id"].(float64))) }
		page := func(query string, from, to int, more bool) harness.Scenario {
			return harness.Scenario{Name: "the page " + query, Method: "GET", Path: harness.MessagesPath(id) + query, Headers: harness.As(token), Then: func(w *harness.Instance, r harness.Reply) {
				got := w.Messages(token, id, query)
				if len(got) != to-from || len(got) > 0 && got[0]["id"] != all[from]["id"] {
					w.Errorf("got %d messages, want those from %d to %d: %s", len(got), from, to, r.Text)
				}
				w.CheckFields(r.Data, "messages", "has_more", "next")
				var next any // null
				if more {
					next = all[to-1]["id"]
				}
				if r.Data["has_more"] != more || r.Data["next"] != next {
					w.Errorf("has_more or next is wrong: %s", r.Text)
				}
			}}
		}
		b.Play(
			page("?limit=2", 0, 2, true), page("?limit=2&after="+idOf(1), 2, 4, true), page("?limit=2&after="+idOf(3), 4, 6, false),
			page("?limit=100", 0, 6, false), page("?limit=6", 0, 6, false), page("?limit=5", 0, 5, true), page("?after="+idOf(4), 5, 6, false),
			page("?after="+idOf(5), 6, 6, false), page("?after=0&limit=1", 0, 1, true),
			harness.Scenario{Name: "without a page there are the specification's fields alone", Method: "GET", Path: harness.MessagesPath(id), Headers: harness.As(token), Lacks: []string{"has_more", `"next"`}},
			harness.Scenario{Name: "an unknown parameter does not matter", Method: "GET", Path: harness.MessagesPath(id) + "?page=2&sort=desc", Headers: harness.As(token), Lacks: []string{"has_more"}},
		)
		elsewhere := b.Number(askIn(b.Instance, "", "When does the bakery open?", token), "message_id")
		for _, query := range []string{"limit=0", "limit=101", "limit=-1", "limit=abc", "limit=1.5", "limit=10000000000000000000000", "limit=%00", "after=-1", "after=abc", "after=1e3", "after=9223372036854775808", "after=9007199254740991", "after=1", "after=" + harness.Written(elsewhere)} {
			code := "invalid_request"
			if strings.HasPrefix(query, "after") {
				code = "invalid_cursor"
			}
			b.Play(harness.Scenario{Name: "the page " + query + " is refused", Method: "GET", Path: harness.MessagesPath(id) + "?" + query, Headers: harness.As(token), Status: 400, Code: 4, Has: []string{query[:5]}, Answers: []harness.Header{{Name: "X-Error-Code", Value: code}}})
		}
		for _, query := range []string{"ids", "sources,", "Usage", "sources,passages"} {
			b.Play(harness.Scenario{Name: "messages cannot include " + query, Method: "GET", Path: harness.MessagesPath(id) + "?include=" + query, Headers: harness.As(token), Status: 400, Code: 4, Has: []string{"include"}, Lacks: []string{"passages"}})
		}
	})
}
