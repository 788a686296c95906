package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/e2e/harness"
)

// listedConversations asks for a page of conversations, and returns their ids and what after is for
// the next.
func listedConversations(w *harness.Instance, token, query string) (ids []string, next string) {
	w.Helper()
	r := w.Call("GET", harness.ConversationsPath+"?"+query, "", harness.Bearer(token))
	w.CheckAnswer(r, 200, 0)
	for _, one := range r.Data["conversations"].([]any) {
		id, _ := one.(map[string]any)["conversation_id"].(float64)
		ids = append(ids, harness.Written(int64(id)))
	}
	next, _ = r.Data["next"].(string)
	return ids, next
}

func TestConversationsOfPrograms(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		b.HasNoRates()
		_, token := b.Issue(b.Baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
		var made []string
		for i := range 7 {
			made = append(made, harness.Written(b.NewConversation(token, []string{"", `{"external_user_id":"alice"}`}[i%2])))
		}
		b.NewConversation(b.Rival.Token, `{"external_user_id":"alice"}`)
		newestFirst := slices.Clone(made)
		slices.Reverse(newestFirst)

		b.Run("pages have each conversation once while others begin", func(t *testing.T) {
			w := b.Within(t)
			var read []string
			next := ""
			for page := 0; page == 0 || next != ""; page++ {
				var ids []string
				ids, next = listedConversations(w, token, "limit=2&after="+url.QueryEscape(next))
				read = append(read, ids...)
				w.NewConversation(token, `{"external_user_id":"later"}`)
			}
			if !slices.Equal(read, newestFirst) {
				t.Errorf("they are %v, want %v", read, newestFirst)
			}
		})
		b.Run("a list is of an end user", func(t *testing.T) {
			if ids, _ := listedConversations(b.Within(t), token, "external_user_id=alice"); len(ids) != 3 {
				t.Errorf("it has %v", ids)
			}
		})
		b.Run("a list is of those after a time", func(t *testing.T) {
			w := b.Within(t)
			if ids, _ := listedConversations(w, token, "created_after="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)); len(ids) != 0 {
				t.Errorf("it has %v", ids)
			}
			if ids, _ := listedConversations(w, token, "status=active&created_after="+time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)); len(ids) < 7 {
				t.Errorf("it has %v", ids)
			}
		})

		at := harness.ConversationsPath + "/" + made[0]
		refused := func(name, query string, has ...string) harness.Scenario {
			return harness.Scenario{Name: name, Method: "GET", Path: harness.ConversationsPath + query, Headers: harness.As(token), Status: 400, Code: 4, Has: has}
		}
		cursor := refused("an after from nowhere is refused", "?after=c_ZZ")
		cursor.Answers = []harness.Header{{Name: "X-Error-Code", Value: "invalid_cursor"}}
		change := func(name, body string, has ...string) harness.Scenario {
			return harness.Scenario{Name: name, Method: "PATCH", Path: at, Body: body, Headers: harness.As(token), Has: has}
		}
		tooLarge := func(name, body string) harness.Scenario {
			s := change(name, body)
			s.Status, s.Code, s.Answers = 400, 4, []harness.Header{{Name: "X-Error-Code", Value: "metadata_too_large"}}
			return s
		}
		wrong := func(name, body string) harness.Scenario {
			s := change(name, body)
			s.Status, s.Code = 400, 4
			return s
		}
		var fill []string
		for i := range 15 {
			fill = append(fill, fmt.Sprintf(`"k%d":"v"`, i))
		}
		b.Play(
			cursor,
			refused("an after that is a number is refused", "?after=17"),
			refused("a limit of nothing is refused", "?limit=0", "limit"),
			refused("a limit of too many is refused", "?limit=101", "limit"),
			refused("a time that is none is refused", "?created_after=yesterday", "created_after"),
			refused("a status that there is not is refused", "?status=deleted", "status"),
			change("a title loses what nobody sees", `{"title":"Opening\u202e\u200b hours\u0007"}`, `"title":"Opening hours"`),
			change("metadata is kept", `{"metadata":{"order":"4711","old":"x"}}`, `"order":"4711"`, `"old":"x"`, `"title":"Opening hours"`),
			change("null removes a pair", `{"metadata":{"old":null}}`, `"metadata":{"order":"4711"}`),
			change("16 pairs are kept", `{"metadata":{`+strings.Join(fill, ",")+`}}`, `"k14":"v"`),
			tooLarge("a 17th pair is refused", `{"metadata":{"one more":"v"}}`),
			tooLarge("a long key is refused", `{"metadata":{"`+strings.Repeat("k", 41)+`":"v"}}`),
			tooLarge("a long value is refused", `{"metadata":{"order":"`+strings.Repeat("ä", 501)+`"}}`),
			wrong("a value that is a number is refused", `{"metadata":{"order":4711}}`),
			wrong("metadata that is a list is refused", `{"metadata":[]}`),
			wrong("an empty key is refused", `{"metadata":{"":"v"}}`),
			wrong("a NUL in a title is refused", `{"title":"\u0000"}`),
			wrong("a long title is refused", `{"title":"`+strings.Repeat("ä", 201)+`"}`),
			change("null removes all pairs", `{"metadata":null}`, `"metadata":{}`),
			harness.Scenario{Name: "a token without the scope may not change", Method: "PATCH", Path: at, Body: `{}`, Headers: harness.As(b.Baker.Token), Status: 403, Code: 2, Has: []string{"conversations:write"}},
			harness.Scenario{Name: "a token without the scope may not delete", Method: "DELETE", Path: at, Headers: harness.As(b.Baker.Token), Status: 403, Code: 2, Has: []string{"conversations:write"}},
			harness.Scenario{Name: "a conversation is read", Method: "GET", Path: at, Headers: harness.As(token), Has: []string{`"title":"Opening hours"`, `"external_user_id":null`}},
			harness.Scenario{Name: "a conversation is deleted", Method: "DELETE", Path: at, Headers: harness.As(token), Has: []string{`"deleted":true`}},
			harness.Scenario{Name: "a deleted conversation is not there", Method: "GET", Path: at, Headers: harness.As(token), Status: 404, Code: 3},
			harness.Scenario{Name: "a deleted conversation is not deleted again", Method: "DELETE", Path: at, Headers: harness.As(token), Status: 404, Code: 3},
		)

		for _, begun := range []struct {
			name, metadata, refused string
			has                     string
		}{
			{"metadata", `{"order":"4711"}`, "", `"metadata":{"order":"4711"}`},
			{"no metadata", `null`, "", ""},
			{"a number as a value", `{"order":4711}`, "invalid_request", ""},
			{"a list", `["order"]`, "invalid_request", ""},
			{"a NUL", `{"order":"\u0000"}`, "invalid_request", ""},
			{"17 pairs", `{"a":"v","b":"v",` + strings.Join(fill, ",") + `}`, "metadata_too_large", ""},
			{"a long key", `{"` + strings.Repeat("k", 41) + `":"v"}`, "metadata_too_large", ""},
		} {
			for path, body := range map[string]string{harness.ConversationsPath: `{"metadata":` + begun.metadata + `}`, harness.ChatPath: `{"message":"When does the bakery open?","metadata":` + begun.metadata + `}`} {
				b.Run("a conversation that begins by "+path+" with "+begun.name, func(t *testing.T) {
					w := b.Within(t)
					r := w.Call("POST", path, body, harness.Bearer(token))
					if begun.refused != "" {
						w.CheckAnswer(r, 400, 4)
						if got := r.Header.Get("X-Error-Code"); got != begun.refused {
							t.Errorf("the code is %q", got)
						}
						return
					}
					w.CheckAnswer(r, 200, 0)
					shown := w.Call("GET", harness.ConversationsPath+"/"+harness.Written(w.Number(r, "conversation_id")), "", harness.Bearer(token))
					w.CheckParts(shown.Text, []string{begun.has})
				})
			}
		}
		b.Play(harness.Scenario{Name: "metadata with a conversation is refused", Body: `{"message":"When?","conversation_id":` + made[1] + `,"metadata":{"order":"1"}}`, Headers: harness.As(token), Status: 400, Code: 4, Has: []string{"PATCH"}})

		apart := b.Separated()
		own := harness.Written(b.NewConversation(apart.Token, `{"external_user_id":"alice"}`))
		_, writer := b.Issue(apart, chatbot.NewToken{Scopes: chatbot.AllScopes()})
		hidden := harness.ConversationsPath + "/" + own
		b.Play(
			harness.Scenario{Name: "another end user lists nothing", Method: "GET", Path: harness.ConversationsPath + "?external_user_id=bob", Headers: harness.As(writer), Has: []string{`"conversations":[]`}},
			harness.Scenario{Name: "nobody lists nothing of an end user's", Method: "GET", Path: harness.ConversationsPath, Headers: harness.As(writer), Has: []string{`"conversations":[]`}},
			harness.Scenario{Name: "the end user lists theirs", Method: "GET", Path: harness.ConversationsPath + "?external_user_id=alice", Headers: harness.As(writer), Has: []string{own}},
			harness.Scenario{Name: "another end user changes nothing", Method: "PATCH", Path: hidden + "?external_user_id=bob", Body: `{"title":"mine"}`, Headers: harness.As(writer), Status: 404, Code: 3},
			harness.Scenario{Name: "another end user deletes nothing", Method: "DELETE", Path: hidden + "?external_user_id=bob", Headers: harness.As(writer), Status: 404, Code: 3},
			harness.Scenario{Name: "the end user deletes theirs", Method: "DELETE", Path: hidden + "?external_user_id=alice", Headers: harness.As(writer)},
		)
	})
}
