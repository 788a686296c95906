package servers

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/index/indextest"
	"parley/internal/weaviatetest"
)

// withCluster keeps the index on the three nodes of a cluster, each of which has
// all of it.
func withCluster(cluster *weaviatetest.Cluster) func(*app.Config) {
	return func(c *app.Config) {
		harness.WithWeaviate(cluster.Server(), "")(c)
		c.WeaviateCopy = len(cluster.Nodes)
	}
}

// asker asks questions until it is stopped.
type asker struct {
	group    sync.WaitGroup
	stopped  chan struct{}
	answered atomic.Int32
}

// askSteadily asks by several clients at once. None of them repeats a question.
func askSteadily(w *harness.Instance, tn harness.Tenant, clients int) *asker {
	a := &asker{stopped: make(chan struct{})}
	for range clients {
		a.group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-a.stopped:
					return
				default:
				}
				r := w.Call("POST", harness.ChatPath, fmt.Sprintf(`{"message":"What is the rule for %s?"}`, harness.Topics[n%len(harness.Topics)]), harness.Bearer(tn.Token))
				if r.StatusCode != http.StatusOK {
					w.Errorf("a question got status %d: %s", r.StatusCode, harness.Shortened(r.Text))
					return
				}
				a.answered.Add(1)
			}
		})
	}
	return a
}

func (a *asker) stop() {
	close(a.stopped)
	a.group.Wait()
}

// becomeReady waits until no document waits. It stands for an owner who does not
// wait for the next attempt.
func becomeReady(w *harness.Instance, tn harness.Tenant) {
	w.Helper()
	w.Eventually("no document waits", func() bool {
		waiting := 0
		for _, d := range documentsIn(w, tn) {
			if d.State.Settled() {
				continue
			}
			waiting++
			if d.Waits() {
				_ = w.Server.Knowledge.Documents.Retry(w.Context(), tn.Workspace, tn.Chatbot, d.ID)
			}
		}
		return waiting == 0
	})
}

// indexOf opens the index as one node has it: a node with a replica answers from it.
func indexOf(w *harness.Instance, node *weaviatetest.Process) interface {
	retrieval.Index
	Close() error
} {
	w.Helper()
	config := *w.Server.Config
	config.WeaviateURL, config.WeaviateGRPC = node.URL, node.GRPC
	index, err := app.OpenWeaviate(w.Context(), &config, "")
	w.Must(err)
	return index
}

// wantOnEveryNode fails unless each node holds exactly the passages of the ready
// documents, and finds them.
func wantOnEveryNode(w *harness.Instance, tn harness.Tenant, cluster *weaviatetest.Cluster, want int) {
	w.Helper()
	scope := retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}
	documents := documentsIn(w, tn, knowledge.Ready)
	if len(documents) != want {
		w.Errorf("%d documents are ready, want %d", len(documents), want)
	}
	for number, node := range cluster.Nodes {
		index := indexOf(w, node)
		for _, d := range documents {
			held, err := index.Count(w.Context(), scope, d.ID)
			if err != nil || held != d.Passages || held == 0 {
				w.Errorf("node %d holds %d passages of %s (%v), want %d", number+1, held, d.Title, err, d.Passages)
			}
			hits, err := index.Search(w.Context(), scope, retrieval.IndexQuery{
				Terms: indextest.Terms("rule"), Limit: 100, Filter: retrieval.Filter{Documents: []string{d.ID}},
			})
			if err != nil || len(hits.Lexical) != d.Passages {
				w.Errorf("node %d finds %d passages of %s (%v), want %d", number+1, len(hits.Lexical), d.Title, err, d.Passages)
			}
		}
		w.Must(index.Close())
	}
}

func TestWeaviateClusterLosesANode(t *testing.T) {
	t.Parallel()
	const before, during = 6, 6
	cluster := weaviatetest.StartCluster(t)
	w := harness.Start(t, withCluster(cluster))
	w.Prepared()
	baker := w.NewTenant("baker", plan.Enterprise)
	w.Must(addHandbooks(w, baker, 0, before).Wait())
	becomeReady(w, baker)
	wantOnEveryNode(w, baker, cluster, before)
	total := before

	for victim, node := range cluster.Nodes {
		w.Run(fmt.Sprintf("node %d is killed while people ask and add documents: no question fails, and all documents become ready when it is back", victim+1), func(t *testing.T) {
			w := w.Within(t)
			asking := askSteadily(w, baker, 4)
			adding := addHandbooks(w, baker, total, during)
			w.Eventually("a document is being read", func() bool { return len(documentsIn(w, baker)) > total })
			node.Kill()
			w.Must(adding.Wait())
			total += during
			answered := asking.answered.Load()
			w.Eventually("questions are answered without the node", func() bool { return asking.answered.Load() > answered+40 || t.Failed() })
			node.Restart(t)
			becomeReady(w, baker)
			answered = asking.answered.Load()
			w.Eventually("questions are answered with the node", func() bool { return asking.answered.Load() > answered+10 || t.Failed() })
			asking.stop()
			if failed := documentsIn(w, baker, knowledge.Failed); len(failed) > 0 {
				t.Errorf("%d documents have failed: %s", len(failed), failed[0].Reason)
			}
			wantOnEveryNode(w, baker, cluster, total)
		})
	}

	w.Run("a confirmed removal is one on every node", func(t *testing.T) {
		w := w.Within(t)
		gone := documentsIn(w, baker)[0]
		w.Must(w.Server.Knowledge.Documents.Remove(t.Context(), baker.Workspace, baker.Chatbot, gone.ID))
		w.Eventually("the removal is confirmed", func() bool {
			receipts, err := w.Server.Knowledge.Removals.List(t.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			return len(receipts) == 1 && receipts[0].ConfirmedAt != nil
		})
		for _, node := range cluster.Nodes {
			index := indexOf(w, node)
			held, err := index.Count(t.Context(), retrieval.Scope{WorkspaceID: baker.Workspace, ChatbotID: baker.Chatbot}, gone.ID)
			if err != nil || held != 0 {
				t.Errorf("a node counts %d of its passages (%v)", held, err)
			}
			w.Must(index.Close())
		}
	})
}
