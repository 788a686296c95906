package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

// slowSites are web servers on addresses of their own, whose pages trickle until
// the test lets them go.
type slowSites struct {
	urls        []string
	free        chan struct{}
	begun, open atomic.Int64
}

func newSlowSites(t *testing.T, n int) *slowSites {
	t.Helper()
	s := &slowSites{free: make(chan struct{})}
	for i := range n {
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			t.Fatal(err)
		}
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s}}
		server.Start()
		t.Cleanup(server.Close)
		s.urls = append(s.urls, server.URL+"/")
	}
	return s
}

func (s *slowSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	s.begun.Add(1)
	s.open.Add(1)
	defer s.open.Add(-1)
	w.Header().Set("Content-Type", "text/html")
	trickle := time.NewTicker(20 * time.Millisecond)
	defer trickle.Stop()
	for {
		select {
		case <-s.free:
			_, _ = w.Write([]byte("<main><p>The page is whole.</main>"))
			return
		case <-r.Context().Done():
			return
		case <-trickle.C:
			_, _ = w.Write([]byte(" "))
			w.(http.Flusher).Flush()
		}
	}
}

// onSlowSites makes a free workspace for each site, which has it read.
func onSlowSites(w *harness.Instance, s *slowSites) {
	w.Helper()
	users := w.Users()
	for i, url := range s.urls {
		ctx := w.Context()
		space, err := w.Server.Tenants.Workspaces.Create(ctx, users[0], fmt.Sprint("Slow ", i))
		w.Must(err)
		id := space.ID
		bot, err := w.Server.Chatbots.Create(ctx, id, chatbot.Settings{Name: "Guide"})
		w.Must(err)
		_, err = w.Server.Knowledge.Sources.Add(ctx, id, bot.ID, knowledge.NewSource{URL: url})
		w.Must(err)
	}
}

func TestSlowSites(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		const workspaces, workers = 40, 4
		slow := newSlowSites(t, workspaces)
		w := start(func(c *app.Config) {
			c.Workers, c.FetchDelay, c.FetchAllow = workers, time.Millisecond, []string{"127.0.1.0/24:*"}
		})
		baker := w.NewTenant("baker", plan.Starter)
		onSlowSites(w, slow)
		w.Eventually("all who fetch wait for a slow site", func() bool { return slow.open.Load() == workers })

		t.Run("a file of another workspace does not wait for forty on slow sites", func(t *testing.T) {
			w := w.Within(t)
			_, err := w.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{
				File: &knowledge.Upload{Name: "saddle.docx", Body: []byte(harness.DocxOf("Saddles", "Grease it in spring."))},
			})
			w.Must(err)
			if d := w.Settled(baker)[0]; d.State != knowledge.Ready {
				t.Errorf("the file is %+v", d)
			}
			if begun := slow.begun.Load(); begun >= workspaces {
				t.Errorf("it was ready after all %d slow sites had been begun with", begun)
			}
		})
		t.Run("nor does the removal of a document", func(t *testing.T) {
			w := w.Within(t)
			d := w.Settled(baker)[0]
			w.Must(w.Server.Knowledge.Documents.Remove(context.WithoutCancel(t.Context()), baker.Workspace, baker.Chatbot, d.ID))
			w.Eventually("the index has confirmed it", func() bool {
				removals, err := w.Server.Knowledge.Removals.List(t.Context(), baker.Workspace, baker.Chatbot)
				w.Must(err)
				return len(removals) == 1 && removals[0].ConfirmedAt != nil
			})
			if begun := slow.begun.Load(); begun >= workspaces {
				t.Errorf("it was confirmed after all %d slow sites had been begun with", begun)
			}
		})
		close(slow.free)
		for n := int64(10); n <= workspaces; n += 10 {
			w.Eventually(fmt.Sprintf("%d slow sites have been begun with in the end", n), func() bool { return int64(slow.begun.Load()) >= n })
		}
		w.Eventually("every slow site has been read", func() bool { return slow.open.Load() == 0 })
	})
}
