package servers

import (
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/store/storetest"
)

// TestServersFollowOneAnother is about servers on one PostgreSQL, each with an index in a
// file of its own.
func TestServersFollowOneAnother(t *testing.T) {
	t.Parallel()
	url, away := storetest.Postgres(t), t.TempDir()
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := harness.Start(t, on), harness.Start(t, on)
	tn := here.NewTenant("baker", plan.Standard)
	add := func(w *harness.Instance, title, text string) knowledge.Document {
		w.Helper()
		d, err := w.Server.Knowledge.Documents.Add(w.Context(), tn.Workspace, tn.Chatbot, knowledge.NewDocument{Title: title, Content: text})
		w.Must(err)
		return d
	}
	finds := func(w *harness.Instance, word string) bool {
		w.Helper()
		found, err := w.Server.Searcher.Search(w.Context(), retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}, retrieval.Query{Text: word, Limit: 5})
		w.Must(err)
		return slices.ContainsFunc(found, func(r retrieval.Result) bool { return strings.Contains(strings.ToLower(r.Text), word) })
	}
	// held is what a server's own index has of a document, whatever is answered from.
	held := func(w *harness.Instance, documentID string) int {
		w.Helper()
		n, err := w.Server.Index.Count(w.Context(), retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}, documentID)
		w.Must(err)
		return n
	}

	t.Run("what is added at one server is found at the other", func(t *testing.T) {
		add(here, "Rye", "Ryebread is sold on Mondays.")
		add(there, "Spelt", "Speltbread is sold on Fridays.")
		here.Eventually("this server finds what the other one added", func() bool { return finds(here, "speltbread") })
		there.Eventually("the other server finds what this one added", func() bool { return finds(there, "ryebread") })
	})
	t.Run("what is replaced at one server is found as it is now at the other", func(t *testing.T) {
		name := knowledge.NewDocument{Title: "Hours", Content: "Openinghours are from seven.", ExternalID: "hours"}
		_, _, err := here.Server.Knowledge.Documents.Put(here.Context(), tn.Workspace, tn.Chatbot, name)
		here.Must(err)
		there.Eventually("the other server finds the first version", func() bool { return finds(there, "openinghours") })
		name.Content = "Businesshours are from eight."
		_, _, err = there.Server.Knowledge.Documents.Put(there.Context(), tn.Workspace, tn.Chatbot, name)
		there.Must(err)
		here.Eventually("this server finds the second version alone", func() bool {
			return finds(here, "businesshours") && !finds(here, "openinghours")
		})
	})
	t.Run("what is removed at one server leaves the index of the other", func(t *testing.T) {
		d := add(here, "Stollen", "Stollencake is sold in December.")
		there.Eventually("the other server has it", func() bool { return held(there, d.ID) > 0 })
		here.Must(here.Server.Knowledge.Documents.Remove(here.Context(), tn.Workspace, tn.Chatbot, d.ID))
		there.Eventually("the other server has it no more", func() bool { return held(there, d.ID) == 0 })
	})
	t.Run("a server that was away catches up with what came and went meanwhile", func(t *testing.T) {
		gone := add(here, "Muffins", "Muffinboxes hold six.")
		at := func(c *app.Config) { c.DatabaseURL, c.DataDir = url, away }
		third := harness.Start(t, at)
		third.Eventually("the third server has it", func() bool { return held(third, gone.ID) > 0 })
		third.End()
		added := add(there, "Scones", "Sconeboxes hold four.")
		here.Must(here.Server.Knowledge.Documents.Remove(here.Context(), tn.Workspace, tn.Chatbot, gone.ID))
		here.Eventually("it is removed", func() bool { return held(here, gone.ID) == 0 })
		third = harness.Start(t, at)
		third.Eventually("the third server is where the others are", func() bool { return held(third, gone.ID) == 0 && held(third, added.ID) > 0 })
	})
	t.Run("a new server has all", func(t *testing.T) {
		fresh := harness.Start(t, on)
		fresh.Eventually("the new server finds what was there", func() bool { return finds(fresh, "ryebread") && finds(fresh, "sconeboxes") })
	})
	t.Run("when a chatbot is deleted at one server, the indexes of all forget it", func(t *testing.T) {
		documents, err := here.Server.Knowledge.Documents.List(here.Context(), tn.Workspace, tn.Chatbot)
		here.Must(err)
		here.Must(here.Server.Chatbots.Delete(here.Context(), tn.Workspace, tn.Chatbot))
		there.Eventually("the other server holds nothing of it", func() bool {
			for _, d := range documents {
				if held(there, d.ID) > 0 {
					return false
				}
			}
			return true
		})
	})
}
