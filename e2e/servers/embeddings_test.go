package servers

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestHybridAnswers(t *testing.T) {
	harness.OnBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		vectors := llmtest.NewEmbeddings(t, harness.VectorSize)
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Well."}})
		w := harness.Start(t, index, harness.WithEmbeddings(vectors), harness.WithModel(upstream))
		w.Searching()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		w.WantReady(baker, 1)
		asked := upstream.Arrived()
		prompt := func(question string) string {
			w.ReplyTo(baker, question)
			asked++
			return string(upstream.Request(asked - 1).Body())
		}
		w.Run("a question in other words is answered from the passage that its vector is near", func(t *testing.T) {
			vectors.Next(llmtest.EmbeddingReply{Vectors: [][]float32{llmtest.Direction(harness.SevenText, harness.VectorSize)}})
			if text := prompt(harness.Foreign); !strings.Contains(text, "seven in the morning") {
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
			if text := prompt(harness.Foreign); strings.Contains(text, "seven in the morning") {
				t.Errorf("without vectors the model is given %s", text)
			}
		})
	})
}

func TestEqualPassagesAreEmbeddedOnce(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		vectors := llmtest.NewEmbeddings(t, harness.VectorSize)
		w := start(harness.WithEmbeddings(vectors))
		w.Searching()
		baker := w.NewTenant("baker", plan.Standard)
		document := knowledge.NewDocument{Title: "Hours", Content: harness.Opening}
		add := func(tn harness.Tenant) {
			_, err := w.Server.Knowledge.Documents.Add(w.Context(), tn.Workspace, tn.Chatbot, document)
			w.Must(err)
			w.Settled(tn)
		}
		want := func(what string, times int) {
			w.Helper()
			if n := vectors.Asked("seven in the morning"); n != times {
				w.Errorf("%s: the vector was asked for %d times, want %d", what, n, times)
			}
		}
		add(baker)
		want("a new document", 1)
		_, err := w.Server.Knowledge.Documents.Reindex(w.Context(), baker.Workspace, baker.Chatbot)
		w.Must(err)
		want("a document that is indexed again", 1)
		_, err = w.Server.Rebuilder.Rebuild(w.Context())
		w.Must(err)
		want("an index that is built anew", 1)
		second, err := w.Server.Chatbots.Create(w.Context(), baker.Workspace, chatbot.Settings{Name: "Second"})
		w.Must(err)
		add(harness.Tenant{Workspace: baker.Workspace, Chatbot: second.ID})
		want("the same document of another chatbot", 1)
		add(w.NewTenant("butcher", plan.Standard))
		want("the same document of another workspace", 2)
	})
}

func TestEmbeddingOutage(t *testing.T) {
	vectors := llmtest.NewEmbeddings(t, harness.VectorSize)
	w := harness.Start(t, harness.WithEmbeddings(vectors))
	w.Searching()
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	w.Settled(baker)
	vectors.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 503, ErrorBody: `{"error":{"message":"secret-1234"}}`}})
	added, err := w.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Cakes", Content: "Order wedding cakes a fortnight ahead."})
	w.Must(err)
	t.Run("a document waits, with a reason", func(t *testing.T) {
		d, err := w.Server.Knowledge.Documents.Get(t.Context(), baker.Workspace, baker.Chatbot, added.ID)
		if err != nil || d.State.Settled() || d.DueAt == nil || d.Attempts != 0 || !strings.HasPrefix(d.Reason, "The embedding model of this server did not answer") {
			t.Errorf("it is %s, attempts %d, %q (%v)", d.State, d.Attempts, d.Reason, err)
		}
	})
	t.Run("questions are answered by words", func(t *testing.T) {
		if text := w.Within(t).ReplyTo(baker, "When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
			t.Errorf("the answer is %q", text)
		}
	})
	t.Run("nothing that the embedding server said is logged", func(t *testing.T) {
		w.Within(t).NotLogged("secret-1234", "wedding", "fortnight")
	})
	vectors.Always(llmtest.EmbeddingReply{})
	t.Run("when the embedding server is back, the document becomes ready", func(t *testing.T) {
		w := w.Within(t)
		w.Must(w.Server.Knowledge.Documents.Retry(t.Context(), baker.Workspace, baker.Chatbot, added.ID))
		documents := w.Settled(baker)
		if d := documents[len(documents)-1]; d.State != knowledge.Ready {
			t.Errorf("it is %s: %s", d.State, d.Reason)
		}
		if text := w.ReplyTo(baker, "When do I order wedding cakes?"); !strings.Contains(text, "fortnight") {
			t.Errorf("the answer is %q", text)
		}
	})
}
