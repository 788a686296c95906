package e2e

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/llm/llmtest"
)

// withEmbeddings lets a server make the vectors.
func withEmbeddings(server *llmtest.Embeddings) func(*app.Config) {
	return func(c *app.Config) { c.EmbedBaseURL, c.EmbedAPIKey, c.EmbedModel = server.BaseURL(), "key", "double" }
}

const (
	vectorSize = 64
	// sevenText is the passage that the opening hours become, as an embedder
	// sees it but for its title.
	sevenText = "Opening hours\n\nThe bakery opens at seven in the morning and closes at noon."
	// foreign shares no word with any document.
	foreign = "Quand ouvre la boulangerie?"
)

// searching waits until questions get vectors.
func (w *instance) searching() {
	w.Helper()
	w.prepared()
	w.must(w.server.Searcher.Check(w.Context()))
}

func TestHybridAnswers(t *testing.T) {
	onBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		vectors := llmtest.NewEmbeddings(t, vectorSize)
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Well."}})
		w := start(t, index, withEmbeddings(vectors), withModel(upstream))
		w.searching()
		baker := w.newTenant("baker", plan.Standard, opening)
		w.wantReady(baker, 1)
		asked := upstream.Arrived()
		prompt := func(question string) string {
			w.replyTo(baker, question)
			asked++
			return string(upstream.Request(asked - 1).Body())
		}
		w.Run("a question in other words is answered from the passage that its vector is near", func(t *testing.T) {
			vectors.Next(llmtest.EmbeddingReply{Vectors: [][]float32{llmtest.Direction(sevenText, vectorSize)}})
			if text := prompt(foreign); !strings.Contains(text, "seven in the morning") {
				t.Errorf("the model is given %s", text)
			}
		})
		w.Run("so is one in the passage's words", func(t *testing.T) {
			if text := prompt("When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
				t.Errorf("the model is given %s", text)
			}
		})
		w.Run("while the embedding server is down, words are enough", func(t *testing.T) {
			vectors.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 400}})
			if text := prompt("When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
				t.Errorf("the model is given %s", text)
			}
			if text := prompt(foreign); strings.Contains(text, "seven in the morning") {
				t.Errorf("without vectors the model is given %s", text)
			}
		})
	})
}

func TestEqualPassagesAreEmbeddedOnce(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		vectors := llmtest.NewEmbeddings(t, vectorSize)
		w := start(withEmbeddings(vectors))
		w.searching()
		baker := w.newTenant("baker", plan.Standard)
		document := knowledge.NewDocument{Title: "Hours", Content: opening}
		add := func(tn tenantOf) {
			_, err := w.server.Knowledge.Documents.Add(w.Context(), tn.workspace, tn.chatbot, document)
			w.must(err)
			w.settled(tn)
		}
		want := func(what string, times int) {
			w.Helper()
			if n := vectors.Asked("seven in the morning"); n != times {
				w.Errorf("%s: the vector was asked for %d times, want %d", what, n, times)
			}
		}
		add(baker)
		want("a new document", 1)
		_, err := w.server.Knowledge.Documents.Reindex(w.Context(), baker.workspace, baker.chatbot)
		w.must(err)
		want("a document that is indexed again", 1)
		_, err = w.server.Rebuilder.Rebuild(w.Context())
		w.must(err)
		want("an index that is built anew", 1)
		second, err := w.server.Chatbots.Create(w.Context(), baker.workspace, chatbot.Settings{Name: "Second"})
		w.must(err)
		add(tenantOf{workspace: baker.workspace, chatbot: second.ID})
		want("the same document of another chatbot", 1)
		add(w.newTenant("butcher", plan.Standard))
		want("the same document of another workspace", 2)
	})
}

func TestEmbeddingOutage(t *testing.T) {
	vectors := llmtest.NewEmbeddings(t, vectorSize)
	w := start(t, withEmbeddings(vectors))
	w.searching()
	baker := w.newTenant("baker", plan.Standard, opening)
	w.settled(baker)
	vectors.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 503, ErrorBody: `{"error":{"message":"secret-1234"}}`}})
	added, err := w.server.Knowledge.Documents.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewDocument{Title: "Cakes", Content: "Order wedding cakes a fortnight ahead."})
	w.must(err)
	t.Run("a document waits, with a reason", func(t *testing.T) {
		d, err := w.server.Knowledge.Documents.Get(t.Context(), baker.workspace, baker.chatbot, added.ID)
		if err != nil || d.State.Settled() || d.DueAt == nil || d.Attempts != 1 || d.Reason != "The embedding model did not answer." {
			t.Errorf("it is %s, attempts %d, %q (%v)", d.State, d.Attempts, d.Reason, err)
		}
	})
	t.Run("questions are answered by words", func(t *testing.T) {
		if text := w.within(t).replyTo(baker, "When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
			t.Errorf("the answer is %q", text)
		}
	})
	t.Run("nothing that the embedding server said is logged", func(t *testing.T) {
		w.within(t).notLogged("secret-1234", "wedding", "fortnight")
	})
	vectors.Always(llmtest.EmbeddingReply{})
	t.Run("when the embedding server is back, the document becomes ready", func(t *testing.T) {
		w := w.within(t)
		w.must(w.server.Knowledge.Documents.Retry(t.Context(), baker.workspace, baker.chatbot, added.ID))
		documents := w.settled(baker)
		if d := documents[len(documents)-1]; d.State != knowledge.Ready {
			t.Errorf("it is %s: %s", d.State, d.Reason)
		}
		if text := w.replyTo(baker, "When do I order wedding cakes?"); !strings.Contains(text, "fortnight") {
			t.Errorf("the answer is %q", text)
		}
	})
}
