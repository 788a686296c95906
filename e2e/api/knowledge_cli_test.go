package api

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/e2e/harness"
)

func TestAddCommandWaits(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		pdf := term.File("manual.pdf", harness.Manual())
		term.Run("without --wait a PDF is left to the server", func(t *testing.T) {
			term := term.In(t)
			if added := term.Records("knowledge", "add", bot, pdf); harness.Field(added[0], "state") != "pending" {
				t.Errorf("added %v", added)
			}
			if listed := term.Records("knowledge", "list", bot); harness.Field(listed[0], "state") != "pending" {
				t.Errorf("listed %v", listed)
			}
		})
		term.Run("with --wait the command does the work where no server runs", func(t *testing.T) {
			term := term.In(t)
			added := term.Records("knowledge", "add", bot, pdf, term.File("saddle.docx", harness.DocxOf("Saddles", "Grease it.")), "--wait")
			if !slices.Equal(harness.Values(added, "state"), []string{"ready", "ready"}) || !slices.Equal(harness.Values(added, "kind"), []string{"pdf", "docx"}) {
				t.Errorf("added %v", added)
			}
			if answer := term.Record("ask", bot, "When should I change the tyre?"); !strings.Contains(harness.Field(answer, "message"), "one millimetre") {
				t.Errorf("answered %v", answer)
			}
		})
		term.Run("a file that cannot be read fails the command, which says why", func(t *testing.T) {
			term := term.In(t)
			out, complaint, code := term.Execute("", "knowledge", "add", bot, term.File("scan.pdf", harness.PDFOf("")), "--wait")
			if code != 1 || !strings.Contains(complaint, "1 of 1 documents are not ready") || !strings.Contains(out, "scan") || !strings.Contains(out, "failed") {
				t.Errorf("it ends with %d and says %s%s", code, out, complaint)
			}
		})
		term.Run("a file is read as pairs when the command says so", func(t *testing.T) {
			term := term.In(t)
			added := term.Records("knowledge", "add", bot, term.File("pairs.txt", "question,answer\nDo you rent?,By the day.\n"), "--kind=pairs", "--title=Rent", "--wait")
			if harness.Field(added[0], "state") != "ready" || harness.Field(added[0], "kind") != "pairs" || harness.Field(added[0], "title") != "Rent" {
				t.Errorf("added %v", added)
			}
		})
		term.Run("while a server runs, it does the work and the command waits for it", func(t *testing.T) {
			term := term.In(t)
			args := []string{"--listen=127.0.0.1:0", "--data-dir=" + term.Folder}
			if term.Database != "" {
				args = append(args, "--database-url="+term.Database)
			}
			_, stop := serving(t, args...)
			added := term.Records("knowledge", "add", bot, term.File("lock.pdf", harness.PDFOf("A lock weighs two kilograms.")), "--wait")
			if harness.Field(added[0], "state") != "ready" {
				t.Errorf("added %v", added)
			}
			if code := stop(); code != 0 {
				t.Errorf("the server ended with %d", code)
			}
		})
	})
}

func TestSourceCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		site := harness.NewSite(term.T)
		site.Put("/docs/", "Welcome.", "/docs/prices")
		site.Put("/docs/prices", "A service costs forty euros.")
		made := term.Record("knowledge", "source", "add", bot, site.Address("/docs/"), "--site", "--include=/docs/", "--schedule=weekly", "--depth=1", "--pages=5")
		if harness.Field(made, "kind") != "site" || harness.Field(made, "state") != "syncing" || made["max_pages"] != 5.0 || made["max_depth"] != 1.0 || harness.Field(made, "schedule") != "weekly" {
			term.Errorf("added %v", made)
		}
		id := harness.Field(made, "id")
		w := harness.Start(term.T, site.Allowed, func(c *app.Config) { c.DataDir, c.DatabaseURL = term.Folder, term.Database })
		w.Eventually("the site has been read", func() bool {
			return slices.Equal(harness.Values(term.Records("knowledge", "list", bot), "state"), []string{"ready", "ready"})
		})
		listed := term.Records("knowledge", "source", "list", bot)
		if len(listed) != 1 || harness.Field(listed[0], "id") != id || harness.Field(listed[0], "state") != "ready" || harness.Field(listed[0], "synced_at") == "" {
			term.Errorf("listed %v", listed)
		}
		if shown := term.OK("knowledge", "source", "list", bot); !strings.HasPrefix(shown, "ID") || !strings.Contains(shown, site.Address("/docs/")) {
			term.Errorf("listed\n%s", shown)
		}
		if got := term.Record("knowledge", "source", "sync", bot, id); harness.Field(got, "status") != "syncing" {
			term.Errorf("synced %v", got)
		}
		if got := term.Record("knowledge", "source", "remove", bot, id); harness.Field(got, "status") != "removed" {
			term.Errorf("removed %v", got)
		}
		w.Eventually("all of it has gone", func() bool {
			return len(term.Records("knowledge", "list", bot))+len(term.Records("knowledge", "source", "list", bot)) == 0
		})
		receipts := term.Records("knowledge", "removals", bot)
		if len(receipts) != 2 || harness.Field(receipts[0], "confirmed_at") == "" || !strings.HasPrefix(harness.Field(receipts[0], "url"), site.URL) {
			term.Errorf("the receipts are %v", receipts)
		}
		if shown := term.OK("knowledge", "removals", bot); !strings.HasPrefix(shown, "DOCUMENT") || strings.Count(shown, "\n") != 3 {
			term.Errorf("the receipts are\n%s", shown)
		}
		term.Fails("not found", "knowledge", "source", "sync", bot, id)
		term.Fails("address", "knowledge", "source", "add", bot, "nonsense")
		if _, _, code := term.Execute("", "knowledge", "source", "add", bot, site.Address("/"), "--schedule=hourly"); code != 2 {
			term.Errorf("an unknown schedule ends with %d", code)
		}
	})
}

func TestRetryAndCancelCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		id := harness.Field(term.Records("knowledge", "add", bot, term.File("manual.pdf", harness.Manual()))[0], "id")
		if got := term.Record("knowledge", "cancel", bot, id); harness.Field(got, "status") != "canceled" {
			term.Errorf("canceled %v", got)
		}
		if listed := term.Records("knowledge", "list", bot); harness.Field(listed[0], "state") != "failed" || !strings.Contains(harness.Field(listed[0], "reason"), "Canceled") {
			term.Errorf("listed %v", listed)
		}
		term.Fails("nothing to cancel", "knowledge", "cancel", bot, id)
		term.Fails("Add the file again", "knowledge", "retry", bot, id)
		term.OK("knowledge", "add", bot, term.File("manual.pdf", harness.Manual()), "--wait") // the same one
		if listed := term.Records("knowledge", "list", bot); len(listed) != 1 || harness.Field(listed[0], "id") != id || harness.Field(listed[0], "state") != "ready" {
			term.Errorf("listed %v", listed)
		}
		term.Fails("nothing to retry", "knowledge", "retry", bot, id)
		term.Fails("Document not found", "knowledge", "retry", bot, "doc_nobody")
	})
}

func TestEvaluateCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		term.OK("knowledge", "add", bot, term.File("hours.md", harness.Opening), term.File("cakes.md", "# Cakes\n\nPlum cake is baked on Sundays.\n"))
		questions := "When does the bakery open? => Opening hours\nWhich cake is baked on Sundays? => cakes\n\nIs there coffee?\n"
		report := term.Record("knowledge", "evaluate", bot, term.File("questions.txt", questions))
		near(term, report, 2, "measured")
		near(term, report, 1, "mrr")
		near(term, report, 1, "within", "1")
		if asked, _ := report["questions"].([]any); len(asked) != 3 {
			term.Errorf("it asked %v", report)
		}
		fed := harness.Decoded[map[string]any](term, term.Fed(questions, "knowledge", "evaluate", bot, "-", "--k=1", "--json"))
		first, _ := fed["questions"].([]any)[0].(map[string]any)
		if passages, _ := first["passages"].([]any); len(passages) != 1 || first["rank"] != 1.0 {
			term.Errorf("of the first question there is %v", first)
		}
		shown := term.Fed(questions, "knowledge", "evaluate", bot, "-")
		for _, part := range []string{`"Opening hours" is at place 1`, "1. Cakes", "found among the first 3", "100%", "mean reciprocal rank"} {
			if !strings.Contains(shown, part) {
				term.Errorf("it lacks %q:\n%s", part, shown)
			}
		}
		term.Fails("Question 1: there is no document called", "knowledge", "evaluate", bot, term.File("wrong.txt", "Why? => Nothing of the sort"))
		term.Fails("at least one question", "knowledge", "evaluate", bot, term.File("none.txt", "\n"))
		term.Fails("at most 50", "knowledge", "evaluate", bot, term.File("many.txt", strings.Repeat("Why?\n", 51)))
		term.Fails("k is from 1", "knowledge", "evaluate", bot, term.File("questions.txt", questions), fmt.Sprintf("--k=%d", 21))
	})
}

// near reports whether a number of a report is what it should be.
func near(term *harness.Terminal, report map[string]any, want float64, path ...string) {
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
