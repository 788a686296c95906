package e2e

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
)

// documentsOf are the documents of a chatbot by their state, as the API lists
// them.
func (p *process) documentsOf(tn tenantOf, session header) map[string][]listed {
	p.Helper()
	r := p.call("GET", "/api/chatbots/"+tn.chatbot+"/documents", "", session)
	p.checkAnswer(r, 200, 0)
	var answer struct {
		Data struct {
			Documents []listed `json:"documents"`
		} `json:"data"`
	}
	p.must(json.Unmarshal([]byte(r.body), &answer))
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
	onInstallations(t, func(s *installation) {
		const files, pages = 12, 15
		web := newSite(s.T)
		var links []string
		for n := range pages {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			web.put(path, strings.Repeat(fmt.Sprintf("The canary of page %d is parrot%d. ", n, n), 20))
		}
		web.put("/", "All pages.", links...)
		var allowed app.Config
		web.allowed(&allowed)
		s.environment = append(s.environment, "FETCH_ALLOW="+allowed.FetchAllow[0], "FETCH_DELAY=1ms", "JOB_LEASE=10s")
		var tn tenantOf
		var session header
		s.inside(func(w *instance) {
			tn = w.newTenant("baker", plan.Enterprise)
			user, err := w.server.Tenants.Users.ByEmail(w.Context(), tn.email)
			w.must(err)
			session = w.session(user.ID)
			// Nobody works on them yet.
			for n := range files {
				_, err := w.server.Knowledge.Documents.Add(w.Context(), tn.workspace, tn.chatbot, knowledge.NewDocument{
					File: &knowledge.Upload{Name: fmt.Sprintf("file%d.docx", n), Body: []byte(docxOf(fmt.Sprintf("File %d", n), strings.Repeat(fmt.Sprintf("The canary of file %d is macaw%d. ", n, n), 50)))},
				})
				w.must(err)
			}
			_, err = w.server.Knowledge.Sources.Add(w.Context(), tn.workspace, tn.chatbot, knowledge.NewSource{URL: web.url("/"), Kind: knowledge.Site, Rules: knowledge.DefaultRules()})
			w.must(err)
		})
		polite := time.NewTicker(200 * time.Millisecond) // a person may ask ten times a second
		defer polite.Stop()
		ready := func(p *process) int {
			<-polite.C
			return len(p.documentsOf(tn, session)["ready"])
		}

		first := s.serve()
		first.eventually("some files are ready", func() bool { return ready(first) >= 3 })
		first.kill()
		second := s.serve()
		before := ready(second)
		if s.database == "" { // where the next start takes over at once
			second.eventually("some more are ready", func() bool { return ready(second) >= min(before+3, files+pages) })
		}
		second.kill()
		third := s.serve()
		deadline := time.Now().Add(takeover)
		for ready(third) < files+pages+1 {
			if time.Now().After(deadline) {
				s.Fatalf("not all documents became ready: %v\n%s", third.documentsOf(tn, session), shortened(third.log.String()))
			}
		}
		s.Run("every document is ready once, and found whole", func(t *testing.T) {
			p := third.in(t)
			states := p.documentsOf(tn, session)
			if len(states) != 1 || len(states["ready"]) != files+pages+1 {
				t.Errorf("the documents are %v", states)
			}
			for question, canary := range map[string]string{"What is the canary of page 7?": "parrot7", "What is the canary of file 11?": "macaw11"} {
				r := p.call("POST", chatPath, fmt.Sprintf(`{"message":%q}`, question), bearer(tn.token))
				if r.StatusCode != http.StatusOK || !strings.Contains(message(r), canary) {
					t.Errorf("%s is answered with %s", question, r.body)
				}
			}
		})
		third.terminate()
		third.endsWithin(patience)
		s.inside(func(w *instance) {
			for _, d := range w.settled(tn) {
				held, err := w.server.Index.Count(w.Context(), retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot}, d.ID)
				w.must(err)
				if held != d.Passages || held == 0 {
					w.Errorf("the index holds %d of %d passages of %s", held, d.Passages, d.Title)
				}
			}
		})
	})
}
