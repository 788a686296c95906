package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/e2e/harness"
)

// padded is a question whose body is n bytes long.
func padded(n int) string {
	const before, after = `{"message":"When does the bakery open?","padding":"`, `"}`
	return before + strings.Repeat("x", n-len(before)-len(after)) + after
}

// bodyScenarios are what a request may hold, for /chat and for /chat/stream.
func bodyScenarios(token string) []harness.Scenario {
	nested := func(depth int) string {
		return `{"message":"When does the bakery open?","extra":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
	}
	all := []harness.Scenario{
		{Name: "text that is not JSON", Body: "message=hello"},
		{Name: "an empty body", Body: ""},
		{Name: "a body of blanks", Body: " \r\n\t "},
		{Name: "null", Body: "null"},
		{Name: "an array", Body: `[{"message":"hello"}]`},
		{Name: "a string", Body: `"hello"`},
		{Name: "a number", Body: "42"},
		{Name: "an object that breaks off", Body: `{"message":"hello"`},
		{Name: "a second object behind the first", Body: harness.OpeningQuestion + harness.OpeningQuestion},
		{Name: "garbage behind the object", Body: harness.OpeningQuestion + "]"},
		{Name: "a comment", Body: `{"message":"hello"/*x*/}`},
		{Name: "a trailing comma", Body: `{"message":"hello",}`},
		{Name: "single quotes", Body: `{'message':'hello'}`},
		{Name: "NaN", Body: `{"message":"hello","extra":NaN}`},
		{Name: "a byte order mark", Body: "\ufeff" + harness.OpeningQuestion},
		{Name: "UTF-16", Body: "{\x00\"\x00m\x00\"\x00}\x00"},
		{Name: "a duplicate name", Body: `{"message":"hello","message":"other"}`},
		{Name: "a duplicate name that is escaped", Body: `{"message":"hello","m\u0065ssage":"other"}`},
		{Name: "a duplicate name of an unknown field", Body: `{"message":"hello","extra":{"a":1,"a":2}}`},
		{Name: "invalid UTF-8 in the message", Body: "{\"message\":\"caf\xe9\"}"},
		{Name: "invalid UTF-8 in an unknown field", Body: "{\"message\":\"hello\",\"extra\":\"\xff\"}"},
		{Name: "an overlong encoding", Body: "{\"message\":\"\xc0\xae\"}"},
		{Name: "a surrogate in UTF-8", Body: "{\"message\":\"\xed\xa0\x80\"}"},
		{Name: "a raw NUL", Body: "{\"message\":\"a\x00b\"}"},
		{Name: "an escaped NUL in the message", Body: `{"message":"a\u0000b"}`, Has: []string{"message"}},
		{Name: "an escaped NUL in external_user_id", Body: `{"message":"a","external_user_id":"a\u0000"}`, Has: []string{"external_user_id"}},
		{Name: "a raw line break in a string", Body: "{\"message\":\"a\nb\"}"},
		{Name: "a lone high surrogate", Body: `{"message":"\ud800"}`},
		{Name: "a lone low surrogate", Body: `{"message":"\udc00 x"}`},
		{Name: "surrogates in the wrong order", Body: `{"message":"\udc00\ud800"}`},
		{Name: "nesting 10,000 deep", Body: nested(10_000)},
		{Name: "nesting 100,000 deep", Body: nested(100_000)},
		{Name: "nesting that is not closed", Body: strings.Repeat(`{"a":`, 100_000)},
		{Name: "no message", Body: `{}`, Has: []string{"message"}},
		{Name: "a message that is null", Body: `{"message":null}`, Has: []string{"message"}},
		{Name: "a message that is empty", Body: `{"message":""}`, Has: []string{"message"}},
		{Name: "a message of blanks", Body: `{"message":" \t\r\n\u00a0\u2003"}`, Has: []string{"message"}},
		{Name: "a message that is a number", Body: `{"message":5}`, Has: []string{"message"}},
		{Name: "a message that is an array", Body: `{"message":["hello"]}`, Has: []string{"message"}},
		{Name: "a message under a name in capitals", Body: `{"Message":"hello"}`, Has: []string{"message"}},
		{Name: "a message longer than the plan's limit", Body: `{"message":"` + strings.Repeat("é", 16_001) + `"}`, Has: []string{"16000"}},
		{Name: "a format in capitals", Body: `{"message":"hello","format":"HTML"}`, Has: []string{"plain_text"}},
		{Name: "a format with a blank", Body: `{"message":"hello","format":"html "}`, Has: []string{"plain_text"}},
		{Name: "an empty format", Body: `{"message":"hello","format":""}`, Has: []string{"plain_text"}},
		{Name: "an unknown format", Body: `{"message":"hello","format":"pdf"}`, Has: []string{"plain_text"}},
		{Name: "a format that is a number", Body: `{"message":"hello","format":1}`, Has: []string{"format"}},
		{Name: "an external_user_id that is a number", Body: `{"message":"hello","external_user_id":7}`, Has: []string{"external_user_id"}},
		{Name: "an external_user_id of 256 characters", Body: `{"message":"hello","external_user_id":"` + strings.Repeat("u", 256) + `"}`, Has: []string{"255"}},
	}
	for i := range all {
		all[i].Name += " is refused"
		all[i].Headers, all[i].Status, all[i].Code = harness.As(token), 400, 4
		all[i].Lacks = []string{"hello", "caf"} // what was sent is not repeated
	}
	accepted := []harness.Scenario{
		{Name: "unknown fields", Body: `{"message":"When does the bakery open?","temperature":2,"user":{"a":[1,null]},"Message":3,"":0}`},
		{Name: "blanks around the object", Body: "\r\n " + harness.OpeningQuestion + "\n\n"},
		{Name: "an escaped message", Body: `{"message":"\u0057hen does the bakery open? \ud83e\udd68"}`},
		{Name: "a message as long as the plan's limit", Body: `{"message":"bakery open ` + strings.Repeat("é", 16_000-12) + `"}`},
		{Name: "a format that is null", Body: `{"message":"When does the bakery open?","format":null}`},
		{Name: "a conversation_id that is null", Body: `{"message":"When does the bakery open?","conversation_id":null}`},
		{Name: "an external_user_id that is null", Body: `{"message":"When does the bakery open?","external_user_id":null}`},
		{Name: "an external_user_id of 255 characters", Body: `{"message":"When does the bakery open?","external_user_id":"` + strings.Repeat("ü", 255) + `"}`},
		{Name: "nesting 1,000 deep in an unknown field", Body: nested(1_000)},
		{Name: "an escaped NUL in an unknown field", Body: `{"message":"When does the bakery open?","extra":"\u0000"}`},
		{Name: "a body of exactly 1 MiB", Body: padded(1 << 20)},
	}
	for _, s := range accepted {
		s.Name += " is accepted"
		s.Headers, s.Has = harness.As(token), []string{"seven in the morning"}
		all = append(all, s)
	}
	for _, size := range []int{1<<20 + 1, 10 << 20} {
		all = append(all, harness.Scenario{Name: "a body over 1 MiB is refused", Body: padded(size), Headers: harness.As(token), Status: 413, Code: 4})
	}
	return all
}

func TestBodies(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		for _, s := range bodyScenarios(b.Baker.Token) {
			b.Play(s)
			if s.Status == 0 { // of a stream only the refusals are the envelope
				continue
			}
			s.Name += " by the stream"
			s.Path = harness.StreamPath
			b.Play(s)
		}
		b.Run("a body over 1 MiB without its length is refused", func(t *testing.T) {
			w := b.Within(t)
			pieces := io.MultiReader(strings.NewReader(padded(2 << 20))) // its length is unknown
			request, err := http.NewRequestWithContext(t.Context(), "POST", w.Base+harness.ChatPath, pieces)
			w.Must(err)
			request.Header.Set("Authorization", "Bearer "+b.Baker.Token)
			response, err := http.DefaultClient.Do(request)
			w.Must(err)
			defer response.Body.Close()
			w.CheckAnswer(w.Read(response), 413, 4)
		})
		b.Play(
			harness.Scenario{Name: "a body is not read before the token is known to be good", Body: "not JSON", Headers: harness.As(unknownToken), Status: 401, Code: 1},
			harness.Scenario{Name: "a conversation takes no invalid JSON", Path: harness.ConversationsPath, Body: "{", Headers: harness.As(b.Baker.Token), Status: 400, Code: 4},
			harness.Scenario{Name: "a conversation takes no array", Path: harness.ConversationsPath, Body: "[]", Headers: harness.As(b.Baker.Token), Status: 400, Code: 4},
			harness.Scenario{Name: "a conversation takes an empty object", Path: harness.ConversationsPath, Body: "{}", Headers: harness.As(b.Baker.Token)},
			harness.Scenario{Name: "a conversation takes no body at all", Path: harness.ConversationsPath, Headers: harness.As(b.Baker.Token)},
			harness.Scenario{Name: "a conversation takes no external_user_id that is an object", Path: harness.ConversationsPath, Body: `{"external_user_id":{}}`, Headers: harness.As(b.Baker.Token), Status: 400, Code: 4},
			harness.Scenario{Name: "a conversation takes no NUL", Path: harness.ConversationsPath, Body: `{"external_user_id":"\u0000"}`, Headers: harness.As(b.Baker.Token), Status: 400, Code: 4},
			harness.Scenario{Name: "a conversation takes no body over 1 MiB", Path: harness.ConversationsPath, Body: padded(1<<20 + 1), Headers: harness.As(b.Baker.Token), Status: 413, Code: 4},
		)
	})
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		// Four bytes a character: limits count characters.
		name, title := strings.Repeat("𝒜", 100), strings.Repeat("𝒜", 200)
		ctx, workspace := b.Context(), b.Baker.Workspace
		b.Run("a chatbot's name may have 100 characters of any script", func(t *testing.T) {
			bot, err := b.Server.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: name})
			if err != nil || bot.Name != name {
				t.Errorf("got %q, %v", bot.Name, err)
			}
		})
		b.Run("a token's name, too", func(t *testing.T) {
			token, _, err := b.Server.Chatbots.Tokens.Issue(ctx, workspace, b.Baker.Chatbot, chatbot.NewToken{Name: name, CreatedBy: b.Baker.Email})
			if err != nil || token.Name != name {
				t.Errorf("got %q, %v", token.Name, err)
			}
		})
		b.Run("a document's title may have 200", func(t *testing.T) {
			document, err := b.Server.Knowledge.Documents.Add(ctx, workspace, b.Baker.Chatbot, knowledge.NewDocument{Title: title, Content: "text"})
			if err != nil || document.Title != title {
				t.Errorf("got %q, %v", document.Title, err)
			}
		})
	})
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		with := func(name, value string) []harness.Header {
			return []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Content-Type", Value: ""}, {Name: name, Value: value}}
		}
		for value, status := range map[string]int{
			"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON;charset=UTF-8": 200,
			"application/problem+json": 200,
			"text/plain":               415, "text/json": 415, "application/x-www-form-urlencoded": 415,
			"multipart/form-data; boundary=x": 415, "application/jsonp": 415, "json": 415, "*/*": 415, ";": 415,
		} {
			s := harness.Scenario{Name: "Content-Type " + value, Body: harness.OpeningQuestion, Headers: with("Content-Type", value), Status: status}
			if status != 200 {
				s.Code = 4
			}
			b.Play(s)
		}
		b.Play(
			harness.Scenario{Name: "no Content-Type is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Content-Type", Value: ""}}},
			harness.Scenario{Name: "an encoding is refused", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Content-Encoding", Value: "gzip"}}, Status: 415, Code: 4},
			harness.Scenario{Name: "an unknown encoding is refused", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Content-Encoding", Value: "x"}}, Status: 415, Code: 4},
			harness.Scenario{Name: "the encoding identity is accepted", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Content-Encoding", Value: "identity"}}},
			harness.Scenario{Name: "the answer is JSON whatever is asked for", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Bearer(b.Baker.Token), {Name: "Accept", Value: "text/html"}}},
			harness.Scenario{Name: "a stream takes no other type", Path: harness.StreamPath, Body: harness.OpeningQuestion, Headers: with("Content-Type", "text/plain"), Status: 415, Code: 4},
			harness.Scenario{Name: "a conversation takes no other type", Path: harness.ConversationsPath, Body: "{}", Headers: with("Content-Type", "text/xml"), Status: 415, Code: 4},
		)
	})
}
