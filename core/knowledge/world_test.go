package knowledge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	billingstore "parley/store/billing"
	"parley/text/split"
)

// page is an address of the world.
type page struct {
	text string
	// title, links, places and noIndex are what an extractor finds in it.
	title   string
	links   []string
	places  []split.Place
	notes   []knowledge.Note
	noIndex bool
	// refresh and canonical are other addresses that it names, and asked what its
	// headers ask.
	refresh, canonical string
	asked              knowledge.Fetched
	// etag is sent with it; gone means that it answers 404.
	etag string
	gone bool
	// err fails fetching or extracting it.
	err error
}

// world is what the service reads: pages by address and files by name.
type world struct {
	mu      sync.Mutex
	pages   map[string]page
	files   map[string]page
	sitemap []string
	// discovery fails the reading of sitemaps.
	discovery error
	fetched   []knowledge.Fetch
	extracted []knowledge.File
	// fetching, extracting and discovering run while that is done, once.
	fetching, extracting, discovering func()
}

func newWorld() *world { return &world{pages: map[string]page{}, files: map[string]page{}} }

func (w *world) set(url string, p page) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = p
}

// take returns a hook and forgets it.
func (w *world) take(hook *func()) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := *hook
	*hook = nil
	return taken
}

// Get is fetching an address.
func (w *world) Get(ctx context.Context, request knowledge.Fetch) (knowledge.Fetched, error) {
	call(w.take(&w.fetching))
	if err := ctx.Err(); err != nil {
		return knowledge.Fetched{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fetched = append(w.fetched, request)
	p, known := w.pages[request.URL]
	switch {
	case p.err != nil:
		return knowledge.Fetched{}, p.err
	case !known || p.gone:
		return knowledge.Fetched{URL: request.URL, Gone: true}, nil
	case p.etag != "" && request.ETag == p.etag:
		return knowledge.Fetched{URL: request.URL, NotModified: true}, nil
	}
	return knowledge.Fetched{URL: request.URL, ContentType: "text/html", Body: []byte(p.text), ETag: p.etag, NoIndex: p.asked.NoIndex, NoFollow: p.asked.NoFollow}, nil
}

// Extract takes a file's own bytes as Markdown, unless more is known of it.
func (w *world) Extract(ctx context.Context, file knowledge.File) (knowledge.Extracted, error) {
	call(w.take(&w.extracting))
	if err := ctx.Err(); err != nil {
		return knowledge.Extracted{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.extracted = append(w.extracted, file)
	if p, known := w.pages[file.URL]; known {
		return knowledge.Extracted{Kind: knowledge.HTML, Title: p.title, Markdown: p.text, Places: p.places, Notes: p.notes, Links: p.links, NoIndex: p.noIndex, Refresh: p.refresh, Canonical: p.canonical}, nil
	}
	p := w.files[file.Name]
	return knowledge.Extracted{Kind: knowledge.PDF, Title: p.title, Markdown: string(file.Body), Places: p.places, Notes: p.notes}, p.err
}

// Discover returns the sitemap.
func (w *world) Discover(ctx context.Context, start string, rules knowledge.Rules) ([]string, error) {
	call(w.take(&w.discovering))
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sitemap[:min(len(w.sitemap), rules.MaxPages)]), w.discovery
}

// Admit takes links of the same site that no rule excludes.
func (w *world) Admit(start, link string, rules knowledge.Rules) (string, bool) {
	path, same := strings.CutPrefix(link, strings.TrimSuffix(start, "/"))
	excluded := slices.ContainsFunc(rules.Exclude, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
	return link, same && !excluded
}

// Normalize takes addresses that begin with https.
func (w *world) Normalize(address string) (string, error) {
	if !strings.HasPrefix(address, "https://") {
		return "", fault.New(fault.Invalid, "Enter an address that starts with https://.")
	}
	return address, nil
}

// fetches returns what was fetched since the last call.
func (w *world) fetches() []knowledge.Fetch {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.fetched
	w.fetched = nil
	return all
}

// site adds a source that begins at https://site/.
func (l *library) site(rules knowledge.Rules, schedule knowledge.Schedule) knowledge.Source {
	l.Helper()
	source, err := l.Sources.Add(l.Context(), home, bot, knowledge.NewSource{
		URL: "https://site/", Kind: knowledge.Site, Rules: rules, Schedule: schedule,
	})
	l.must(err)
	return source
}

// pageAt adds a source of one page.
func (l *library) pageAt(url string, schedule knowledge.Schedule) knowledge.Source {
	l.Helper()
	source, err := l.Sources.Add(l.Context(), home, bot, knowledge.NewSource{URL: url, Schedule: schedule})
	l.must(err)
	return source
}

// source looks a source up.
func (l *library) source(id string) knowledge.Source {
	l.Helper()
	all, err := l.Sources.List(l.Context(), home, bot)
	l.must(err)
	for _, s := range all {
		if s.ID == id {
			return s
		}
	}
	l.Fatalf("there is no source %s", id)
	panic("unreachable")
}

// at is the document of an address.
func (l *library) at(url string) knowledge.Document {
	l.Helper()
	for _, d := range l.list() {
		if d.URL == url {
			return d
		}
	}
	l.Fatalf("there is no document of %s", url)
	panic("unreachable")
}

// urls are the addresses of all documents, sorted.
func (l *library) urls() string {
	l.Helper()
	var all []string
	for _, d := range l.list() {
		all = append(all, d.URL)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

const day = 24 * time.Hour

// setPlan puts the workspace on a plan.
func (l *library) setPlan(name plan.Name) {
	l.Helper()
	l.must(billingstore.NewPlanAccess(l.db.Store).SetPlan(l.Context(), home, name, name))
}
