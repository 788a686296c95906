package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
)

// padded is a question whose body is n bytes long.
func padded(n int) string {
	const before, after = `{"message":"When does the bakery open?","padding":"`, `"}`
	return before + strings.Repeat("x", n-len(before)-len(after)) + after
}

// bodyScenarios are what a request may hold, for /chat and for /chat/stream.
func bodyScenarios(token string) []scenario {
	nested := func(depth int) string {
		return `{"message":"When does the bakery open?","extra":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
	}
	all := []scenario{
		{name: "text that is not JSON", body: "message=hello"},
		{name: "an empty body", body: ""},
		{name: "a body of blanks", body: " \r\n\t "},
		{name: "null", body: "null"},
		{name: "an array", body: `[{"message":"hello"}]`},
		{name: "a string", body: `"hello"`},
		{name: "a number", body: "42"},
		{name: "an object that breaks off", body: `{"message":"hello"`},
		{name: "a second object behind the first", body: openingQuestion + openingQuestion},
		{name: "garbage behind the object", body: openingQuestion + "]"},
		{name: "a comment", body: `{"message":"hello"/*x*/}`},
		{name: "a trailing comma", body: `{"message":"hello",}`},
		{name: "single quotes", body: `{'message':'hello'}`},
		{name: "NaN", body: `{"message":"hello","extra":NaN}`},
		{name: "a byte order mark", body: "\ufeff" + openingQuestion},
		{name: "UTF-16", body: "{\x00\"\x00m\x00\"\x00}\x00"},
		{name: "a duplicate name", body: `{"message":"hello","message":"other"}`},
		{name: "a duplicate name that is escaped", body: `{"message":"hello","m\u0065ssage":"other"}`},
		{name: "a duplicate name of an unknown field", body: `{"message":"hello","extra":{"a":1,"a":2}}`},
		{name: "invalid UTF-8 in the message", body: "{\"message\":\"caf\xe9\"}"},
		{name: "invalid UTF-8 in an unknown field", body: "{\"message\":\"hello\",\"extra\":\"\xff\"}"},
		{name: "an overlong encoding", body: "{\"message\":\"\xc0\xae\"}"},
		{name: "a surrogate in UTF-8", body: "{\"message\":\"\xed\xa0\x80\"}"},
		{name: "a raw NUL", body: "{\"message\":\"a\x00b\"}"},
		{name: "an escaped NUL in the message", body: `{"message":"a\u0000b"}`, has: []string{"message"}},
		{name: "an escaped NUL in external_user_id", body: `{"message":"a","external_user_id":"a\u0000"}`, has: []string{"external_user_id"}},
		{name: "a raw line break in a string", body: "{\"message\":\"a\nb\"}"},
		{name: "a lone high surrogate", body: `{"message":"\ud800"}`},
		{name: "a lone low surrogate", body: `{"message":"\udc00 x"}`},
		{name: "surrogates in the wrong order", body: `{"message":"\udc00\ud800"}`},
		{name: "nesting 10,000 deep", body: nested(10_000)},
		{name: "nesting 100,000 deep", body: nested(100_000)},
		{name: "nesting that is not closed", body: strings.Repeat(`{"a":`, 100_000)},
		{name: "no message", body: `{}`, has: []string{"message"}},
		{name: "a message that is null", body: `{"message":null}`, has: []string{"message"}},
		{name: "a message that is empty", body: `{"message":""}`, has: []string{"message"}},
		{name: "a message of blanks", body: `{"message":" \t\r\n\u00a0\u2003"}`, has: []string{"message"}},
		{name: "a message that is a number", body: `{"message":5}`, has: []string{"message"}},
		{name: "a message that is an array", body: `{"message":["hello"]}`, has: []string{"message"}},
		{name: "a message under a name in capitals", body: `{"Message":"hello"}`, has: []string{"message"}},
		{name: "a message longer than the plan's limit", body: `{"message":"` + strings.Repeat("é", 16_001) + `"}`, has: []string{"16000"}},
		{name: "a format in capitals", body: `{"message":"hello","format":"HTML"}`, has: []string{"plain_text"}},
		{name: "a format with a blank", body: `{"message":"hello","format":"html "}`, has: []string{"plain_text"}},
		{name: "an empty format", body: `{"message":"hello","format":""}`, has: []string{"plain_text"}},
		{name: "an unknown format", body: `{"message":"hello","format":"pdf"}`, has: []string{"plain_text"}},
		{name: "a format that is a number", body: `{"message":"hello","format":1}`, has: []string{"format"}},
		{name: "an external_user_id that is a number", body: `{"message":"hello","external_user_id":7}`, has: []string{"external_user_id"}},
		{name: "an external_user_id of 256 characters", body: `{"message":"hello","external_user_id":"` + strings.Repeat("u", 256) + `"}`, has: []string{"255"}},
	}
	for i := range all {
		all[i].name += " is refused"
		all[i].headers, all[i].status, all[i].code = as(token), 400, 4
		all[i].lacks = []string{"hello", "caf"} // what was sent is not repeated
	}
	accepted := []scenario{
		{name: "unknown fields", body: `{"message":"When does the bakery open?","temperature":2,"user":{"a":[1,null]},"Message":3,"":0}`},
		{name: "blanks around the object", body: "\r\n " + openingQuestion + "\n\n"},
		{name: "an escaped message", body: `{"message":"\u0057hen does the bakery open? \ud83e\udd68"}`},
		{name: "a message as long as the plan's limit", body: `{"message":"bakery open ` + strings.Repeat("é", 16_000-12) + `"}`},
		{name: "a format that is null", body: `{"message":"When does the bakery open?","format":null}`},
		{name: "a conversation_id that is null", body: `{"message":"When does the bakery open?","conversation_id":null}`},
		{name: "an external_user_id that is null", body: `{"message":"When does the bakery open?","external_user_id":null}`},
		{name: "an external_user_id of 255 characters", body: `{"message":"When does the bakery open?","external_user_id":"` + strings.Repeat("ü", 255) + `"}`},
		{name: "nesting 1,000 deep in an unknown field", body: nested(1_000)},
		{name: "an escaped NUL in an unknown field", body: `{"message":"When does the bakery open?","extra":"\u0000"}`},
		{name: "a body of exactly 1 MiB", body: padded(1 << 20)},
	}
	for _, s := range accepted {
		s.name += " is accepted"
		s.headers, s.has = as(token), []string{"seven in the morning"}
		all = append(all, s)
	}
	for _, size := range []int{1<<20 + 1, 10 << 20} {
		all = append(all, scenario{name: "a body over 1 MiB is refused", body: padded(size), headers: as(token), status: 413, code: 4})
	}
	return all
}

func TestBodies(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		for _, s := range bodyScenarios(b.baker.token) {
			b.play(s)
			if s.status == 0 { // of a stream only the refusals are the envelope
				continue
			}
			s.name += " by the stream"
			s.path = streamPath
			b.play(s)
		}
		b.Run("a body over 1 MiB without its length is refused", func(t *testing.T) {
			w := b.within(t)
			pieces := io.MultiReader(strings.NewReader(padded(2 << 20))) // its length is unknown
			request, err := http.NewRequestWithContext(t.Context(), "POST", w.base+chatPath, pieces)
			w.must(err)
			request.Header.Set("Authorization", "Bearer "+b.baker.token)
			response, err := http.DefaultClient.Do(request)
			w.must(err)
			defer response.Body.Close()
			w.checkAnswer(w.read(response), 413, 4)
		})
		b.play(
			scenario{name: "a body is not read before the token is known to be good", body: "not JSON", headers: as(unknownToken), status: 401, code: 1},
			scenario{name: "a conversation takes no invalid JSON", path: conversationsPath, body: "{", headers: as(b.baker.token), status: 400, code: 4},
			scenario{name: "a conversation takes no array", path: conversationsPath, body: "[]", headers: as(b.baker.token), status: 400, code: 4},
			scenario{name: "a conversation takes an empty object", path: conversationsPath, body: "{}", headers: as(b.baker.token)},
			scenario{name: "a conversation takes no body at all", path: conversationsPath, headers: as(b.baker.token)},
			scenario{name: "a conversation takes no external_user_id that is an object", path: conversationsPath, body: `{"external_user_id":{}}`, headers: as(b.baker.token), status: 400, code: 4},
			scenario{name: "a conversation takes no NUL", path: conversationsPath, body: `{"external_user_id":"\u0000"}`, headers: as(b.baker.token), status: 400, code: 4},
			scenario{name: "a conversation takes no body over 1 MiB", path: conversationsPath, body: padded(1<<20 + 1), headers: as(b.baker.token), status: 413, code: 4},
		)
	})
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		// Four bytes a character: limits count characters.
		name, title := strings.Repeat("𝒜", 100), strings.Repeat("𝒜", 200)
		ctx, workspace := b.Context(), b.baker.workspace
		b.Run("a chatbot's name may have 100 characters of any script", func(t *testing.T) {
			bot, err := b.server.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: name})
			if err != nil || bot.Name != name {
				t.Errorf("got %q, %v", bot.Name, err)
			}
		})
		b.Run("a token's name, too", func(t *testing.T) {
			token, _, err := b.server.Chatbots.Tokens.Issue(ctx, workspace, b.baker.chatbot, chatbot.NewToken{Name: name, CreatedBy: b.baker.email})
			if err != nil || token.Name != name {
				t.Errorf("got %q, %v", token.Name, err)
			}
		})
		b.Run("a document's title may have 200", func(t *testing.T) {
			document, err := b.server.Knowledge.Documents.Add(ctx, workspace, b.baker.chatbot, knowledge.NewDocument{Title: title, Content: "text"})
			if err != nil || document.Title != title {
				t.Errorf("got %q, %v", document.Title, err)
			}
		})
	})
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		with := func(name, value string) []header {
			return []header{bearer(b.baker.token), {"Content-Type", ""}, {name, value}}
		}
		for value, status := range map[string]int{
			"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON;charset=UTF-8": 200,
			"application/problem+json": 200,
			"text/plain":               415, "text/json": 415, "application/x-www-form-urlencoded": 415,
			"multipart/form-data; boundary=x": 415, "application/jsonp": 415, "json": 415, "*/*": 415, ";": 415,
		} {
			s := scenario{name: "Content-Type " + value, body: openingQuestion, headers: with("Content-Type", value), status: status}
			if status != 200 {
				s.code = 4
			}
			b.play(s)
		}
		b.play(
			scenario{name: "no Content-Type is accepted", body: openingQuestion, headers: []header{bearer(b.baker.token), {"Content-Type", ""}}},
			scenario{name: "an encoding is refused", body: openingQuestion, headers: []header{bearer(b.baker.token), {"Content-Encoding", "gzip"}}, status: 415, code: 4},
			scenario{name: "an unknown encoding is refused", body: openingQuestion, headers: []header{bearer(b.baker.token), {"Content-Encoding", "x"}}, status: 415, code: 4},
			scenario{name: "the encoding identity is accepted", body: openingQuestion, headers: []header{bearer(b.baker.token), {"Content-Encoding", "identity"}}},
			scenario{name: "the answer is JSON whatever is asked for", body: openingQuestion, headers: []header{bearer(b.baker.token), {"Accept", "text/html"}}},
			scenario{name: "a stream takes no other type", path: streamPath, body: openingQuestion, headers: with("Content-Type", "text/plain"), status: 415, code: 4},
			scenario{name: "a conversation takes no other type", path: conversationsPath, body: "{}", headers: with("Content-Type", "text/xml"), status: 415, code: 4},
		)
	})
}
