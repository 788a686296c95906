package store_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/isolation"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/ent/scope"
	"parley/internal/id"
	isolationstore "parley/store/isolation"
)

// plant plants a throw-away workspace, as a check does.
func (b *bundle) plant() (workspaceID string, canaries []isolation.Canary) {
	b.Helper()
	seed, w := isolation.NewSeed(rand.Reader, isolation.Settings{
		Model: "extractive", Plan: plan.Enterprise,
		Mint: func(kind chatbot.TokenKind) (string, string, string) { return chatbot.MintThrowAway(rand.Reader, kind) },
	}, epoch)
	objects, err := isolationstore.NewThrowAways(b.Store).PlantThrowAway(b.Context(), w.ID, seed)
	b.must(err)
	if len(objects.Documents) != 20 {
		b.Errorf("there are %d documents", len(objects.Documents))
	}
	return w.ID, seed.Canaries()
}

func TestThrowAways(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		throwAways := isolationstore.NewThrowAways(b.Store)
		customer := b.fill("a")
		before := b.rows(customer.id)
		planted, canaries := b.plant()
		other, _ := b.plant()

		b.Run("a throw-away workspace has a row in every table, or the list says why not", func(t *testing.T) {
			remaining, err := throwAways.RemainingOf(t.Context(), planted)
			b.must(err)
			for _, table := range privacy.Tables() {
				if table.Owner != privacy.OfWorkspace {
					continue
				}
				if why := isolationstore.NotPlanted[table.Name]; (remaining[table.Name] > 0) == (why != "") {
					t.Errorf("%s has %d rows, and the list says %q: plant one in store/throwaway_plant*.go", table.Name, remaining[table.Name], why)
				}
			}
		})
		b.Run("every canary stands in its rows, and each once", func(t *testing.T) {
			seen := map[string]bool{}
			for _, c := range canaries {
				if seen[c.Secret] || len(c.Secret) < 18 {
					t.Errorf("the canary of %s is %q", c.Place, c.Secret)
				}
				seen[c.Secret] = true
			}
			if len(canaries) < 100 {
				t.Errorf("there are %d canaries", len(canaries))
			}
		})
		b.Run("its fingerprint changes with a row, and with nobody else's", func(t *testing.T) {
			first, err := throwAways.Fingerprint(t.Context(), planted)
			b.must(err)
			b.must(b.rewrite(planted, "UPDATE gaps SET question = question || '?' WHERE workspace_id = $1"))
			b.must(b.rewrite(other, "UPDATE chatbots SET name = 'Another' WHERE workspace_id = $1"))
			second, err := throwAways.Fingerprint(t.Context(), planted)
			b.must(err)
			for table, print := range second {
				if (first[table] != print) != (table == "gaps") {
					t.Errorf("that of %s: changed is %t", table, first[table] != print)
				}
			}
		})
		b.Run("no customer's workspace is taken for one, or erased as one", func(t *testing.T) {
			found, err := throwAways.ThrowAways(t.Context(), everywhere)
			b.must(err)
			if len(found) != 2 || slices.ContainsFunc(found, func(f isolation.Found) bool { return f.ID == customer.id }) {
				t.Errorf("it finds %v", found)
			}
			for _, other := range []string{customer.id, "", "ws_", "ws_isolate", "isolation", id.New(rand.Reader, "ws")} {
				if err := throwAways.EraseThrowAway(t.Context(), other); !fault.Is(err, fault.Invalid) {
					t.Errorf("%q: %v", other, err)
				}
			}
		})
		b.Run("of one that is erased nothing remains, and the others stay as they are", func(t *testing.T) {
			b.must(throwAways.EraseThrowAway(t.Context(), planted))
			if remaining, err := throwAways.RemainingOf(t.Context(), planted); err != nil || len(remaining) > 0 {
				t.Errorf("there remain %v: %v", remaining, err)
			}
			if remaining, err := throwAways.RemainingOf(t.Context(), other); err != nil || len(remaining) < 20 {
				t.Errorf("of the other one there remain %v: %v", remaining, err)
			}
			if b.rows(customer.id) != before {
				t.Error("the customer's rows are others")
			}
		})
		b.Run("one of which only accounts are left is found, and erased", func(t *testing.T) {
			b.must(b.DeleteWorkspace(t.Context(), other))
			found, err := throwAways.ThrowAways(t.Context(), everywhere)
			b.must(err)
			if len(found) != 1 || id.TagOf(found[0].ID) != id.TagOf(other) {
				t.Fatalf("it finds %v", found)
			}
			b.must(throwAways.EraseThrowAway(t.Context(), found[0].ID))
			if found, err := throwAways.ThrowAways(t.Context(), everywhere); err != nil || len(found) > 0 {
				t.Errorf("it finds %v: %v", found, err)
			}
		})
	})
}

// rewrite runs a statement in a workspace.
func (b *bundle) rewrite(workspaceID, statement string) error {
	return b.InTx(scope.Workspace(b.Context(), workspaceID), func(ctx context.Context) error {
		_, err := b.Raw(ctx).ExecContext(ctx, statement, workspaceID)
		return err
	})
}

func TestProbeWall(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		throwAways := isolationstore.NewThrowAways(b.Store)
		one, _ := b.plant()
		other, _ := b.plant()
		probes, err := throwAways.ProbeWall(b.Context(), one, other)
		b.must(err)
		if b.IsSQLite() {
			if len(probes) > 0 {
				b.Errorf("SQLite has a wall: %v", probes)
			}
			return
		}
		b.Run("each table with rows of workspaces is tried, and none is reached", func(t *testing.T) {
			tables := b.tenantTables()
			for _, p := range probes {
				if p.Crossed != "" || p.Rows == 0 && isolationstore.NotPlanted[p.Table] == "" {
					t.Errorf("%s: %+v", p.Table, p)
				}
				delete(tables, p.Table)
			}
			if len(tables) > 0 {
				t.Errorf("it did not try %v", tables)
			}
		})
		for statement, want := range map[string]string{
			"ALTER TABLE gaps DISABLE ROW LEVEL SECURITY":               "gaps: it could read its rows",
			"CREATE POLICY hole ON tokens FOR INSERT WITH CHECK (true)": "tokens: it could add a row to it",
			"CREATE POLICY hole ON providers USING (true)":              "providers: it could read its rows",
			"CREATE POLICY hole ON documents FOR SELECT USING (true)":   "documents: it could read its rows",
			"ALTER TABLE workspaces DISABLE ROW LEVEL SECURITY":         "workspaces: it could read its rows",
		} {
			b.Run("after "+statement, func(t *testing.T) {
				_, err := b.beside().ExecContext(t.Context(), statement)
				b.must(err)
				probes, err := throwAways.ProbeWall(t.Context(), one, other)
				b.must(err)
				var crossed []string
				for _, p := range probes {
					if p.Crossed != "" {
						crossed = append(crossed, p.Table+": "+p.Crossed)
					}
				}
				if all := strings.Join(crossed, "; "); !strings.Contains(all, want) {
					t.Errorf("it finds %q", all)
				}
			})
		}
	})
}
