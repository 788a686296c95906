package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
)

// listed asks for a page of conversations, and returns their ids and what after is for
// the next.
func (w *instance) listed(token, query string) (ids []string, next string) {
	w.Helper()
	r := w.call("GET", conversationsPath+"?"+query, "", bearer(token))
	w.checkAnswer(r, 200, 0)
	for _, one := range r.Data["conversations"].([]any) {
		id, _ := one.(map[string]any)["conversation_id"].(float64)
		ids = append(ids, written(int64(id)))
	}
	next, _ = r.Data["next"].(string)
	return ids, next
}

func TestConversationsOfPrograms(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		b.hasNoRates()
		_, token := b.issue(b.baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
		var made []string
		for i := range 7 {
			made = append(made, written(b.newConversation(token, []string{"", `{"external_user_id":"alice"}`}[i%2])))
		}
		b.newConversation(b.rival.token, `{"external_user_id":"alice"}`)
		newestFirst := slices.Clone(made)
		slices.Reverse(newestFirst)

		b.Run("pages have each conversation once while others begin", func(t *testing.T) {
			w := b.within(t)
			var read []string
			next := ""
			for page := 0; page == 0 || next != ""; page++ {
				var ids []string
				ids, next = w.listed(token, "limit=2&after="+url.QueryEscape(next))
				read = append(read, ids...)
				w.newConversation(token, `{"external_user_id":"later"}`)
			}
			if !slices.Equal(read, newestFirst) {
				t.Errorf("they are %v, want %v", read, newestFirst)
			}
		})
		b.Run("a list is of an end user", func(t *testing.T) {
			if ids, _ := b.within(t).listed(token, "external_user_id=alice"); len(ids) != 3 {
				t.Errorf("it has %v", ids)
			}
		})
		b.Run("a list is of those after a time", func(t *testing.T) {
			w := b.within(t)
			if ids, _ := w.listed(token, "created_after="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)); len(ids) != 0 {
				t.Errorf("it has %v", ids)
			}
			if ids, _ := w.listed(token, "status=active&created_after="+time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)); len(ids) < 7 {
				t.Errorf("it has %v", ids)
			}
		})

		at := conversationsPath + "/" + made[0]
		refused := func(name, query string, has ...string) scenario {
			return scenario{name: name, method: "GET", path: conversationsPath + query, headers: as(token), status: 400, code: 4, has: has}
		}
		cursor := refused("an after from nowhere is refused", "?after=c_ZZ")
		cursor.answers = []header{{"X-Error-Code", "invalid_cursor"}}
		change := func(name, body string, has ...string) scenario {
			return scenario{name: name, method: "PATCH", path: at, body: body, headers: as(token), has: has}
		}
		tooLarge := func(name, body string) scenario {
			s := change(name, body)
			s.status, s.code, s.answers = 400, 4, []header{{"X-Error-Code", "metadata_too_large"}}
			return s
		}
		wrong := func(name, body string) scenario {
			s := change(name, body)
			s.status, s.code = 400, 4
			return s
		}
		var fill []string
		for i := range 15 {
			fill = append(fill, fmt.Sprintf(`"k%d":"v"`, i))
		}
		b.play(
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
			scenario{name: "a token without the scope may not change", method: "PATCH", path: at, body: `{}`, headers: as(b.baker.token), status: 403, code: 2, has: []string{"conversations:write"}},
			scenario{name: "a token without the scope may not delete", method: "DELETE", path: at, headers: as(b.baker.token), status: 403, code: 2, has: []string{"conversations:write"}},
			scenario{name: "a conversation is read", method: "GET", path: at, headers: as(token), has: []string{`"title":"Opening hours"`, `"external_user_id":null`}},
			scenario{name: "a conversation is deleted", method: "DELETE", path: at, headers: as(token), has: []string{`"deleted":true`}},
			scenario{name: "a deleted conversation is not there", method: "GET", path: at, headers: as(token), status: 404, code: 3},
			scenario{name: "a deleted conversation is not deleted again", method: "DELETE", path: at, headers: as(token), status: 404, code: 3},
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
			for path, body := range map[string]string{conversationsPath: `{"metadata":` + begun.metadata + `}`, chatPath: `{"message":"When does the bakery open?","metadata":` + begun.metadata + `}`} {
				b.Run("a conversation that begins by "+path+" with "+begun.name, func(t *testing.T) {
					w := b.within(t)
					r := w.call("POST", path, body, bearer(token))
					if begun.refused != "" {
						w.checkAnswer(r, 400, 4)
						if got := r.Header.Get("X-Error-Code"); got != begun.refused {
							t.Errorf("the code is %q", got)
						}
						return
					}
					w.checkAnswer(r, 200, 0)
					shown := w.call("GET", conversationsPath+"/"+written(w.number(r, "conversation_id")), "", bearer(token))
					w.checkParts(shown.body, []string{begun.has})
				})
			}
		}
		b.play(scenario{name: "metadata with a conversation is refused", body: `{"message":"When?","conversation_id":` + made[1] + `,"metadata":{"order":"1"}}`, headers: as(token), status: 400, code: 4, has: []string{"PATCH"}})

		apart := b.separated()
		own := written(b.newConversation(apart.token, `{"external_user_id":"alice"}`))
		_, writer := b.issue(apart, chatbot.NewToken{Scopes: chatbot.AllScopes()})
		hidden := conversationsPath + "/" + own
		b.play(
			scenario{name: "another end user lists nothing", method: "GET", path: conversationsPath + "?external_user_id=bob", headers: as(writer), has: []string{`"conversations":[]`}},
			scenario{name: "nobody lists nothing of an end user's", method: "GET", path: conversationsPath, headers: as(writer), has: []string{`"conversations":[]`}},
			scenario{name: "the end user lists theirs", method: "GET", path: conversationsPath + "?external_user_id=alice", headers: as(writer), has: []string{own}},
			scenario{name: "another end user changes nothing", method: "PATCH", path: hidden + "?external_user_id=bob", body: `{"title":"mine"}`, headers: as(writer), status: 404, code: 3},
			scenario{name: "another end user deletes nothing", method: "DELETE", path: hidden + "?external_user_id=bob", headers: as(writer), status: 404, code: 3},
			scenario{name: "the end user deletes theirs", method: "DELETE", path: hidden + "?external_user_id=alice", headers: as(writer)},
		)
	})
}
