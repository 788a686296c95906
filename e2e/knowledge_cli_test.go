package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/app"
)

func TestAddCommandWaits(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		pdf := term.file("manual.pdf", manual())
		term.Run("without --wait a PDF is left to the server", func(t *testing.T) {
			term := term.in(t)
			if added := term.records("knowledge", "add", bot, pdf); field(added[0], "state") != "pending" {
				t.Errorf("added %v", added)
			}
			if listed := term.records("knowledge", "list", bot); field(listed[0], "state") != "pending" {
				t.Errorf("listed %v", listed)
			}
		})
		term.Run("with --wait the command does the work where no server runs", func(t *testing.T) {
			term := term.in(t)
			added := term.records("knowledge", "add", bot, pdf, term.file("saddle.docx", docxOf("Saddles", "Grease it.")), "--wait")
			if !slices.Equal(values(added, "state"), []string{"ready", "ready"}) || !slices.Equal(values(added, "kind"), []string{"pdf", "docx"}) {
				t.Errorf("added %v", added)
			}
			if answer := term.record("ask", bot, "When should I change the tyre?"); !strings.Contains(field(answer, "message"), "one millimetre") {
				t.Errorf("answered %v", answer)
			}
		})
		term.Run("a file that cannot be read fails the command, which says why", func(t *testing.T) {
			term := term.in(t)
			out, complaint, code := term.run("", "knowledge", "add", bot, term.file("scan.pdf", pdfOf("")), "--wait")
			if code != 1 || !strings.Contains(complaint, "1 of 1 documents are not ready") || !strings.Contains(out, "scan") || !strings.Contains(out, "failed") {
				t.Errorf("it ends with %d and says %s%s", code, out, complaint)
			}
		})
		term.Run("a file is read as pairs when the command says so", func(t *testing.T) {
			term := term.in(t)
			added := term.records("knowledge", "add", bot, term.file("pairs.txt", "question,answer\nDo you rent?,By the day.\n"), "--kind=pairs", "--title=Rent", "--wait")
			if field(added[0], "state") != "ready" || field(added[0], "kind") != "pairs" || field(added[0], "title") != "Rent" {
				t.Errorf("added %v", added)
			}
		})
		term.Run("while a server runs, it does the work and the command waits for it", func(t *testing.T) {
			term := term.in(t)
			args := []string{"--listen=127.0.0.1:0", "--data-dir=" + term.folder}
			if term.database != "" {
				args = append(args, "--database-url="+term.database)
			}
			_, stop := serving(t, args...)
			added := term.records("knowledge", "add", bot, term.file("lock.pdf", pdfOf("A lock weighs two kilograms.")), "--wait")
			if field(added[0], "state") != "ready" {
				t.Errorf("added %v", added)
			}
			if code := stop(); code != 0 {
				t.Errorf("the server ended with %d", code)
			}
		})
	})
}

// in is the same terminal in the sub-test that t belongs to.
func (term *terminal) in(t *testing.T) *terminal {
	return &terminal{T: t, folder: term.folder, database: term.database}
}

func TestSourceCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		site := newSite(term.T)
		site.put("/docs/", "Welcome.", "/docs/prices")
		site.put("/docs/prices", "A service costs forty euros.")
		made := term.record("knowledge", "source", "add", bot, site.url("/docs/"), "--site", "--include=/docs/", "--schedule=weekly", "--depth=1", "--pages=5")
		if field(made, "kind") != "site" || field(made, "state") != "syncing" || made["max_pages"] != 5.0 || made["max_depth"] != 1.0 || field(made, "schedule") != "weekly" {
			term.Errorf("added %v", made)
		}
		id := field(made, "id")
		w := start(term.T, site.allowed, func(c *app.Config) { c.DataDir, c.DatabaseURL = term.folder, term.database })
		w.eventually("the site has been read", func() bool {
			return slices.Equal(values(term.records("knowledge", "list", bot), "state"), []string{"ready", "ready"})
		})
		listed := term.records("knowledge", "source", "list", bot)
		if len(listed) != 1 || field(listed[0], "id") != id || field(listed[0], "state") != "ready" || field(listed[0], "synced_at") == "" {
			term.Errorf("listed %v", listed)
		}
		if shown := term.ok("knowledge", "source", "list", bot); !strings.HasPrefix(shown, "ID") || !strings.Contains(shown, site.url("/docs/")) {
			term.Errorf("listed\n%s", shown)
		}
		if got := term.record("knowledge", "source", "sync", bot, id); field(got, "status") != "syncing" {
			term.Errorf("synced %v", got)
		}
		if got := term.record("knowledge", "source", "remove", bot, id); field(got, "status") != "removed" {
			term.Errorf("removed %v", got)
		}
		w.eventually("all of it has gone", func() bool {
			return len(term.records("knowledge", "list", bot))+len(term.records("knowledge", "source", "list", bot)) == 0
		})
		receipts := term.records("knowledge", "removals", bot)
		if len(receipts) != 2 || field(receipts[0], "confirmed_at") == "" || !strings.HasPrefix(field(receipts[0], "url"), site.URL) {
			term.Errorf("the receipts are %v", receipts)
		}
		if shown := term.ok("knowledge", "removals", bot); !strings.HasPrefix(shown, "DOCUMENT") || strings.Count(shown, "\n") != 3 {
			term.Errorf("the receipts are\n%s", shown)
		}
		term.fails("not found", "knowledge", "source", "sync", bot, id)
		term.fails("address", "knowledge", "source", "add", bot, "nonsense")
		if _, _, code := term.run("", "knowledge", "source", "add", bot, site.url("/"), "--schedule=hourly"); code != 2 {
			term.Errorf("an unknown schedule ends with %d", code)
		}
	})
}

func TestRetryAndCancelCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		id := field(term.records("knowledge", "add", bot, term.file("manual.pdf", manual()))[0], "id")
		if got := term.record("knowledge", "cancel", bot, id); field(got, "status") != "canceled" {
			term.Errorf("canceled %v", got)
		}
		if listed := term.records("knowledge", "list", bot); field(listed[0], "state") != "failed" || !strings.Contains(field(listed[0], "reason"), "Canceled") {
			term.Errorf("listed %v", listed)
		}
		term.fails("nothing to cancel", "knowledge", "cancel", bot, id)
		term.fails("Add the file again", "knowledge", "retry", bot, id)
		term.ok("knowledge", "add", bot, term.file("manual.pdf", manual()), "--wait") // the same one
		if listed := term.records("knowledge", "list", bot); len(listed) != 1 || field(listed[0], "id") != id || field(listed[0], "state") != "ready" {
			term.Errorf("listed %v", listed)
		}
		term.fails("nothing to retry", "knowledge", "retry", bot, id)
		term.fails("Document not found", "knowledge", "retry", bot, "doc_nobody")
	})
}

func TestEvaluateCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		term.ok("knowledge", "add", bot, term.file("hours.md", opening), term.file("cakes.md", "# Cakes\n\nPlum cake is baked on Sundays.\n"))
		questions := "When does the bakery open? => Opening hours\nWhich cake is baked on Sundays? => cakes\n\nIs there coffee?\n"
		report := term.record("knowledge", "evaluate", bot, term.file("questions.txt", questions))
		term.near(report, 2, "measured")
		term.near(report, 1, "mrr")
		term.near(report, 1, "within", "1")
		if asked, _ := report["questions"].([]any); len(asked) != 3 {
			term.Errorf("it asked %v", report)
		}
		fed := decoded[map[string]any](term, term.fed(questions, "knowledge", "evaluate", bot, "-", "--k=1", "--json"))
		first, _ := fed["questions"].([]any)[0].(map[string]any)
		if passages, _ := first["passages"].([]any); len(passages) != 1 || first["rank"] != 1.0 {
			term.Errorf("of the first question there is %v", first)
		}
		shown := term.fed(questions, "knowledge", "evaluate", bot, "-")
		for _, part := range []string{`"Opening hours" is at place 1`, "1. Cakes", "found among the first 3", "100%", "mean reciprocal rank"} {
			if !strings.Contains(shown, part) {
				term.Errorf("it lacks %q:\n%s", part, shown)
			}
		}
		term.fails("Question 1: there is no document called", "knowledge", "evaluate", bot, term.file("wrong.txt", "Why? => Nothing of the sort"))
		term.fails("at least one question", "knowledge", "evaluate", bot, term.file("none.txt", "\n"))
		term.fails("at most 50", "knowledge", "evaluate", bot, term.file("many.txt", strings.Repeat("Why?\n", 51)))
		term.fails("k is from 1", "knowledge", "evaluate", bot, term.file("questions.txt", questions), fmt.Sprintf("--k=%d", 21))
	})
}

// near reports whether a number of a report is what it should be.
func (term *terminal) near(report map[string]any, want float64, path ...string) {
	term.Helper()
	var value any = report
	for _, name := range path {
		record, _ := value.(map[string]any)
		value = record[name]
	}
	if got, ok := value.(float64); !ok || math.Abs(got-want) > 1e-9 {
		term.Errorf("%v is %v, want %v", path, value, want)
	}
}
