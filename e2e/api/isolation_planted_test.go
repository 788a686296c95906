package api

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/e2e/harness"
)

// leak is a proxy that crosses from one workspace to another, as a defective server would. It
// learns by what each workspace is shown of its own.
type leak struct {
	*httputil.ReverseProxy
	mu sync.Mutex
	// owners are the headers that were shown a path, and shown what they were shown.
	owners map[string]http.Header
	shown  map[string][]byte
}

func newLeak(t *testing.T, to string) *httptest.Server {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l := &leak{owners: map[string]http.Header{}, shown: map[string][]byte{}}
	l.ReverseProxy = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target); l.impersonate(r.Out) },
		ModifyResponse: l.mix,
	}
	server := httptest.NewServer(http.HandlerFunc(l.forward))
	t.Cleanup(server.Close)
	return server
}

// forward reads a request to its end before it passes it on. Parley may answer a request by
// its head; net/http would then close the body that it is still sending on, and with it the
// connection in the middle of the answer.
func (l *leak) forward(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	l.ServeHTTP(w, r)
}

var (
	foreignObject = regexp.MustCompile(`^/api/v1/knowledge/documents/doc_`)
	changedBy     = regexp.MustCompile(`^(/chatbots/[a-z0-9_]+)/settings$`)
	foreignLists  = regexp.MustCompile(`^/api/v1/(knowledge/documents|chat)$`)
)

// impersonate sends requests for a document, and for a chatbot's settings, as whoever they
// belong to.
func (l *leak) impersonate(r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := r.URL.Path
	if match := changedBy.FindStringSubmatch(path); match != nil && r.Method == http.MethodPost {
		path = match[1]
	} else if !foreignObject.MatchString(path) || r.Method != http.MethodGet {
		return
	}
	if of := l.owners[path]; of != nil {
		r.Header.Set("Cookie", of.Get("Cookie"))
		r.Header.Set("Authorization", of.Get("Authorization"))
	}
}

// mix adds to a list, and to an answer, what another workspace has.
func (l *leak) mix(response *http.Response) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent, path := response.Request, response.Request.URL.Path
	if response.StatusCode != http.StatusOK {
		return nil
	}
	if sent.Method == http.MethodGet && l.owners[path] == nil {
		l.owners[path] = sent.Header.Clone()
	}
	if !foreignLists.MatchString(path) {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	by := sent.Header.Get("Authorization")
	mixed := bytes.Clone(body)
	for other, theirs := range l.shown {
		if other != by {
			mixed = append(mixed, theirs...)
		}
	}
	if strings.HasSuffix(path, "documents") && l.shown[by] == nil {
		l.shown[by] = body
	}
	response.Body = io.NopCloser(bytes.NewReader(mixed))
	response.Header.Set("Content-Length", strconv.Itoa(len(mixed)))
	return nil
}

func TestDoctorIsolationFindsCrossings(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.HasNoRates()
		before := rowCounts(w)
		lowerWall(w, "gaps")
		report, err := checker(w, newLeak(t, w.Base).URL, quietly).Run(t.Context())
		w.Must(err)
		for what, want := range map[string][2]string{
			"a foreign list":                 {"GET /api/v1/knowledge/documents", "the canary of documents.title"},
			"a foreign object":               {"GET /api/v1/knowledge/documents/:document_id", "the canary of"},
			"a foreign passage in an answer": {"POST /api/v1/chat", "the canary of"},
			"a change in another workspace":  {"POST /chatbots/:chatbot/settings", "it changed rows of workspace"},
		} {
			t.Run(what+" is found, and its route and object are named", func(t *testing.T) {
				found := strings.Join(crossed(report, want[0]), "\n")
				if !strings.Contains(found, want[1]) || !strings.Contains(found, "for ") {
					t.Errorf("at %s it found %q, want %q; all: %+v", want[0], found, want[1], report.Crossings)
				}
			})
		}
		t.Run("a table without row-level security is named", func(t *testing.T) {
			found := strings.Join(crossed(report, "SQL without a workspace condition"), "\n")
			if hasWall := w.Server.Config.DatabaseURL != ""; hasWall != strings.Contains(found, "table gaps: it could read its rows") {
				t.Errorf("it found %q", found)
			}
		})
		t.Run("what had crossed is taken away, too", func(t *testing.T) {
			w := w.Within(t)
			if len(report.Left) > 0 && !strings.Contains(strings.Join(report.Left, ""), "audit_entries") {
				t.Errorf("it left %v", report.Left)
			}
			after := rowCounts(w)
			for table, n := range before {
				if !strings.HasPrefix(table, "audit_") && after[table] != n {
					t.Errorf("%s has %d rows, and had %d", table, after[table], n)
				}
			}
		})
	})
}

// lowerWall lifts row-level security from a table on PostgreSQL, as somebody might by hand.
func lowerWall(w *harness.Instance, table string) {
	w.Helper()
	url := w.Server.Config.DatabaseURL
	if url == "" {
		return
	}
	db, err := sql.Open("pgx", url)
	w.Must(err)
	defer db.Close()
	_, err = db.ExecContext(w.Context(), "ALTER TABLE "+table+" DISABLE ROW LEVEL SECURITY")
	w.Must(err)
}
