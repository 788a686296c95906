package servers

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/e2e/harness"
	"parley/store/storetest"
)

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
	here := &harness.Installation{T: t, Dir: t.TempDir(), Database: storetest.Postgres(t)}
	there := &harness.Installation{T: t, Dir: t.TempDir(), Database: here.Database}
	harness.ShareCache(t, here.Dir)
	harness.ShareCache(t, there.Dir)
	tenants := map[string]harness.Tenant{}
	here.Inside(func(w *harness.Instance) {
		for _, name := range []string{"first", "second", "third", "staying"} {
			tenants[name] = w.NewTenant(name, plan.Standard, harness.Opening, "The word of the day is "+name+"canary.")
		}
	})
	one, other := here.Serve(), there.Serve()
	for name, tn := range tenants {
		for _, p := range []*harness.Process{one, other} {
			p.Eventually("both servers answer from the documents", func() bool {
				return strings.Contains(p.ReplyTo(tn, "What is the word of the day?"), name+"canary")
			})
		}
	}
	deleted := func(t *testing.T, name string) (done bool) {
		t.Helper()
		var said struct {
			DoneAt *time.Time `json:"done_at"`
		}
		one.Must(json.Unmarshal([]byte(here.Parley("workspace", "delete", tenants[name].Workspace, "--now", "--yes", "--json")), &said))
		return said.DoneAt != nil
	}
	settle := func(name string, later time.Duration) privacy.Erasure {
		here.Inside(func(w *harness.Instance) {
			w.Later(later, func(p *app.Program) { w.Must(p.Privacy.Work(w.Context())) })
		})
		return here.ReceiptOf(tenants[name].Workspace)
	}

	t.Run("a receipt is done once both servers have cleared their indexes", func(t *testing.T) {
		if !there.HasInFiles("firstcanar") {
			t.Fatal("the other server's index does not have the word that this test looks for")
		}
		deleted(t, "first")
		one.Eventually("the receipt is done", func() bool { return settle("first", 0).DoneAt != nil })
		receipt := here.ReceiptOf(tenants["first"].Workspace)
		if cleared, waiting := servers(receipt); cleared != 2 || waiting != 0 || receipt.Remaining.Total() != 0 || receipt.Erased[privacy.IndexEntries] != 2 {
			t.Errorf("the receipt is %+v", receipt)
		}
		for _, s := range []*harness.Installation{here, there} {
			if s.HasInFiles("firstcanar") {
				t.Errorf("%s still has the word", s.Dir)
			}
		}
	})
	t.Run("it names a server that has not, and is done when that has", func(t *testing.T) {
		other.Kill()
		if deleted(t, "second") {
			t.Error("the receipt is done, and a server that ran until now has not cleared its index")
		}
		receipt := settle("second", 0)
		if cleared, waiting := servers(receipt); receipt.DoneAt != nil || cleared != 1 || waiting != 1 {
			t.Errorf("the receipt is %+v", receipt)
		}
		other = there.Serve()
		other.Eventually("the receipt is done", func() bool { return settle("second", 0).DoneAt != nil })
		if there.HasInFiles("secondcanar") {
			t.Error("the other server's files still have the word")
		}
	})
	t.Run("a server that is gone for minutes holds up no receipt, and clears its index when it starts", func(t *testing.T) {
		other.Kill()
		deleted(t, "third")
		if receipt := settle("third", 4*time.Minute); receipt.DoneAt == nil || receipt.Remaining.Total() != 0 {
			t.Errorf("the receipt is %+v", receipt)
		}
		if !there.HasInFiles("thirdcanar") {
			t.Fatal("the stopped server's index was cleared by somebody else")
		}
		other = there.Serve()
		other.Eventually("the index is cleared", func() bool { return !there.HasInFiles("thirdcanar") })
		other.Eventually("the receipt says so", func() bool {
			cleared, waiting := servers(here.ReceiptOf(tenants["third"].Workspace))
			return cleared == 2 && waiting == 0
		})
	})
	t.Run("other workspaces answer as before", func(t *testing.T) {
		for _, p := range []*harness.Process{one, other} {
			p.Eventually("both servers answer", func() bool {
				return strings.Contains(p.ReplyTo(tenants["staying"], "What is the word of the day?"), "stayingcanary")
			})
		}
	})
}
