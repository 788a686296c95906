package servers

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
)

// slowRebuild is an index whose rebuild has put all into the new one, and
// waits there before that serves.
type slowRebuild struct {
	retrieval.Index
	filled, release chan struct{}
}

func (x slowRebuild) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	return x.Index.Rebuild(ctx, version, func(ctx context.Context, into retrieval.Filler) error {
		err := fill(ctx, into)
		close(x.filled)
		<-x.release
		return err
	})
}

func TestReindexBesideAServer(t *testing.T) {
	harness.OnBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		w := harness.Start(t, index)
		w.Prepared()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening, "# Parking\n\nThe rule for parking: there are three places behind the house.\n")
		documents := w.Settled(baker)
		const question, answer = "When does the bakery open?", "seven in the morning"

		rebuild := slowRebuild{filled: make(chan struct{}), release: make(chan struct{})}
		beside, err := app.OpenWith(t.Context(), w.Server.Config, w.Server.Program.Log, app.Options{Index: func(x retrieval.Index) retrieval.Index {
			rebuild.Index = x
			return rebuild
		}})
		w.Must(err)
		t.Cleanup(func() {
			if err := beside.Close(); err != nil {
				t.Error(err)
			}
		})
		var reindexing errgroup.Group
		reindexing.Go(func() error {
			_, err := beside.Rebuilder.Rebuild(t.Context())
			return err
		})
		<-rebuild.filled
		w.Run("meanwhile questions are answered", func(t *testing.T) {
			if text := w.Within(t).ReplyTo(baker, question); !strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
		})
		w.Must(w.Server.Knowledge.Documents.Remove(t.Context(), baker.Workspace, baker.Chatbot, documents[1].ID))
		_, err = w.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Cakes", Content: "The rule for wedding cakes: order them a fortnight ahead."})
		w.Must(err)
		w.Settled(baker)

		done := make(chan struct{})
		asked := 0
		var asking errgroup.Group
		asking.Go(func() error {
			for ended := false; !ended; asked++ {
				select {
				case <-done:
					ended = true
				default:
				}
				if text := w.ReplyTo(baker, question); !strings.Contains(text, answer) {
					t.Errorf("while the index changes the answer is %q", text)
				}
			}
			return nil
		})
		close(rebuild.release)
		w.Must(reindexing.Wait())
		close(done)
		w.Must(asking.Wait())

		w.Run("a document added meanwhile is found afterward", func(t *testing.T) {
			w := w.Within(t)
			if text := w.ReplyTo(baker, "When do I order wedding cakes?"); !strings.Contains(text, "a fortnight ahead") {
				t.Errorf("the answer is %q", text)
			}
			w.WantReady(baker, 2)
		})
		w.Run("one removed meanwhile is not", func(t *testing.T) {
			w := w.Within(t)
			if text := w.ReplyTo(baker, "Where are places for parking?"); strings.Contains(text, "behind the house") {
				t.Errorf("the answer is %q", text)
			}
			scope := retrieval.Scope{WorkspaceID: baker.Workspace, ChatbotID: baker.Chatbot}
			if held, err := w.Server.Index.Count(t.Context(), scope, documents[1].ID); err != nil || held != 0 {
				t.Errorf("the index counts %d passages of it (%v)", held, err)
			}
		})
		w.Run("the command does the same", func(t *testing.T) {
			config := w.Server.Config
			term := &harness.Terminal{T: t, Folder: config.DataDir}
			args := []string{"reindex"}
			if config.WeaviateURL != "" {
				args = append(args, "--weaviate-url="+config.WeaviateURL, "--weaviate-grpc="+config.WeaviateGRPC,
					"--weaviate-api-key="+config.WeaviateKey, "--weaviate-prefix="+config.WeaviateName)
			}
			if n := term.Record(args...)["documents"]; n != 2.0 {
				t.Errorf("it tells of %v documents, want 2", n)
			}
			w.Within(t).WantReady(baker, 2)
		})
	})
}
