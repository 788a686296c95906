package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/llm/llmtest"
)

// later gives a function the program of another process on the same database,
// whose clock is fast by so much. It has no language model.
func (w *instance) later(by time.Duration, do func(p *app.Program)) {
	w.Helper()
	config := *w.server.Config
	config.LLMBaseURL, config.LLMAPIKey, config.LLMModel, config.LLMSecond = "", "", "", ""
	p, err := app.OpenWith(context.WithoutCancel(w.Context()), &config, w.server.Log, app.Options{
		Now: func() time.Time { return now().Add(by) },
	})
	w.must(err)
	do(p)
	w.must(p.Close())
}

func contains(text, part string) bool { return strings.Contains(text, part) }

// in is the same process in the sub-test that t belongs to.
func (p *process) in(t *testing.T) *process {
	inner := *p
	inner.instance = p.within(t)
	return &inner
}

func TestKilledInMidStream(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		upstream := llmtest.NewServer(s.T, llmtest.Reply{Pieces: []string{"Yes."}})
		s.answeredBy(upstream)
		var tn tenantOf
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Standard) })
		first := s.serve()
		settled := first.newConversation(tn.token, "")
		ask := func(w *instance, conversation int64, message string) reply {
			w.Helper()
			return w.call("POST", chatPath, fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, message, written(conversation)), bearer(tn.token))
		}
		for n := range 5 {
			first.checkAnswer(ask(first.instance, settled, fmt.Sprintf("Question %d?", n)), 200, 0)
		}
		out, err := s.command(os.Stderr, "knowledge", "add", "--json", tn.chatbot, s.file("hours.md", opening)).Output()
		first.must(err)
		var added []listed
		first.must(json.Unmarshal(out, &added))

		var cut []int64
		for range 5 {
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			stream := first.stream(openingQuestion, bearer(tn.token))
			cut = append(cut, stream.until("conversation").ConversationID)
			stream.until("delta")
		}
		first.kill()

		if s.database == "" {
			// Before anything is asked: the process knows itself to be alone.
			second := s.serve()
			second.kill()
			s.inside(func(w *instance) { w.noneGenerating() })
		} else {
			s.inside(func(w *instance) {
				w.halfAMinuteLater()
				w.noneGenerating()
			})
		}

		second := s.serve()
		s.Run("every message that was acknowledged is there", func(t *testing.T) {
			p := second.in(t)
			all := p.messages(tn.token, written(settled), "")
			if len(all) != 10 {
				t.Fatalf("%d messages are there: %v", len(all), all)
			}
			for n := range 5 {
				question, answer := all[2*n]["content"], all[2*n+1]["content"]
				if question != fmt.Sprintf("Question %d?", n) || answer != "Yes." {
					t.Errorf("turn %d is %v, %v", n, question, answer)
				}
			}
			for _, id := range cut {
				if all := p.messages(tn.token, written(id), ""); len(all) != 1 || all[0]["role"] != "user" {
					t.Errorf("of the turn that was cut there is %v", all)
				}
			}
		})
		s.Run("every conversation goes on", func(t *testing.T) {
			p := second.in(t)
			for _, id := range append(cut, settled) {
				p.checkAnswer(ask(p.instance, id, "And now?"), 200, 0)
			}
		})
		s.Run("a document that was acknowledged is found", func(t *testing.T) {
			p := second.in(t)
			s := p.story(p.stream(`{"message":"When does the bakery open on holidays?"}`, bearer(tn.token)))
			if s.text != "Yes." {
				t.Fatalf("the stream was %s", s.kinds)
			}
			last := string(upstream.Request(upstream.Arrived() - 1).Body())
			if !contains(last, "seven in the morning") {
				t.Errorf("the model was not told of document %s: %s", added[0].ID, last)
			}
		})
		second.terminate()
		second.endsWithin(patience)
		s.inside(func(w *instance) { w.noneGenerating() })
	})
}

// file writes a file beside the data.
func (s *installation) file(name, text string) string {
	s.Helper()
	path := filepath.Join(s.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	return path
}

// book is a large document with a word of its own.
func book(word string) string { return bookOf(word, 1500) }

// bookOf is a book of so many chapters.
func bookOf(word string, chapters int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The book of %s\n\n", word)
	for chapter := range chapters {
		fmt.Fprintf(&b, "## Chapter %d\n\n%s", chapter, strings.Repeat("A sentence about bread and how it is baked in the old oven. ", 8))
		fmt.Fprintf(&b, "The %s%d stands here.\n\n", word, chapter)
	}
	return b.String()
}

func TestKilledWhileAddingDocuments(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		var tn tenantOf
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Enterprise) })
		add := func(n int) (word string, ended chan error, kill func()) {
			word = fmt.Sprintf("zanzibar%c", 'a'+n)
			command := s.command(os.Stderr, "knowledge", "add", "--wait", tn.chatbot, s.file(word+".md", book(word)))
			if err := command.Start(); err != nil {
				s.Fatal(err)
			}
			ended = make(chan error, 1)
			go func() { ended <- command.Wait() }()
			return word, ended, func() { _ = command.Process.Kill() }
		}
		begin := time.Now()
		word, ended, _ := add(0)
		if err := <-ended; err != nil {
			s.Fatal(err)
		}
		whole := time.Since(begin)
		acknowledged := map[string]bool{word: true}
		for n := 1; n <= 10; n++ {
			word, ended, kill := add(n)
			timer := time.AfterFunc(rand.N(whole), kill)
			acknowledged[word] = <-ended == nil
			timer.Stop()
		}

		s.inside(func(w *instance) {
			p := w.server.Program
			pending := map[knowledge.State]int{}
			before, err := p.Knowledge.Documents.List(w.Context(), tn.workspace, tn.chatbot)
			w.must(err)
			for _, d := range before {
				pending[d.State]++
			}
			// What a process was adding is left to it for some seconds, though it
			// was killed.
			w.eventually("every document is worked off", func() bool {
				for more := true; more; {
					more, err = p.Knowledge.Worker.WorkOff(w.Context(), tn.workspace)
					w.must(err)
				}
				documents, err := p.Knowledge.Documents.List(w.Context(), tn.workspace, tn.chatbot)
				w.must(err)
				return !slices.ContainsFunc(documents, func(d knowledge.Document) bool { return !d.State.Settled() })
			})
			repaired, err := p.Rebuilder.Repair(w.Context())
			w.must(err)
			w.Logf("an addition takes %v; after the kills %v, repaired %d", whole, pending, repaired)
			documents, err := p.Knowledge.Documents.List(w.Context(), tn.workspace, tn.chatbot)
			w.must(err)
			stored := map[string]bool{}
			for _, d := range documents {
				scope := retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot}
				held, err := p.Index.Count(w.Context(), scope, d.ID)
				w.must(err)
				if d.State != knowledge.Ready || held != d.Passages || held < 100 {
					w.Errorf("%s is %s, with %d of %d passages in the index", d.Title, d.State, held, d.Passages)
				}
				word := strings.TrimPrefix(d.Title, "The book of ")
				stored[word] = true
				found, err := p.Searcher.Search(w.Context(), scope, retrieval.Query{Text: word + "1499", Limit: 5})
				w.must(err)
				if len(found) == 0 || found[0].DocumentID != d.ID {
					w.Errorf("the last chapter of %s is not found", d.Title)
				}
			}
			for word, was := range acknowledged {
				if was && !stored[word] {
					w.Errorf("%s was acknowledged and is not there", word)
				}
			}
			if again, err := p.Rebuilder.Repair(w.Context()); err != nil || again != 0 {
				w.Errorf("a second repair found %d, %v", again, err)
			}
		})
	})
}

func TestAddAfterACrash(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		t.Run("a document that a crash left half indexed is indexed at the next start, and adding it again adds no second one", func(t *testing.T) {
			w := start()
			tn := w.newTenant("baker", plan.Standard)
			scope := retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot}
			again := knowledge.NewDocument{Title: "Opening hours", Content: opening}
			first, err := w.server.Knowledge.Documents.Add(t.Context(), tn.workspace, tn.chatbot, again)
			w.must(err)
			// What kill -9 leaves between storing and indexing.
			w.must(w.server.Index.Remove(t.Context(), scope, first.ID))
			left, err := w.server.KnowledgeStores.Documents.Document(t.Context(), tn.workspace, tn.chatbot, first.ID)
			w.must(err)
			left.State, left.Live, left.DueAt = knowledge.Indexing, 0, &left.CreatedAt
			w.must(w.server.KnowledgeStores.Documents.UpdateDocument(t.Context(), tn.workspace, knowledge.Ready, left, false))
			second, err := w.server.Knowledge.Documents.Add(t.Context(), tn.workspace, tn.chatbot, again)
			w.must(err)
			if second.ID != first.ID {
				t.Fatalf("got %s, want %s", second.ID, first.ID)
			}
			w.must(w.server.Knowledge.Worker.Sweep(t.Context())) // as a server does at its start
			w.settled(tn)
			r := w.call("POST", chatPath, openingQuestion, bearer(tn.token))
			if r.StatusCode != http.StatusOK || !contains(message(r), "seven in the morning") {
				t.Fatalf("got %s", r.body)
			}
		})
	})
}
