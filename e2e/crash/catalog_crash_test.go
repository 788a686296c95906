package crash

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
)

func TestKilledWhileReplacingDocuments(t *testing.T) {
	t.Parallel()
	harness.OnInstallations(t, func(s *harness.Installation) {
		const writers, enough = 4, 60
		var tn harness.Tenant
		var token string
		s.Inside(func(w *harness.Instance) {
			tn = w.NewTenant("baker", plan.Enterprise)
			token = w.Editor(tn)
		})
		content := func(writer, version int) string {
			return fmt.Sprintf("The price of loaf%d is version%d.", writer, version)
		}
		p := s.Serve()
		sent, acknowledged := [writers]int{}, [writers]int{}
		killed := make(chan struct{})
		counted := make(chan struct{}, 10_000)
		var writing sync.WaitGroup
		for n := range writers {
			writing.Go(func() {
				for version := 1; ; version++ {
					select {
					case <-killed:
						return
					default:
					}
					sent[n] = version
					if !putOnce(s.Context(), p.Base+harness.Named(fmt.Sprint("loaf", n)), token, content(n, version)) {
						return
					}
					acknowledged[n] = version
					counted <- struct{}{}
				}
			})
		}
		for range enough {
			<-counted
		}
		p.Kill()
		close(killed)
		writing.Wait()

		s.Inside(func(w *harness.Instance) {
			// What a process was adding is left to it for a while, though it was
			// killed.
			w.Later(time.Minute, func(p *app.Program) {
				for more := true; more; {
					var err error
					more, err = p.Knowledge.Worker.WorkOff(w.Context(), tn.Workspace)
					w.Must(err)
				}
			})
			documents := w.Settled(tn)
			if len(documents) != writers {
				w.Errorf("there are %d documents", len(documents))
			}
			// As `parley serve` does: the process that was killed may just have been putting a
			// version back that it had followed, when the next one was ready.
			if w.Server.Replicator != nil {
				w.Must(w.Server.Replicator.CatchUp(w.Context()))
			}
			for n := range writers {
				d, err := w.Server.Knowledge.Catalog.Named(w.Context(), tn.Workspace, tn.Chatbot, fmt.Sprint("loaf", n))
				w.Must(err)
				kept := ""
				for version := acknowledged[n]; version <= sent[n]; version++ {
					if d.Content == content(n, version) {
						kept = d.Content
					}
				}
				if kept == "" || d.State != knowledge.Ready || d.Live != d.Version {
					w.Errorf("version %d was acknowledged, and there is %+v", acknowledged[n], d)
				}
				found, err := w.Server.Searcher.Search(w.Context(), retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot},
					retrieval.Query{Text: fmt.Sprintf("What is the price of loaf%d?", n), Limit: 10})
				w.Must(err)
				if !slices.ContainsFunc(found, func(f retrieval.Result) bool { return f.DocumentID == d.ID && strings.Contains(f.Text, kept) }) {
					w.Errorf("%q is not found in %+v", kept, found)
				}
			}
		})
	})
}

// putOnce replaces a document, and reports whether that was acknowledged.
func putOnce(ctx context.Context, address, token, content string) bool {
	body, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		return false
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, strings.NewReader(string(body)))
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
