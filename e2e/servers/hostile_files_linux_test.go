package servers

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

// TestHostileFilesTakeNoMemoryOfTheServer has files of strangers go the whole way, from the upload
// to the index. What is made of their parts is made in children. It is not parallel, for it
// measures the memory of the process.
func TestHostileFilesTakeNoMemoryOfTheServer(t *testing.T) {
	config := &app.Config{}
	config.DataDir = t.TempDir()
	harness.ShareCache(t, config.DataDir)
	p, err := app.OpenWith(t.Context(), config, slog.New(slog.DiscardHandler), app.Options{Program: harness.Program()})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	ctx := audit.As(t.Context(), audit.Operator)
	_, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: "owner@example.com", Password: "correct horse bakery", Workspace: "Bakery"})
	must(t, err)
	must(t, p.Tenants.Grants.SetPlan(ctx, workspace, plan.Enterprise))
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: "Guide"})
	must(t, err)

	// What is garbage is no matter here.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	const size = 3 << 20
	filled := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	for _, c := range []struct{ what, name, body, reason string }{
		{"a row of millions of fields", "a.csv", filled(","), "more than 1,000 columns"},
		{"a row of millions of tabs", "a.tsv", filled("\t"), "more than 1,000 columns"},
		{"a million rows", "b.csv", filled("a,b\n"), "more than 100,000 rows"},
		{"a million questions", "q.csv", "question,answer\n" + filled("q,a\n"), "more than 100,000 questions"},
		{"a million questions in JSON", "q.jsonl", filled(`{"question":"q","answer":"a"}` + "\n"), "more than 100,000 questions"},
		{"a million headings", "a.md", filled("# a\n"), "more than 100,000 headings"},
		{"a million headings of a page", "a.html", filled("<h1>a</h1>"), "more than"},
		{"a million list items", "b.md", filled("- a\n"), "more than 500,000 paragraphs"},
		{"a million paragraphs", "a.txt", filled("a\n\n"), "more than 500,000 paragraphs"},
		{"a line without an end", "b.txt", filled("a"), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			before, highest := heap(), watchHeap()
			d, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{File: &knowledge.Upload{Name: c.name, Body: []byte(c.body)}})
			must(t, err)
			settling := []knowledge.Document{d}
			must(t, p.Settle(ctx, settling))
			grown := highest() - before
			t.Logf("%s: %d MB more for %d MB", settling[0].Reason, grown>>20, len(c.body)>>20)
			if c.reason == "" != (settling[0].State == knowledge.Ready) || !strings.Contains(settling[0].Reason, c.reason) {
				t.Errorf("it is %s: %q", settling[0].State, settling[0].Reason)
			}
			if limit := int64(16 * size); grown > limit {
				t.Errorf("the server took %d MB more for %d MB", grown>>20, len(c.body)>>20)
			}
		})
	}
	t.Run("tens of thousands of headings that are within the limits", func(t *testing.T) {
		var b strings.Builder
		for i := range 40_000 {
			fmt.Fprintf(&b, "## Heading %d\n\nText %d.\n\n", i, i)
		}
		before, highest := heap(), watchHeap()
		d, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{File: &knowledge.Upload{Name: "c.md", Body: []byte(b.String())}})
		must(t, err)
		settling := []knowledge.Document{d}
		must(t, p.Settle(ctx, settling))
		grown := highest() - before
		t.Logf("%d passages: %d MB more for %d KB", settling[0].Passages, grown>>20, b.Len()>>10)
		if settling[0].State != knowledge.Ready || grown > 64<<20 {
			t.Errorf("it is %s: %q, and took %d MB", settling[0].State, settling[0].Reason, grown>>20)
		}
	})
}

// heap is how much memory the objects of this process take, reachable or not.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// watchHeap watches the heap until the function that it returns is called, which returns the most.
func watchHeap() (highest func() int64) {
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			most = max(most, heap())
			select {
			case <-stop:
				done <- most
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-done
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
