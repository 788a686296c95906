package e2e

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
	"parley/index/indextest"
	"parley/internal/weaviatetest"
)

// withCluster keeps the index on the three nodes of a cluster, each of which has
// all of it.
func withCluster(cluster *weaviatetest.Cluster) func(*app.Config) {
	return func(c *app.Config) {
		withWeaviate(cluster.Server(), "")(c)
		c.WeaviateCopy = len(cluster.Nodes)
	}
}

// asker asks questions until it is stopped.
type asker struct {
	group    sync.WaitGroup
	stopped  chan struct{}
	answered atomic.Int32
}

// ask asks by several clients at once. None of them repeats a question.
func (w *instance) ask(tn tenantOf, clients int) *asker {
	a := &asker{stopped: make(chan struct{})}
	for range clients {
		a.group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-a.stopped:
					return
				default:
				}
				r := w.call("POST", chatPath, fmt.Sprintf(`{"message":"What is the rule for %s?"}`, topics[n%len(topics)]), bearer(tn.token))
				if r.StatusCode != http.StatusOK {
					w.Errorf("a question got status %d: %s", r.StatusCode, shortened(r.body))
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
func (w *instance) becomeReady(tn tenantOf) {
	w.Helper()
	w.eventually("no document waits", func() bool {
		waiting := 0
		for _, d := range w.documents(tn) {
			if d.State.Settled() {
				continue
			}
			waiting++
			if d.Attempts > 0 {
				_ = w.server.Knowledge.Documents.Retry(w.Context(), tn.workspace, tn.chatbot, d.ID)
			}
		}
		return waiting == 0
	})
}

// indexOf opens the index as one node has it: a node with a replica answers from it.
func (w *instance) indexOf(node *weaviatetest.Process) interface {
	retrieval.Index
	Close() error
} {
	w.Helper()
	config := *w.server.Config
	config.WeaviateURL, config.WeaviateGRPC = node.URL, node.GRPC
	index, err := app.OpenWeaviate(w.Context(), &config, "")
	w.must(err)
	return index
}

// wantOnEveryNode fails unless each node holds exactly the passages of the ready
// documents, and finds them.
func (w *instance) wantOnEveryNode(tn tenantOf, cluster *weaviatetest.Cluster, want int) {
	w.Helper()
	scope := retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot}
	documents := w.documents(tn, knowledge.Ready)
	if len(documents) != want {
		w.Errorf("%d documents are ready, want %d", len(documents), want)
	}
	for number, node := range cluster.Nodes {
		index := w.indexOf(node)
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
		w.must(index.Close())
	}
}

func TestWeaviateClusterLosesANode(t *testing.T) {
	t.Parallel()
	const before, during = 6, 6
	cluster := weaviatetest.StartCluster(t)
	w := start(t, withCluster(cluster))
	w.prepared()
	baker := w.newTenant("baker", plan.Enterprise)
	w.must(w.addHandbooks(baker, 0, before).Wait())
	w.becomeReady(baker)
	w.wantOnEveryNode(baker, cluster, before)
	total := before

	for victim, node := range cluster.Nodes {
		w.Run(fmt.Sprintf("node %d is killed while people ask and add documents: no question fails, and all documents become ready when it is back", victim+1), func(t *testing.T) {
			w := w.within(t)
			asking := w.ask(baker, 4)
			adding := w.addHandbooks(baker, total, during)
			w.eventually("a document is being read", func() bool { return len(w.documents(baker)) > total })
			node.Kill()
			w.must(adding.Wait())
			total += during
			answered := asking.answered.Load()
			w.eventually("questions are answered without the node", func() bool { return asking.answered.Load() > answered+40 || t.Failed() })
			node.Restart(t)
			w.becomeReady(baker)
			answered = asking.answered.Load()
			w.eventually("questions are answered with the node", func() bool { return asking.answered.Load() > answered+10 || t.Failed() })
			asking.stop()
			if failed := w.documents(baker, knowledge.Failed); len(failed) > 0 {
				t.Errorf("%d documents have failed: %s", len(failed), failed[0].Reason)
			}
			w.wantOnEveryNode(baker, cluster, total)
		})
	}

	w.Run("a confirmed removal is one on every node", func(t *testing.T) {
		w := w.within(t)
		gone := w.documents(baker)[0]
		w.must(w.server.Knowledge.Documents.Remove(t.Context(), baker.workspace, baker.chatbot, gone.ID))
		w.eventually("the removal is confirmed", func() bool {
			receipts, err := w.server.Knowledge.Removals.List(t.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			return len(receipts) == 1 && receipts[0].ConfirmedAt != nil
		})
		for _, node := range cluster.Nodes {
			index := w.indexOf(node)
			held, err := index.Count(t.Context(), retrieval.Scope{WorkspaceID: baker.workspace, ChatbotID: baker.chatbot}, gone.ID)
			if err != nil || held != 0 {
				t.Errorf("a node counts %d of its passages (%v)", held, err)
			}
			w.must(index.Close())
		}
	})
}
