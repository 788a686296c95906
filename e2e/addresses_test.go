package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
)

// addresses are those of documents, in order.
func addresses(documents []knowledge.Document) (urls []string) {
	for _, d := range documents {
		urls = append(urls, d.URL)
	}
	slices.Sort(urls)
	return urls
}

// answers reports whether an answer to a question quotes a text.
func (w *instance) answers(tn tenantOf, question, text string) bool {
	w.Helper()
	return strings.Contains(message(w.asked(tn, question)), text)
}

func TestSiteIsFetchedFollowedAndKeptCurrent(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		site := newSite(t)
		site.put("/docs/", "Welcome to the workshop.", "/docs/prices", "/docs/old/prices", "/about")
		site.put("/docs/prices", "A service costs forty euros.", "/docs/deep")
		site.put("/docs/deep", "The cellar is closed on Mondays.", "/docs/deeper")
		site.put("/docs/deeper", "Nobody comes here.")
		site.put("/docs/old/prices", "A service costs ten euros.")
		site.put("/about", "The workshop was founded in 1923.")
		w := start(site.allowed)
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		page := "/chatbots/" + baker.chatbot + "/knowledge"
		list := page + "/addresses"
		var source knowledge.Source
		sync := func(t *testing.T) []knowledge.Document {
			v := v.in(t)
			v.goesTo(v.post(page+"/sources/"+source.ID+"/sync", nil), list)
			if got := text(v.page(v.get(list))); !strings.Contains(got, "being read again") {
				t.Errorf("the page does not say so: %q", got)
			}
			return v.settled(baker)
		}

		t.Run("a site that is added on the page is followed as far as its rules say", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.post(page+"/sources", pairs{
				"url", site.url("/docs/"), "reach", "site", "include", "/docs/\n", "exclude", "/docs/old/", "max_depth", "2", "max_pages", "10", "schedule", "daily",
			}), list)
			if got := text(v.page(v.get(list))); !strings.Contains(got, "The address is added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			documents := v.settled(baker)
			want := []string{site.url("/docs/"), site.url("/docs/deep"), site.url("/docs/prices")}
			if got := addresses(documents); !slices.Equal(got, want) {
				t.Errorf("it has %v, want %v", got, want)
			}
			sources, err := v.server.Knowledge.Sources.List(t.Context(), baker.workspace, baker.chatbot)
			v.must(err)
			source = sources[0]
			if source.State != knowledge.SourceReady || source.DueAt == nil || source.SyncedAt == nil {
				t.Errorf("the source is %+v", source)
			}
			shown := v.get(list)
			row := textOf(v.page(shown), "data-source-id", source.ID)
			if !strings.Contains(row, site.url("/docs/")+" The whole site Ready 3 Daily") || !strings.Contains(row, "Read now") {
				t.Errorf("the page shows %q", row)
			}
			for _, act := range []string{"sync", "remove"} {
				if !strings.Contains(shown.body, `method="post" action="`+page+"/sources/"+source.ID+"/"+act+`"`) {
					t.Errorf("without a script there is no way to %s it", act)
				}
			}
			of := v.get(page + "?source=" + source.ID).body
			for _, d := range documents {
				if !strings.Contains(of, `data-document-id="`+d.ID+`"`) {
					t.Errorf("%s is not among the documents of the address", d.URL)
				}
			}
		})
		t.Run("an answer names the address", func(t *testing.T) {
			r := w.within(t).asked(baker, "What does a service cost?")
			if first := sourcesOf(r)[0]; first["url"] != site.url("/docs/prices") || !strings.Contains(message(r), "forty euros") {
				t.Errorf("answered %s", r.body)
			}
		})
		t.Run("a page that has not changed is not sent again", func(t *testing.T) {
			before := site.notModified()
			sync(t)
			if got := site.notModified() - before; got != 3 {
				t.Errorf("%d pages of 3 were said to be the same", got)
			}
		})
		t.Run("after a change only the new text is in answers", func(t *testing.T) {
			site.put("/docs/prices", "A service costs fifty euros now.")
			sync(t)
			w := w.within(t)
			if r := w.asked(baker, "What does a service cost?"); !strings.Contains(message(r), "fifty") || strings.Contains(r.body, "forty") {
				t.Errorf("answered %s", r.body)
			}
		})
		t.Run("a page that has gone is removed, with a receipt", func(t *testing.T) {
			site.remove("/docs/deep")
			if got := addresses(sync(t)); len(got) != 2 {
				t.Errorf("it has %v", got)
			}
			w := w.within(t)
			if w.answers(baker, "When is the cellar closed?", "Mondays") {
				t.Error("it is answered from still")
			}
			removals, err := w.server.Knowledge.Removals.List(t.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			if len(removals) != 1 || removals[0].URL != site.url("/docs/deep") || removals[0].ConfirmedAt == nil {
				t.Errorf("the receipts are %+v", removals)
			}
		})
		t.Run("the same address is not added twice", func(t *testing.T) {
			v := v.in(t)
			r := v.post(page+"/sources", pairs{"url", site.url("/docs/"), "reach", "site"})
			v.expect(r, 409)
			if got := textOf(v.page(r), "id", "url-error"); !strings.Contains(got, "added already") {
				t.Errorf("beside the address stands %q", got)
			}
		})
		t.Run("removing the address removes all its pages at once", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.post(page+"/sources/"+source.ID+"/remove", nil), list)
			if got := text(v.page(v.get(list))); !strings.Contains(got, "is removed, with all its pages") {
				t.Errorf("the page does not say so: %q", got)
			}
			if v.answers(baker, "What does a service cost?", "euros") {
				t.Error("it is answered from still")
			}
			v.eventually("the index has confirmed it", func() bool {
				removals, err := v.server.Knowledge.Removals.List(t.Context(), baker.workspace, baker.chatbot)
				v.must(err)
				return len(removals) == 3 && !slices.ContainsFunc(removals, func(r knowledge.Removal) bool { return r.ConfirmedAt == nil })
			})
		})
	})
}

func TestPrivateAddressIsRefused(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		site := newSite(t)
		site.put("/", "The secret of the intranet.")
		w := start(func(c *app.Config) { // the port alone is allowed
			_, port, _ := strings.Cut(strings.TrimPrefix(site.URL, "http://"), ":")
			number, err := strconv.Atoi(port)
			if err != nil {
				t.Error(err)
			}
			c.FetchPorts, c.FetchDelay = []int{number}, time.Millisecond
		})
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		for _, kind := range []string{"page", "site"} {
			t.Run("a private "+kind+" is not fetched, and the page says why", func(t *testing.T) {
				v := v.in(t)
				v.checkAnswer(v.ask("POST", "/api/chatbots/"+baker.chatbot+"/sources", fmt.Sprintf(`{"url":%q,"kind":%q}`, site.url("/?"+kind), kind)), 200, 0)
				for _, d := range v.settled(baker) {
					if d.State != knowledge.Failed || !strings.Contains(d.Reason, "no public site") {
						t.Errorf("the page is %s: %s", d.State, d.Reason)
					}
				}
				if shown := v.get("/chatbots/" + baker.chatbot + "/knowledge"); !strings.Contains(shown.body, "no public site") {
					t.Error("the page does not say why")
				}
				if n := site.visits(); n != 0 {
					t.Errorf("the site was asked %d times", n)
				}
			})
		}
		for address, says := range map[string]string{"": "address", "ftp://example.com/": "http", "nothing at all": "address", "http://": "host"} {
			t.Run("the address "+address+" is refused beside the input", func(t *testing.T) {
				v := v.in(t)
				r := v.post("/chatbots/"+baker.chatbot+"/knowledge/sources", pairs{"url", address, "reach", "page"})
				v.expect(r, 422)
				if got := textOf(v.page(r), "id", "url-error"); !strings.Contains(got, says) {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		for input, value := range map[string]string{"max_depth": "many", "max_pages": "100000", "include": "docs", "reach": "world", "schedule": "hourly"} {
			t.Run("a wrong "+input+" is refused beside the input", func(t *testing.T) {
				v := v.in(t)
				typed := pairs{"url", "https://www.example.com/"}
				if input != "reach" {
					typed = append(typed, "reach", "site")
				}
				r := v.post("/chatbots/"+baker.chatbot+"/knowledge/sources", append(typed, input, value))
				v.expect(r, 422)
				if textOf(v.page(r), "id", input+"-error") == "" {
					t.Errorf("nothing stands beside it: %s", text(v.page(r)))
				}
			})
		}
	})
}

func TestPlanLimitOnACrawl(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		const pages = 12
		site := newSite(t)
		var links []string
		for n := range pages {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			site.put(path, strings.Repeat("Bread is baked in the old oven before the sun is up. ", 1200)) // 63,600 characters
		}
		site.put("/", "All pages.", links...)
		w := start(site.allowed)
		w.includes(plan.Basic, func(l *plan.Limits) { l.KnowledgeChars = 400_000 })
		baker := w.newTenant("baker", plan.Basic)
		_, err := w.server.Knowledge.Sources.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewSource{
			URL: site.url("/"), Kind: knowledge.Site, Rules: knowledge.DefaultRules(),
		})
		w.must(err)
		ready, refused, chars := 0, 0, 0
		for _, d := range w.settled(baker) {
			chars += d.Chars
			switch {
			case d.State == knowledge.Ready:
				ready++
			case strings.Contains(d.Reason, "upgrade the plan"):
				refused++
			default:
				t.Errorf("%s is %s: %s", d.URL, d.State, d.Reason)
			}
		}
		if chars > 400_000 || ready < 2 || refused == 0 || ready+refused != pages+1 {
			t.Errorf("%d pages are ready and %d refused, with %d characters", ready, refused, chars)
		}
	})
}

func TestFairness(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		const pages = 300
		site := newSite(t)
		var links []string
		for n := range pages - 1 {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			site.put(path, fmt.Sprintf("The number of this page is %d.", n))
		}
		site.put("/", "All pages.", links...)
		w := start(site.allowed, func(c *app.Config) {
			c.Workers = 1                        // so that the two must take turns
			c.FetchDelay = 30 * time.Millisecond // 9 s for all pages, where a turn is 5 s
		})
		large, small := w.newTenant("large", plan.Enterprise), w.newTenant("small", plan.Standard)
		rules := knowledge.DefaultRules()
		rules.MaxPages = pages
		_, err := w.server.Knowledge.Sources.Add(t.Context(), large.workspace, large.chatbot, knowledge.NewSource{URL: site.url("/"), Kind: knowledge.Site, Rules: rules})
		w.must(err)
		w.eventually("the large workspace's pages are being fetched", func() bool { return site.visits() > 5 })

		v := w.signedIn(small.email, small.password)
		v.goesTo(v.sendForm("/chatbots/"+small.chatbot+"/knowledge/files", withFile(fields("none", ""), "files", "saddle.docx", docxOf("Saddles", "Grease it in spring."))),
			"/chatbots/"+small.chatbot+"/knowledge")
		if d := v.settled(small)[0]; d.State != knowledge.Ready {
			t.Fatalf("the small workspace's file is %+v", d)
		}
		fetched := site.visits()
		t.Logf("the small workspace's file was ready after %d of %d pages", fetched, pages)
		if fetched >= pages {
			t.Errorf("it was ready after all %d pages", pages)
		}
		w.eventually("the large workspace has its turn again", func() bool { return site.visits() > fetched+5 })
	})
}

func TestReceiptsNameAnswers(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening, "# Parking\n\nThere are three places behind the house.\n")
		v := w.signedIn(baker.email, baker.password)
		cited := w.number(w.asked(baker, "When does the bakery open on holidays?"), "message_id")
		other := w.number(w.asked(baker, "Where are parking places behind the house?"), "message_id")
		documents := w.settled(baker)
		gone := titled(documents, "Opening hours")
		w.must(w.server.Knowledge.Documents.Remove(t.Context(), baker.workspace, baker.chatbot, gone.ID))

		t.Run("the receipt names the answer that had the document, and no other", func(t *testing.T) {
			v := v.in(t)
			r := v.get("/api/chatbots/" + baker.chatbot + "/removals")
			v.checkAnswer(r, 200, 0)
			receipts, _ := r.Data["removals"].([]any)
			if len(receipts) != 1 {
				t.Fatalf("got %s", r.body)
			}
			receipt, _ := receipts[0].(map[string]any)
			if receipt["document_id"] != gone.ID || receipt["confirmed_at"] == nil || receipt["passages"] != float64(gone.Passages) {
				t.Errorf("the receipt is %v", receipt)
			}
			ids, _ := receipt["message_ids"].([]any)
			if !slices.Contains(ids, any(float64(cited))) || receipt["answers"] != float64(len(ids)) {
				t.Errorf("the receipt names %v of %v answers, of which %d cited it and %d did not", ids, receipt["answers"], cited, other)
			}
		})
		t.Run("so has the page", func(t *testing.T) {
			v := v.in(t)
			got := text(v.page(v.get("/chatbots/" + baker.chatbot + "/knowledge/removed")))
			if !strings.Contains(got, "Opening hours") || !strings.Contains(got, "Messages "+written(cited)) || strings.Contains(got, "Not yet") {
				t.Errorf("the page shows %q", got)
			}
		})
		t.Run("no answer comes from it any more", func(t *testing.T) {
			if w.within(t).answers(baker, "When does the bakery open?", "seven in the morning") {
				t.Error("it is")
			}
		})
	})
}
