package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/store/storetest"
)

// hasInFiles reports whether a file of the installation's data folder has a text.
func (s *installation) hasInFiles(text string) (found bool) {
	s.Helper()
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if at := bytes.Index(content, []byte(text)); at >= 0 {
			s.Logf("%s has %q at byte %d of %d", filepath.Base(path), text, at, len(content))
			found = true
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// receiptOf is the receipt of a workspace's erasure, of which there is one.
func (s *installation) receiptOf(workspace string) (receipt privacy.Erasure) {
	s.Helper()
	s.inside(func(w *instance) {
		receipts, err := w.server.Privacy.Receipts.Find(w.Context(), privacy.WorkspaceHash(workspace))
		w.must(err)
		if len(receipts) != 1 {
			s.Fatalf("there are %d receipts", len(receipts))
		}
		receipt = receipts[0]
	})
	return receipt
}

// servers returns what a receipt says of servers' indexes.
func servers(receipt privacy.Erasure) (cleared, waiting int) {
	for kind, left := range receipt.Remaining {
		switch {
		case !strings.HasPrefix(kind, "index_of_"):
		case left == 0:
			cleared++
		default:
			waiting++
		}
	}
	return cleared, waiting
}

func TestErasureOnTwoServers(t *testing.T) {
	t.Parallel()
	here := &installation{T: t, dir: t.TempDir(), database: storetest.Postgres(t)}
	there := &installation{T: t, dir: t.TempDir(), database: here.database}
	shareCache(t, here.dir)
	shareCache(t, there.dir)
	tenants := map[string]tenantOf{}
	here.inside(func(w *instance) {
		for _, name := range []string{"first", "second", "third", "staying"} {
			tenants[name] = w.newTenant(name, plan.Standard, opening, "The word of the day is "+name+"canary.")
		}
	})
	one, other := here.serve(), there.serve()
	for name, tn := range tenants {
		for _, p := range []*process{one, other} {
			p.eventually("both servers answer from the documents", func() bool {
				return strings.Contains(p.replyTo(tn, "What is the word of the day?"), name+"canary")
			})
		}
	}
	deleted := func(t *testing.T, name string) (done bool) {
		t.Helper()
		var said struct {
			DoneAt *time.Time `json:"done_at"`
		}
		one.must(json.Unmarshal([]byte(here.parley("workspace", "delete", tenants[name].workspace, "--now", "--yes", "--json")), &said))
		return said.DoneAt != nil
	}
	settle := func(name string, later time.Duration) privacy.Erasure {
		here.inside(func(w *instance) {
			w.later(later, func(p *app.Program) { w.must(p.Privacy.Work(w.Context())) })
		})
		return here.receiptOf(tenants[name].workspace)
	}

	t.Run("a receipt is done once both servers have cleared their indexes", func(t *testing.T) {
		if !there.hasInFiles("firstcanar") {
			t.Fatal("the other server's index does not have the word that this test looks for")
		}
		deleted(t, "first")
		one.eventually("the receipt is done", func() bool { return settle("first", 0).DoneAt != nil })
		receipt := here.receiptOf(tenants["first"].workspace)
		if cleared, waiting := servers(receipt); cleared != 2 || waiting != 0 || receipt.Remaining.Total() != 0 || receipt.Erased[privacy.IndexEntries] != 2 {
			t.Errorf("the receipt is %+v", receipt)
		}
		for _, s := range []*installation{here, there} {
			if s.hasInFiles("firstcanar") {
				t.Errorf("%s still has the word", s.dir)
			}
		}
	})
	t.Run("it names a server that has not, and is done when that has", func(t *testing.T) {
		other.kill()
		if deleted(t, "second") {
			t.Error("the receipt is done, and a server that ran until now has not cleared its index")
		}
		receipt := settle("second", 0)
		if cleared, waiting := servers(receipt); receipt.DoneAt != nil || cleared != 1 || waiting != 1 {
			t.Errorf("the receipt is %+v", receipt)
		}
		other = there.serve()
		other.eventually("the receipt is done", func() bool { return settle("second", 0).DoneAt != nil })
		if there.hasInFiles("secondcanar") {
			t.Error("the other server's files still have the word")
		}
	})
	t.Run("a server that is gone for minutes holds up no receipt, and clears its index when it starts", func(t *testing.T) {
		other.kill()
		deleted(t, "third")
		if receipt := settle("third", 4*time.Minute); receipt.DoneAt == nil || receipt.Remaining.Total() != 0 {
			t.Errorf("the receipt is %+v", receipt)
		}
		if !there.hasInFiles("thirdcanar") {
			t.Fatal("the stopped server's index was cleared by somebody else")
		}
		other = there.serve()
		other.eventually("the index is cleared", func() bool { return !there.hasInFiles("thirdcanar") })
		other.eventually("the receipt says so", func() bool {
			cleared, waiting := servers(here.receiptOf(tenants["third"].workspace))
			return cleared == 2 && waiting == 0
		})
	})
	t.Run("other workspaces answer as before", func(t *testing.T) {
		for _, p := range []*process{one, other} {
			p.eventually("both servers answer", func() bool {
				return strings.Contains(p.replyTo(tenants["staying"], "What is the word of the day?"), "stayingcanary")
			})
		}
	})
}
