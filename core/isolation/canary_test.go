package isolation

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/internal/id"
)

func seeded(t *testing.T) (*Seed, *Workspace) {
	t.Helper()
	return NewSeed(rand.Reader, Settings{Model: "extractive", Plan: plan.Enterprise, Mint: func(kind chatbot.TokenKind) (string, string, string) {
		return chatbot.MintThrowAway(rand.Reader, kind)
	}}, time.Now())
}

func TestFinder(t *testing.T) {
	seed, w := seeded(t)
	text, word := seed.Text("documents.title"), seed.Word("users.email")
	document := seed.NewID("doc")
	w.planted(seed, Objects{IDs: map[string]string{"document": document}, Conversation: 1, Tried: 2, Message: 3, Delivery: 4}, numbers{})
	_, secret, _ := strings.Cut(text, " ")

	for what, c := range map[string]struct {
		answer, sent string
		want         []string
	}{
		"a secret":                              {"<p>" + strings.ToUpper(secret) + "</p>", "", []string{secret}},
		"an address":                            {"mailto:" + word + "@parley.invalid", "", []string{word}},
		"an identifier that was not asked for":  {`{"id":"` + document + `"}`, "GET /", []string{document}},
		"an identifier that was asked for":      {`{"id":"` + document + `"}`, "/documents/" + document, nil},
		"a public number":                       {`{"conversation_id":"9000000000000001"}`, "", []string{"9000000000000001"}},
		"the word that was searched for":        {strings.Fields(text)[0], "", nil},
		"an answer without any":                 {"<p>Not found</p>", "", nil},
		"the same secret twice is found once":   {secret + secret[:0] + " " + secret, "", []string{secret}},
		"an identifier of the other, beside it": {document + " " + id.New(rand.Reader, "doc"), document, nil},
	} {
		t.Run(what, func(t *testing.T) {
			if got := w.finder.In(c.answer, c.sent); !slices.Equal(got, c.want) {
				t.Errorf("it finds %q, want %q", got, c.want)
			}
		})
	}
}

// numbers makes identifiers that can be told from everything else.
type numbers struct{}

func (numbers) Conversation(n int64) int64 { return 9000000000000000 + n }
func (numbers) Message(n int64) int64      { return 9000000000000000 + n }
func (numbers) Delivery(n int64) int64     { return 9000000000000000 + n }

func TestCalls(t *testing.T) {
	known := []string{
		"workspace", "chatbot", "id", "user", "invitation", "provider", "webhook", "delivery", "token_id", "document", "document_id", "removal_id", "external_id",
		"source", "source_id", "conversation_id", "message", "message_id", "conversation", "response_id", "question", "run", "tried", "passkey", "external_user_id",
	}
	for _, call := range Calls() {
		t.Run(call.Name(), func(t *testing.T) {
			if call.Not != "" && (call.Path != "" || call.Body != "") {
				t.Error("it is not made, and says how")
			}
			ids := map[string]string{}
			for _, name := range call.Objects() {
				if !slices.Contains(known, name) {
					t.Errorf("nobody plants a %s", name)
				}
				ids[name] = "x"
			}
			if call.Not == "" && strings.Count(call.Route, "/:") > 0 && len(call.Objects()) == 0 && call.Path == "" {
				t.Error("it has an object that is not tried")
			}
			path, _ := call.fill(ids)
			if strings.ContainsAny(path, ":*") {
				t.Errorf("it calls %s", path)
			}
		})
	}
}

func TestThrowAwayIdentifiers(t *testing.T) {
	seed, w := seeded(t)
	for _, made := range []string{w.ID, seed.NewID("doc"), seed.Owners[0].ID, seed.Tokens[0].ID} {
		if !id.IsThrowAway(made) || id.TagOf(made) != seed.words.tag || id.Parse(made) != made {
			t.Errorf("%s is not told as one of the workspace", made)
		}
	}
	for _, other := range []string{id.New(rand.Reader, "ws"), "", "ws_", "ws", "isolation", "ws_isolat"} {
		if id.IsThrowAway(other) {
			t.Errorf("%q is taken for one of a check", other)
		}
	}
}
