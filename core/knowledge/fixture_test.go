package knowledge_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/knowledge/rebuild"
	"parley/core/retrieval"
	"parley/core/system/grant"
	"parley/index/embedded"
	"parley/index/indextest"
	"parley/internal/intx"
)

const (
	home, foreign = "ws_home", "ws_foreign"
	bot, other    = "cb_home", "cb_foreign"
	bread         = "# Bread\n\nThe rye loaf is baked at midnight.\n\n## Rolls\n\nRolls are baked at dawn.\n"
	cakes         = "# Cakes\n\nThe plum cake is baked on Sundays.\n"
)

var (
	homeScope = retrieval.Scope{WorkspaceID: home, ChatbotID: bot}
	errAway   = fault.New(fault.Upstream, "The index is away.")
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// library is the service over a real database and a real index, which can
// fail. What it reads is made up by the test.
type library struct {
	*testing.T
	knowledge.Services
	*rebuild.Rebuilder
	*retrieval.Searcher
	*retrieval.Evaluator
	ports knowledge.Ports
	// passages are what the searcher looks up.
	passages retrieval.Passages
	db       *everything
	index    *watched
	queue    *queue
	world    *world
	clock    *clock
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	folder := t.TempDir()
	db := newDatabase(t, folder)
	index, err := embedded.Open(filepath.Join(folder, "index.db"))
	if err != nil {
		t.Fatal(errors.Join(err, db.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(index.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	l := &library{
		T: t, db: db, passages: db, index: &watched{Index: indextest.RefuseInTx(index)}, queue: &queue{}, world: newWorld(),
		clock: &clock{now: epoch},
	}
	l.ports = knowledge.Ports{Stores: storesOf(db), Index: l.index, Queue: l.queue, Extractor: l.world, Fetcher: l.world, Tokens: words}
	l.open()
	_, err = l.Repair(t.Context()) // as at each start
	l.must(err)
	return l
}

// open makes the service anew on its ports, as a new process does.
func (l *library) open() {
	log := slog.New(slog.DiscardHandler)
	l.Searcher = retrieval.NewSearcher(l.ports.Index, l.passages, l.ports.Embedder, log)
	l.Services = knowledge.New(l.ports, l.clock.Now, rand.Reader, log)
	stored := l.ports.Stores.Documents.(database)
	l.Rebuilder = rebuild.New(rebuild.Ports{
		Documents: stored, Chatbots: stored, Removals: stored, Marks: stored, System: grant.Because("a test"), Index: l.ports.Index, Searcher: l.Searcher,
		Indexer: l.Indexer, Backlog: retrieval.NewBacklog(l.clock.Now), Version: retrieval.IndexVersion(l.ports.Embedder), Log: log,
	}, l.clock.Now)
	l.Evaluator = retrieval.NewEvaluator(l.Searcher, l.Documents)
}

// words stands in for a tokenizer.
func words(text string) int { return len(strings.Fields(text)) }

func (l *library) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *library) wantKind(err error, kind fault.Kind) {
	l.Helper()
	if !fault.Is(err, kind) {
		l.Errorf("the error is %v, want a fault of kind %d", err, kind)
	}
}

func (l *library) add(title, content string) knowledge.Document {
	l.Helper()
	d, err := l.Documents.Add(l.Context(), home, bot, knowledge.NewDocument{Title: title, Content: content})
	l.must(err)
	return d
}

// addFile adds a file whose text is content.
func (l *library) addFile(name, content string) knowledge.Document {
	l.Helper()
	d, err := l.Documents.Add(l.Context(), home, bot, knowledge.NewDocument{File: &knowledge.Upload{Name: name, Body: []byte(content)}})
	l.must(err)
	return d
}

// work does all that is due.
func (l *library) work() {
	l.Helper()
	for more := true; more; {
		var err error
		more, err = l.Worker.WorkOff(l.Context(), home)
		l.must(err)
	}
}

func (l *library) get(id string) knowledge.Document {
	l.Helper()
	d, err := l.Documents.Get(l.Context(), home, bot, id)
	l.must(err)
	return d
}

func (l *library) list() []knowledge.Document {
	l.Helper()
	all, err := l.Documents.List(l.Context(), home, bot)
	l.must(err)
	return all
}

// wantStates fails unless the documents have these states, oldest first.
func (l *library) wantStates(want ...knowledge.State) {
	l.Helper()
	var got []knowledge.State
	for _, d := range l.list() {
		got = append(got, d.State)
	}
	if !slices.Equal(got, want) {
		l.Errorf("the documents are %v, want %v", got, want)
	}
}

func (l *library) wantState(id string, want knowledge.State, reason string) {
	l.Helper()
	if d := l.get(id); d.State != want || !strings.Contains(d.Reason, reason) || (reason == "") != (d.Reason == "") {
		l.Errorf("it is %s, %q; want %s, %q", d.State, d.Reason, want, reason)
	}
}

// found are the texts that answer a question, joined.
func (l *library) found(scope retrieval.Scope, question string) string {
	l.Helper()
	found, err := l.Search(l.Context(), scope, retrieval.Query{Text: question, Limit: 10})
	l.must(err)
	var texts []string
	for _, f := range found {
		texts = append(texts, f.Text)
	}
	return strings.Join(texts, "\n")
}

func (l *library) wantAnswered(question, text string, want bool) {
	l.Helper()
	if got := l.found(homeScope, question); strings.Contains(got, text) != want {
		l.Errorf("%q finds %q; with %q: want %v", question, got, text, want)
	}
}

// wantWhole fails unless a document is ready, and the database and the index
// hold it whole.
func (l *library) wantWhole(id string) {
	l.Helper()
	d := l.get(id)
	stored, err := l.db.Passages(l.Context(), home, id, d.Live)
	l.must(err)
	held, err := l.index.Count(l.Context(), homeScope, id)
	l.must(err)
	if d.State != knowledge.Ready || d.Reason != "" || d.DueAt != nil || d.Live != d.Version || d.Passages == 0 ||
		len(stored) != d.Passages || held != d.Passages || d.Indexed != d.Passages {
		l.Errorf("%d passages are stored and %d in the index of %+v", len(stored), held, d)
	}
}

// wantGone fails if anything is left of a document.
func (l *library) wantGone(id string) {
	l.Helper()
	_, err := l.Documents.Get(l.Context(), home, bot, id)
	l.wantKind(err, fault.NotFound)
	held, err := l.index.Count(l.Context(), homeScope, id)
	if err != nil || held != 0 {
		l.Errorf("the index holds %d of its passages: %v", held, err)
	}
}

// queue remembers who is to be worked for.
type queue struct {
	mu  sync.Mutex
	due map[string]bool
}

func (q *queue) Enqueue(ctx context.Context, workspaceID, _ string) error {
	if !intx.Inside(ctx) {
		return errors.New("work was enqueued outside of a transaction")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.due == nil {
		q.due = map[string]bool{}
	}
	q.due[workspaceID] = true
	return nil
}

// take empties the queue and returns what was in it.
func (q *queue) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []string
	for id := range q.due {
		all = append(all, id)
	}
	q.due = nil
	slices.Sort(all)
	return all
}

// watched is an index that counts what is asked of it, and fails on demand.
type watched struct {
	retrieval.Index
	mu       sync.Mutex
	replaced int
	queries  []retrieval.IndexQuery
	// away fails every change, lie says that a removal is done and isn't.
	away, lie bool
	// before and after run around a Replace or a Fill, once; counted runs after a Count.
	before, after, counted func()
	// filling runs before a rebuild fills, filled after it, once.
	filling, filled func()
}

func (w *watched) Replace(ctx context.Context, scope retrieval.Scope, id string, entries []retrieval.Entry) error {
	w.mu.Lock()
	before, after := w.before, w.after
	w.before, w.after = nil, nil
	w.replaced++
	w.mu.Unlock()
	if w.away {
		return errAway
	}
	call(before)
	err := w.Index.Replace(ctx, scope, id, entries)
	call(after)
	return err
}

func call(hook func()) {
	if hook != nil {
		hook()
	}
}

func (w *watched) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	w.mu.Lock()
	before, after := w.before, w.after
	w.before, w.after = nil, nil
	w.replaced += len(contents)
	w.mu.Unlock()
	if w.away {
		return errAway
	}
	call(before)
	err := w.Index.Fill(ctx, scope, contents)
	call(after)
	return err
}

func (w *watched) Remove(ctx context.Context, scope retrieval.Scope, id string) error {
	switch {
	case w.away:
		return errAway
	case w.lie:
		return nil
	}
	return w.Index.Remove(ctx, scope, id)
}

func (w *watched) Count(ctx context.Context, scope retrieval.Scope, id string) (int, error) {
	n, err := w.Index.Count(ctx, scope, id)
	w.mu.Lock()
	counted := w.counted
	w.counted = nil
	w.mu.Unlock()
	call(counted)
	return n, err
}

func (w *watched) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	w.mu.Lock()
	w.queries = append(w.queries, query)
	w.mu.Unlock()
	return w.Index.Search(ctx, scope, query)
}

func (w *watched) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	return w.Index.Rebuild(ctx, version, func(ctx context.Context, into retrieval.Filler) error {
		filling, filled := w.filling, w.filled
		w.filling, w.filled = nil, nil
		call(filling)
		err := fill(ctx, into)
		call(filled)
		return err
	})
}

// changes returns how many documents were put into the index since the last
// call.
func (w *watched) changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.replaced
	w.replaced = 0
	return n
}

// long is a Markdown text of that many sections with words of its own.
func long(word string, sections int) string {
	var b strings.Builder
	for i := range sections {
		fmt.Fprintf(&b, "## Section %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("%s%d stands here. ", word, i), 150))
	}
	return b.String()
}

// database is all that the services store in.
type database interface {
	knowledge.Transactions
	knowledge.Workspaces
	knowledge.Plans
	knowledge.Chatbots
	knowledge.Sizes
	audit.Log
	knowledge.DocumentStore
	knowledge.UploadStore
	knowledge.OriginalStore
	knowledge.SourceStore
	knowledge.PassageStore
	knowledge.RemovalStore
	knowledge.UndoStore
	knowledge.EmbeddingStore
	rebuild.Documents
	rebuild.Chatbots
	rebuild.Removals
	rebuild.Marks
	knowledge.DueStore
}

func storesOf(db database) knowledge.Stores {
	return knowledge.Stores{
		Transactions: db, Workspaces: db, Plans: db, Chatbots: db, Sizes: db, Audit: db,
		Documents: db, Uploads: db, Originals: db, Sources: db, Passages: db, Removals: db, Undo: db, Embeddings: db, Due: db, System: grant.Because("a test"),
	}
}
