package api

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
	"parley/e2e/harness"
)

// addresses returns the addresses of documents, in order.
func addresses(documents []knowledge.Document) (urls []string) {
	for _, d := range documents {
		urls = append(urls, d.URL)
	}
	slices.Sort(urls)
	return urls
}

func TestSiteIsFetchedFollowedAndKeptCurrent(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		site := harness.NewSite(t)
		site.Put("/docs/", "Welcome to the workshop.", "/docs/prices", "/docs/old/prices", "/about")
		site.Put("/docs/prices", "A service costs forty euros.", "/docs/deep")
		site.Put("/docs/deep", "The cellar is closed on Mondays.", "/docs/deeper")
		site.Put("/docs/deeper", "Nobody comes here.")
		site.Put("/docs/old/prices", "A service costs ten euros.")
		site.Put("/about", "The workshop was founded in 1923.")
		w := start(site.Allowed)
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		page := "/chatbots/" + baker.Chatbot + "/knowledge"
		list := page + "/addresses"
		var source knowledge.Source
		sync := func(t *testing.T) []knowledge.Document {
			v := v.In(t)
			v.GoesTo(v.Post(page+"/sources/"+source.ID+"/sync", nil), list)
			if got := harness.Text(v.Page(v.Get(list))); !strings.Contains(got, "being read again") {
				t.Errorf("the page does not say so: %q", got)
			}
			return v.Settled(baker)
		}

		t.Run("a site that is added on the page is followed as far as its rules say", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.Post(page+"/sources", harness.Pairs{
				"url", site.Address("/docs/"), "reach", "site", "include", "/docs/\n", "exclude", "/docs/old/", "max_depth", "2", "max_pages", "10", "schedule", "daily",
			}), list)
			if got := harness.Text(v.Page(v.Get(list))); !strings.Contains(got, "The address is added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			documents := v.Settled(baker)
			want := []string{site.Address("/docs/"), site.Address("/docs/deep"), site.Address("/docs/prices")}
			if got := addresses(documents); !slices.Equal(got, want) {
				t.Errorf("it has %v, want %v", got, want)
			}
			sources, err := v.Server.Knowledge.Sources.List(t.Context(), baker.Workspace, baker.Chatbot)
			v.Must(err)
			source = sources[0]
			if source.State != knowledge.SourceReady || source.DueAt == nil || source.SyncedAt == nil {
				t.Errorf("the source is %+v", source)
			}
			shown := v.Get(list)
			row := harness.TextOf(v.Page(shown), "data-source-id", source.ID)
			if !strings.Contains(row, site.Address("/docs/")+" The whole site Ready 3 Daily") || !strings.Contains(row, "Read now") {
				t.Errorf("the page shows %q", row)
			}
			for _, act := range []string{"sync", "remove"} {
				if !strings.Contains(shown.Text, `method="post" action="`+page+"/sources/"+source.ID+"/"+act+`"`) {
					t.Errorf("without a script there is no way to %s it", act)
				}
			}
			of := v.Get(page + "?source=" + source.ID).Text
			for _, d := range documents {
				if !strings.Contains(of, `data-document-id="`+d.ID+`"`) {
					t.Errorf("%s is not among the documents of the address", d.URL)
				}
			}
		})
		t.Run("an answer names the address", func(t *testing.T) {
			r := w.Within(t).Asked(baker, "What does a service cost?")
			if first := harness.SourcesOf(r)[0]; first["url"] != site.Address("/docs/prices") || !strings.Contains(harness.Message(r), "forty euros") {
				t.Errorf("answered %s", r.Text)
			}
		})
		t.Run("a page that has not changed is not sent again", func(t *testing.T) {
			before := site.NotModified()
			sync(t)
			if got := site.NotModified() - before; got != 3 {
				t.Errorf("%d pages of 3 were said to be the same", got)
			}
		})
		t.Run("after a change only the new text is in answers", func(t *testing.T) {
			site.Put("/docs/prices", "A service costs fifty euros now.")
			sync(t)
			w := w.Within(t)
			if r := w.Asked(baker, "What does a service cost?"); !strings.Contains(harness.Message(r), "fifty") || strings.Contains(r.Text, "forty") {
				t.Errorf("answered %s", r.Text)
			}
		})
		t.Run("a page that has gone is removed, with a receipt", func(t *testing.T) {
			site.Remove("/docs/deep")
			if got := addresses(sync(t)); len(got) != 2 {
				t.Errorf("it has %v", got)
			}
			w := w.Within(t)
			if w.Answers(baker, "When is the cellar closed?", "Mondays") {
				t.Error("it is answered from still")
			}
			removals, err := w.Server.Knowledge.Removals.List(t.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			if len(removals) != 1 || removals[0].URL != site.Address("/docs/deep") || removals[0].ConfirmedAt == nil {
				t.Errorf("the receipts are %+v", removals)
			}
		})
		t.Run("the same address is not added twice", func(t *testing.T) {
			v := v.In(t)
			r := v.Post(page+"/sources", harness.Pairs{"url", site.Address("/docs/"), "reach", "site"})
			v.Expect(r, 409)
			if got := harness.TextOf(v.Page(r), "id", "url-error"); !strings.Contains(got, "added already") {
				t.Errorf("beside the address stands %q", got)
			}
		})
		t.Run("removing the address removes all its pages at once", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.Post(page+"/sources/"+source.ID+"/remove", nil), list)
			if got := harness.Text(v.Page(v.Get(list))); !strings.Contains(got, "is removed, with all its pages") {
				t.Errorf("the page does not say so: %q", got)
			}
			if v.Answers(baker, "What does a service cost?", "euros") {
				t.Error("it is answered from still")
			}
			v.Eventually("the index has confirmed it", func() bool {
				removals, err := v.Server.Knowledge.Removals.List(t.Context(), baker.Workspace, baker.Chatbot)
				v.Must(err)
				return len(removals) == 3 && !slices.ContainsFunc(removals, func(r knowledge.Removal) bool { return r.ConfirmedAt == nil })
			})
		})
	})
}

func TestPrivateAddressIsRefused(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		site := harness.NewSite(t)
		site.Put("/", "The secret of the intranet.")
		w := start(func(c *app.Config) { // the port alone is allowed
			_, port, _ := strings.Cut(strings.TrimPrefix(site.URL, "http://"), ":")
			number, err := strconv.Atoi(port)
			if err != nil {
				t.Error(err)
			}
			c.FetchPorts, c.FetchDelay = []int{number}, time.Millisecond
		})
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		for _, kind := range []string{"page", "site"} {
			t.Run("a private "+kind+" is not fetched, and the page says why", func(t *testing.T) {
				v := v.In(t)
				v.CheckAnswer(v.Ask("POST", "/api/chatbots/"+baker.Chatbot+"/sources", fmt.Sprintf(`{"url":%q,"kind":%q}`, site.Address("/?"+kind), kind)), 200, 0)
				for _, d := range v.Settled(baker) {
					if d.State != knowledge.Failed || !strings.Contains(d.Reason, "no public site") {
						t.Errorf("the page is %s: %s", d.State, d.Reason)
					}
				}
				if shown := v.Get("/chatbots/" + baker.Chatbot + "/knowledge"); !strings.Contains(shown.Text, "no public site") {
					t.Error("the page does not say why")
				}
				if n := site.Visits(); n != 0 {
					t.Errorf("the site was asked %d times", n)
				}
			})
		}
		for address, says := range map[string]string{"": "address", "ftp://example.com/": "http", "nothing at all": "address", "http://": "host"} {
			t.Run("the address "+address+" is refused beside the input", func(t *testing.T) {
				v := v.In(t)
				r := v.Post("/chatbots/"+baker.Chatbot+"/knowledge/sources", harness.Pairs{"url", address, "reach", "page"})
				v.Expect(r, 422)
				if got := harness.TextOf(v.Page(r), "id", "url-error"); !strings.Contains(got, says) {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		for input, value := range map[string]string{"max_depth": "many", "max_pages": "100000", "include": "docs", "reach": "world", "schedule": "hourly"} {
			t.Run("a wrong "+input+" is refused beside the input", func(t *testing.T) {
				v := v.In(t)
				typed := harness.Pairs{"url", "https://www.example.com/"}
				if input != "reach" {
					typed = append(typed, "reach", "site")
				}
				r := v.Post("/chatbots/"+baker.Chatbot+"/knowledge/sources", append(typed, input, value))
				v.Expect(r, 422)
				if harness.TextOf(v.Page(r), "id", input+"-error") == "" {
					t.Errorf("nothing stands beside it: %s", harness.Text(v.Page(r)))
				}
			})
		}
	})
}

func TestPlanLimitOnACrawl(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		const pages = 12
		site := harness.NewSite(t)
		var links []string
		for n := range pages {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			site.Put(path, strings.Repeat("Bread is baked in the old oven before the sun is up. ", 1200)) // 63,600 characters
		}
		site.Put("/", "All pages.", links...)
		w := start(site.Allowed)
		w.Includes(plan.Basic, func(l *plan.Limits) { l.KnowledgeChars = 400_000 })
		baker := w.NewTenant("baker", plan.Basic)
		_, err := w.Server.Knowledge.Sources.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewSource{
			URL: site.Address("/"), Kind: knowledge.Site, Rules: knowledge.DefaultRules(),
		})
		w.Must(err)
		ready, refused, chars := 0, 0, 0
		for _, d := range w.Settled(baker) {
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
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		const pages = 300
		site := harness.NewSite(t)
		var links []string
		for n := range pages - 1 {
			path := fmt.Sprintf("/page%d", n)
			links = append(links, path)
			site.Put(path, fmt.Sprintf("The number of this page is %d.", n))
		}
		site.Put("/", "All pages.", links...)
		w := start(site.Allowed, func(c *app.Config) {
			c.Workers = 1                        // so that the two must take turns
			c.FetchDelay = 30 * time.Millisecond // 9 s for all pages, where a turn is 5 s
		})
		large, small := w.NewTenant("large", plan.Enterprise), w.NewTenant("small", plan.Standard)
		rules := knowledge.DefaultRules()
		rules.MaxPages = pages
		_, err := w.Server.Knowledge.Sources.Add(t.Context(), large.Workspace, large.Chatbot, knowledge.NewSource{URL: site.Address("/"), Kind: knowledge.Site, Rules: rules})
		w.Must(err)
		w.Eventually("the large workspace's pages are being fetched", func() bool { return site.Visits() > 5 })

		v := w.SignedIn(small.Email, small.Password)
		v.GoesTo(v.SendForm("/chatbots/"+small.Chatbot+"/knowledge/files", harness.WithFile(harness.Fields("none", ""), "files", "saddle.docx", harness.DocxOf("Saddles", "Grease it in spring."))),
			"/chatbots/"+small.Chatbot+"/knowledge")
		if d := v.Settled(small)[0]; d.State != knowledge.Ready {
			t.Fatalf("the small workspace's file is %+v", d)
		}
		fetched := site.Visits()
		t.Logf("the small workspace's file was ready after %d of %d pages", fetched, pages)
		if fetched >= pages {
			t.Errorf("it was ready after all %d pages", pages)
		}
		w.Eventually("the large workspace has its turn again", func() bool { return site.Visits() > fetched+5 })
	})
}

func TestReceiptsNameAnswers(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening, "# Parking\n\nThere are three places behind the house.\n")
		v := w.SignedIn(baker.Email, baker.Password)
		cited := w.Number(w.Asked(baker, "When does the bakery open on holidays?"), "message_id")
		other := w.Number(w.Asked(baker, "Where are parking places behind the house?"), "message_id")
		documents := w.Settled(baker)
		gone := harness.Titled(documents, "Opening hours")
		w.Must(w.Server.Knowledge.Documents.Remove(t.Context(), baker.Workspace, baker.Chatbot, gone.ID))

		t.Run("the receipt names the answer that had the document, and no other", func(t *testing.T) {
			v := v.In(t)
			r := v.Get("/api/chatbots/" + baker.Chatbot + "/removals")
			v.CheckAnswer(r, 200, 0)
			receipts, _ := r.Data["removals"].([]any)
			if len(receipts) != 1 {
				t.Fatalf("got %s", r.Text)
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
			v := v.In(t)
			got := harness.Text(v.Page(v.Get("/chatbots/" + baker.Chatbot + "/knowledge/removed")))
			if !strings.Contains(got, "Opening hours") || !strings.Contains(got, "Messages "+harness.Written(cited)) || strings.Contains(got, "Not yet") {
				t.Errorf("the page shows %q", got)
			}
		})
		t.Run("no answer comes from it any more", func(t *testing.T) {
			if w.Within(t).Answers(baker, "When does the bakery open?", "seven in the morning") {
				t.Error("it is")
			}
		})
	})
}
