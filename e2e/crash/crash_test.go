package crash

import (
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
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestKilledInMidStream(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		upstream := llmtest.NewServer(s.T, llmtest.Reply{Pieces: []string{"Yes."}})
		s.AnsweredBy(upstream)
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Standard) })
		first := s.Serve()
		settled := first.NewConversation(tn.Token, "")
		ask := func(w *harness.Instance, conversation int64, message string) harness.Reply {
			w.Helper()
			return w.Call("POST", harness.ChatPath, fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, message, harness.Written(conversation)), harness.Bearer(tn.Token))
		}
		for n := range 5 {
			first.CheckAnswer(ask(first.Instance, settled, fmt.Sprintf("Question %d?", n)), 200, 0)
		}
		out, err := s.Command(os.Stderr, "knowledge", "add", "--json", tn.Chatbot, writeFile(s, "hours.md", harness.Opening)).Output()
		first.Must(err)
		var added []listed
		first.Must(json.Unmarshal(out, &added))

		var cut []int64
		for range 5 {
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			stream := first.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
			cut = append(cut, stream.Until("conversation").ConversationID)
			stream.Until("delta")
		}
		first.Kill()

		if s.Database == "" {
			// Before anything is asked: the process knows itself to be alone.
			second := s.Serve()
			second.Kill()
			s.Inside(func(w *harness.Instance) { w.NoneGenerating() })
		} else {
			s.Inside(func(w *harness.Instance) {
				w.HalfAMinuteLater()
				w.NoneGenerating()
			})
		}

		second := s.Serve()
		s.Run("every message that was acknowledged is there", func(t *testing.T) {
			p := second.In(t)
			all := p.Messages(tn.Token, harness.Written(settled), "")
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
				if all := p.Messages(tn.Token, harness.Written(id), ""); len(all) != 1 || all[0]["role"] != "user" {
					t.Errorf("of the turn that was cut there is %v", all)
				}
			}
		})
		s.Run("every conversation goes on", func(t *testing.T) {
			p := second.In(t)
			for _, id := range append(cut, settled) {
				p.CheckAnswer(ask(p.Instance, id, "And now?"), 200, 0)
			}
		})
		s.Run("a document that was acknowledged is found", func(t *testing.T) {
			p := second.In(t)
			s := p.Story(p.Stream(`{"message":"When does the bakery open on holidays?"}`, harness.Bearer(tn.Token)))
			if s.Text != "Yes." {
				t.Fatalf("the stream was %s", s.Kinds)
			}
			last := string(upstream.Request(upstream.Arrived() - 1).Body())
			if !strings.Contains(last, "seven in the morning") {
				t.Errorf("the model was not told of document %s: %s", added[0].ID, last)
			}
		})
		second.Terminate()
		second.EndsWithin(harness.Patience)
		s.Inside(func(w *harness.Instance) { w.NoneGenerating() })
	})
}

// writeFile writes a file beside the data.
func writeFile(s *harness.Installation, name, text string) string {
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
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Enterprise) })
		add := func(n int) (word string, ended chan error, kill func()) {
			word = fmt.Sprintf("zanzibar%c", 'a'+n)
			command := s.Command(os.Stderr, "knowledge", "add", "--wait", tn.Chatbot, writeFile(s, word+".md", book(word)))
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

		s.Inside(func(w *harness.Instance) {
			p := w.Server.Program
			pending := map[knowledge.State]int{}
			before, err := p.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
			w.Must(err)
			for _, d := range before {
				pending[d.State]++
			}
			workedOff := func() (documents []knowledge.Document) {
				// What a process was adding is left to it for some seconds, though it
				// was killed.
				w.Eventually("every document is worked off", func() bool {
					for more := true; more; {
						more, err = p.Knowledge.Worker.WorkOff(w.Context(), tn.Workspace)
						w.Must(err)
					}
					documents, err = p.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
					w.Must(err)
					return !slices.ContainsFunc(documents, func(d knowledge.Document) bool { return !d.State.Settled() })
				})
				return documents
			}
			for _, d := range workedOff() {
				if d.State != knowledge.Failed {
					continue
				}
				// Three kills in a row met it: its owner is told, and has it read again.
				if !strings.Contains(d.Reason, "The server stopped while it read this document") {
					w.Errorf("%s is failed: %s", d.Title, d.Reason)
				}
				w.Must(p.Knowledge.Documents.Retry(w.Context(), tn.Workspace, tn.Chatbot, d.ID))
			}
			documents := workedOff()
			repaired, err := p.Rebuilder.Repair(w.Context())
			w.Must(err)
			w.Logf("an addition takes %v; after the kills %v, repaired %d", whole, pending, repaired)
			stored := map[string]bool{}
			for _, d := range documents {
				scope := retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}
				held, err := p.Index.Count(w.Context(), scope, d.ID)
				w.Must(err)
				if d.State != knowledge.Ready || held != d.Passages || held < 100 {
					w.Errorf("%s is %s, with %d of %d passages in the index", d.Title, d.State, held, d.Passages)
				}
				word := strings.TrimPrefix(d.Title, "The book of ")
				stored[word] = true
				found, err := p.Searcher.Search(w.Context(), scope, retrieval.Query{Text: word + "1499", Limit: 5})
				w.Must(err)
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
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		t.Run("a document that a crash left half indexed is indexed at the next start, and adding it again adds no second one", func(t *testing.T) {
			w := start()
			tn := w.NewTenant("baker", plan.Standard)
			scope := retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}
			again := knowledge.NewDocument{Title: "Opening hours", Content: harness.Opening}
			first, err := w.Server.Knowledge.Documents.Add(t.Context(), tn.Workspace, tn.Chatbot, again)
			w.Must(err)
			// What kill -9 leaves between storing and indexing.
			w.Must(w.Server.Index.Remove(t.Context(), scope, first.ID))
			left, err := w.Server.KnowledgeStores.Documents.Document(t.Context(), tn.Workspace, tn.Chatbot, first.ID)
			w.Must(err)
			left.State, left.Live, left.DueAt = knowledge.Indexing, 0, &left.CreatedAt
			w.Must(w.Server.KnowledgeStores.Documents.UpdateDocument(t.Context(), tn.Workspace, knowledge.Ready, left, false))
			second, err := w.Server.Knowledge.Documents.Add(t.Context(), tn.Workspace, tn.Chatbot, again)
			w.Must(err)
			if second.ID != first.ID {
				t.Fatalf("got %s, want %s", second.ID, first.ID)
			}
			w.Must(w.Server.Knowledge.Worker.Sweep(t.Context())) // as a server does at its start
			w.Settled(tn)
			// On PostgreSQL the server also follows what was changed behind its back above.
			w.Eventually("it is answered from", func() bool {
				r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token))
				return r.StatusCode == http.StatusOK && strings.Contains(harness.Message(r), "seven in the morning")
			})
		})
	})
}

// listed is what commands and the API print of a document.
type listed struct {
	ID    string `json:"id"`
	State string `json:"state"`
}
