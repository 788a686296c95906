package api

import (
	"slices"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/encoding"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/internal/weaviatetest"
	"parley/store/storetest"
)

// ranking is what a search finds: titles in order, and the scores of these places.
type ranking struct {
	titles []string
	scores []float64
}

func TestPassagesAreEncodedAsTheyCome(t *testing.T) {
	w := harness.StartPrepared(t, app.Options{}, func(*app.Server) {}, func(c *app.Config) { c.Encode = "on" })
	left := func() int {
		n, err := w.Server.Encoding.Left(t.Context())
		w.Must(err)
		return n
	}
	for _, name := range []string{"baker", "butcher", "grocer"} {
		t.Run("soon after a new owner's first document is ready, not a minute later: "+name, func(t *testing.T) {
			tn := w.NewTenant(name, plan.Standard, "# Hours\n\nWe open at seven.")
			w.Settled(tn)
			w.Eventually("its passages are encoded", func() bool { return left() == 0 })
		})
	}
}

func TestEncodingsChangeTheOrder(t *testing.T) {
	server := weaviatetest.New(t)
	for database, url := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			embedded := encodedRankings(t, "the embedded index", func(c *app.Config) { c.DatabaseURL = url(t) })
			weaviate := encodedRankings(t, "Weaviate", func(c *app.Config) { c.DatabaseURL = url(t) }, harness.WithWeaviate(server, server.Prefix(t)))
			for question, want := range embedded {
				t.Run("Weaviate's is that of the embedded index: "+question, func(t *testing.T) {
					if got := weaviate[question]; !slices.Equal(got.titles, want.titles) {
						t.Errorf("found are %q, by the embedded index %q", got.titles, want.titles)
					}
				})
			}
		})
	}
}

// encodedRankings checks what a server finds before and after passages are encoded, and
// returns what it finds then.
func encodedRankings(t *testing.T, by string, change ...func(*app.Config)) map[string]ranking {
	t.Helper()
	var work *encoding.Service
	w := harness.StartPrepared(t, app.Options{}, func(s *app.Server) {
		work, s.Encoding = s.Encoding, nil // so that passages are encoded when the test says so
	}, append(change, func(c *app.Config) { c.Encode = "on" })...)
	w.Prepared()
	var documents []string
	for _, pair := range harness.Misleading {
		documents = append(documents, pair[:]...)
	}
	tn := w.NewTenant("baker", plan.Standard, documents...)
	w.Settled(tn)
	_, secret := w.Issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	session := w.NewAgent(secret)
	find := func(question string) (found ranking) {
		w.Helper()
		results, err := w.Server.Searcher.Search(w.Context(), retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}, retrieval.Query{Text: question, Limit: 5})
		w.Must(err)
		for _, r := range results {
			found.titles, found.scores = append(found.titles, r.Title), append(found.scores, r.Score)
		}
		var told []string
		answer, _, _ := w.UseTool(session, "search", map[string]any{"query": question})
		for _, r := range answer.Results {
			told = append(told, r.Title)
		}
		if !slices.Equal(told, found.titles) {
			w.Errorf("%q: a client is told of %q, found are %q", question, told, found.titles)
		}
		return found
	}
	before, after := map[string]ranking{}, map[string]ranking{}
	for question := range harness.Misleading {
		before[question] = find(question)
	}
	w.EncodeAll(work)
	for question, pair := range harness.Misleading {
		after[question] = find(question)
		wrong, right := knowledge.TitleOf("", pair[0]), knowledge.TitleOf("", pair[1])
		t.Run("by "+by+", the passage that answers is first when passages are encoded: "+question, func(t *testing.T) {
			first := func(r ranking) string { return slices.Concat(r.titles, []string{"none"})[0] }
			if first(before[question]) != wrong || first(after[question]) != right {
				t.Errorf("before %q, then %q", before[question].titles, after[question].titles)
			}
			if !slices.Equal(before[question].scores, after[question].scores) {
				t.Errorf("scores were %v, and are %v", before[question].scores, after[question].scores)
			}
		})
	}
	return after
}
