package e2e

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
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
	onBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		w := start(t, index)
		w.prepared()
		baker := w.newTenant("baker", plan.Standard, opening, "# Parking\n\nThe rule for parking: there are three places behind the house.\n")
		documents := w.settled(baker)
		const question, answer = "When does the bakery open?", "seven in the morning"

		rebuild := slowRebuild{filled: make(chan struct{}), release: make(chan struct{})}
		beside, err := app.OpenWith(t.Context(), w.server.Config, w.server.Program.Log, app.Options{Index: func(x retrieval.Index) retrieval.Index {
			rebuild.Index = x
			return rebuild
		}})
		w.must(err)
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
			if text := w.within(t).replyTo(baker, question); !strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
		})
		w.must(w.server.Knowledge.Documents.Remove(t.Context(), baker.workspace, baker.chatbot, documents[1].ID))
		_, err = w.server.Knowledge.Documents.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewDocument{Title: "Cakes", Content: "The rule for wedding cakes: order them a fortnight ahead."})
		w.must(err)
		w.settled(baker)

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
				if text := w.replyTo(baker, question); !strings.Contains(text, answer) {
					t.Errorf("while the index changes the answer is %q", text)
				}
			}
			return nil
		})
		close(rebuild.release)
		w.must(reindexing.Wait())
		close(done)
		w.must(asking.Wait())

		w.Run("a document added meanwhile is found afterward", func(t *testing.T) {
			w := w.within(t)
			if text := w.replyTo(baker, "When do I order wedding cakes?"); !strings.Contains(text, "a fortnight ahead") {
				t.Errorf("the answer is %q", text)
			}
			w.wantReady(baker, 2)
		})
		w.Run("one removed meanwhile is not", func(t *testing.T) {
			w := w.within(t)
			if text := w.replyTo(baker, "Where are places for parking?"); strings.Contains(text, "behind the house") {
				t.Errorf("the answer is %q", text)
			}
			scope := retrieval.Scope{WorkspaceID: baker.workspace, ChatbotID: baker.chatbot}
			if held, err := w.server.Index.Count(t.Context(), scope, documents[1].ID); err != nil || held != 0 {
				t.Errorf("the index counts %d passages of it (%v)", held, err)
			}
		})
		w.Run("the command does the same", func(t *testing.T) {
			config := w.server.Config
			term := &terminal{T: t, folder: config.DataDir}
			args := []string{"reindex"}
			if config.WeaviateURL != "" {
				args = append(args, "--weaviate-url="+config.WeaviateURL, "--weaviate-grpc="+config.WeaviateGRPC,
					"--weaviate-api-key="+config.WeaviateKey, "--weaviate-prefix="+config.WeaviateName)
			}
			if n := term.record(args...)["documents"]; n != 2.0 {
				t.Errorf("it tells of %v documents, want 2", n)
			}
			w.within(t).wantReady(baker, 2)
		})
	})
}
