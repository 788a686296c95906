package crash

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
)

// documentsOf are the documents of a chatbot by their state, as the API lists
// them.
func documentsOf(p *harness.Process, tn harness.Tenant, session harness.Header) map[string][]listed {
	p.Helper()
	r := p.Call("GET", "/api/chatbots/"+tn.Chatbot+"/documents", "", session)
	p.CheckAnswer(r, 200, 0)
	var answer struct {
		Data struct {
			Documents []listed `json:"documents"`
		} `json:"data"`
	}
	p.Must(json.Unmarshal([]byte(r.Text), &answer))
	states := map[string][]listed{}
	for _, d := range answer.Data.Documents {
		states[d.State] = append(states[d.State], d)
	}
	return states
}

// takeover is how long the documents of a server that was killed may be left
// alone: its lease, and the time until another looks.
const takeover = 3 * time.Minute

func TestKilledInTheMiddleOfAnImport(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		const files, pages = 12, 15
		web := harness.NewSite(s.T)
		var links []string
		for n := range pages {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			web.Put(path, strings.Repeat(fmt.Sprintf("The canary of page %d is parrot%d. ", n, n), 20))
		}
		web.Put("/", "All pages.", links...)
		var allowed app.Config
		web.Allowed(&allowed)
		s.Environment = append(s.Environment, "FETCH_ALLOW="+allowed.FetchAllow[0], "FETCH_DELAY=1ms", "JOB_LEASE=10s")
		var tn harness.Tenant
		var session harness.Header
		s.Inside(func(w *harness.Instance) {
			tn = w.NewTenant("baker", plan.Enterprise)
			user, err := w.Server.Tenants.Users.ByEmail(w.Context(), tn.Email)
			w.Must(err)
			session = w.Session(user.ID)
			// Nobody works on them yet.
			for n := range files {
				_, err := w.Server.Knowledge.Documents.Add(w.Context(), tn.Workspace, tn.Chatbot, knowledge.NewDocument{
					File: &knowledge.Upload{Name: fmt.Sprintf("file%d.docx", n), Body: []byte(harness.DocxOf(fmt.Sprintf("File %d", n), strings.Repeat(fmt.Sprintf("The canary of file %d is macaw%d. ", n, n), 50)))},
				})
				w.Must(err)
			}
			_, err = w.Server.Knowledge.Sources.Add(w.Context(), tn.Workspace, tn.Chatbot, knowledge.NewSource{URL: web.Address("/"), Kind: knowledge.Site, Rules: knowledge.DefaultRules()})
			w.Must(err)
		})
		polite := time.NewTicker(200 * time.Millisecond) // a person may ask ten times a second
		defer polite.Stop()
		ready := func(p *harness.Process) int {
			<-polite.C
			return len(documentsOf(p, tn, session)["ready"])
		}

		first := s.Serve()
		first.Eventually("some files are ready", func() bool { return ready(first) >= 3 })
		first.Kill()
		second := s.Serve()
		before := ready(second)
		if s.Database == "" { // where the next start takes over at once
			second.Eventually("some more are ready", func() bool { return ready(second) >= min(before+3, files+pages) })
		}
		second.Kill()
		third := s.Serve()
		deadline := time.Now().Add(takeover)
		for ready(third) < files+pages+1 {
			if time.Now().After(deadline) {
				s.Fatalf("not all documents became ready: %v\n%s", documentsOf(third, tn, session), harness.Shortened(third.ServerLog.String()))
			}
		}
		s.Run("every document is ready once, and found whole", func(t *testing.T) {
			p := third.In(t)
			states := documentsOf(p, tn, session)
			if len(states) != 1 || len(states["ready"]) != files+pages+1 {
				t.Errorf("the documents are %v", states)
			}
			for question, canary := range map[string]string{"What is the canary of page 7?": "parrot7", "What is the canary of file 11?": "macaw11"} {
				r := p.Call("POST", harness.ChatPath, fmt.Sprintf(`{"message":%q}`, question), harness.Bearer(tn.Token))
				if r.StatusCode != http.StatusOK || !strings.Contains(harness.Message(r), canary) {
					t.Errorf("%s is answered with %s", question, r.Text)
				}
			}
		})
		third.Terminate()
		third.EndsWithin(harness.Patience)
		s.Inside(func(w *harness.Instance) {
			for _, d := range w.Settled(tn) {
				held, err := w.Server.Index.Count(w.Context(), retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}, d.ID)
				w.Must(err)
				if held != d.Passages || held == 0 {
					w.Errorf("the index holds %d of %d passages of %s", held, d.Passages, d.Title)
				}
			}
		})
	})
}
