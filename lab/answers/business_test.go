package answers

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/knowledge"
	"parley/core/knowledge/trial"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/retrieval/encoder"
	"parley/index/embedded"
	"parley/text/encode/words"
	"parley/text/split"
	"parley/text/tokens"
)

// testdata has the question sets, and the documents that they are about.
const testdata = "../testdata"

// business is a chatbot that knows documents and answers without a language model.
type business struct {
	pipeline *answer.Pipeline
	bot      chatbot.Chatbot
}

// page is the document that an owner makes of a file.
func page(name, text string) split.Document {
	return split.Document{Title: knowledge.TitleOf(name, text), Content: text, Plain: filepath.Ext(name) == ".txt"}
}

// pages are the documents of texts that come without a name.
func pages(texts ...string) []split.Document {
	made := make([]split.Document, len(texts))
	for i, text := range texts {
		made[i] = page("page.md", text)
	}
	return made
}

// pagesIn are the documents of the files in testdata whose names match.
func pagesIn(t *testing.T, patterns ...string) (made []split.Document) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(testdata, pattern))
		must(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			must(t, err)
			made = append(made, page(filepath.Base(name), string(text)))
		}
	}
	if len(made) == 0 {
		t.Fatalf("no files are called %q", patterns)
	}
	return made
}

// shop and documentation are the two businesses of the questions in testdata/questions.
func shop(t *testing.T) []split.Document { return pagesIn(t, "shop/*.md") }

func documentation(t *testing.T) []split.Document {
	return pagesIn(t, "documentation/*.md", "documentation/docs/*.md", "documentation/docs/api/*.md")
}

// newBusiness returns a business that knows the documents.
func newBusiness(t *testing.T, documents []split.Document) business {
	t.Helper()
	return open(t, documents, nil)
}

// newEncodedBusiness is newBusiness with encoded passages, as they are where nothing says
// otherwise.
func newEncodedBusiness(t *testing.T, documents []split.Document) business {
	t.Helper()
	return open(t, documents, encoder.New())
}

func open(t *testing.T, documents []split.Document, encodes trial.Encoder) business {
	t.Helper()
	index, err := embedded.Open(filepath.Join(t.TempDir(), "index.db"))
	must(t, err)
	t.Cleanup(func() { must(t, index.Close()) })
	ports := trial.Ports{Index: index, Embedder: words.Embedder{}, Tokens: tokens.Count, Keep: true, Encoder: encodes}
	scope := retrieval.Scope{WorkspaceID: "ws_lab", ChatbotID: "cb_lab"}
	known := trial.New(ports, scope)
	for place, d := range documents {
		d.ID = fmt.Sprint("doc ", place)
		_, err := known.AddAt(t.Context(), index, place, d, false)
		must(t, err)
	}
	pipeline := answer.New(searcher{known}, answer.Always(extractive.New()), nil, time.Now, slog.New(slog.DiscardHandler))
	return business{pipeline, chatbot.Chatbot{ID: scope.ChatbotID, WorkspaceID: scope.WorkspaceID, Name: "Lab"}}
}

// searcher finds passages in a trial, whose scope is the only one.
type searcher struct{ known *trial.Trial }

// Search implements [answer.Searcher].
func (s searcher) Search(ctx context.Context, _ retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error) {
	return s.known.Passages(ctx, query)
}

// reply is what a business says, and whether that is an answer.
type reply struct {
	text     string
	answered bool
}

// ask asks a question as the first one of a conversation.
func (b business) ask(t *testing.T, question string) reply {
	t.Helper()
	unlimited := plan.Plan{Limits: plan.Limits{MessageChars: 64_000, PlaygroundPerMonth: plan.Unlimited}}
	ticket, err := quota.New(nil, time.Now).Take(t.Context(), b.bot.WorkspaceID, b.bot.ID, chat.Playground, unlimited, question)
	must(t, err)
	said, err := insight.AnswerTo(t.Context(), b.pipeline, b.bot, ticket)
	must(t, err)
	return reply{said.Text, said.Outcome == chat.Answered}
}

// isRight reports whether an answer contains one of the alternatives, which have " || "
// between them, and lacks what it must not contain.
func (r reply) isRight(contains, lacks string) bool {
	if !r.answered || lacks != "" && strings.Contains(r.text, lacks) {
		return false
	}
	for alternative := range strings.SplitSeq(contains, " || ") {
		if strings.Contains(r.text, alternative) {
			return true
		}
	}
	return false
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
