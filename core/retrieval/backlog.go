package retrieval

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley/core/fault"
)

// notReadyFor is how long callers wait before they ask again.
const notReadyFor = 5 * time.Second

// doubtEvery is how often a chatbot for which nothing is found is compared again.
const doubtEvery = 5 * time.Second

// An index that does not answer is asked again after a while, and not by each question.
const (
	compareWithin = 3 * time.Second
	compareAgain  = time.Second
)

const notReady = "The server has not yet read all of this chatbot's documents. Try again in a few seconds."

// Backlog says of which chatbots this process's index lacks documents that are ready. They
// are asked nothing meanwhile: who is told that nothing was found would believe it. Before
// the first [Backlog.Set], each chatbot is compared when it is asked. It is safe for
// concurrent use.
type Backlog struct {
	// clear is set while the index is known to lack nothing.
	clear atomic.Bool
	// missing counts the documents of a chatbot that the index lacks.
	missing func(ctx context.Context, scope Scope) (int, error)
	now     func() time.Time
	// doubts says that the index may lose documents by itself.
	doubts atomic.Bool

	// found is signaled when a chatbot is found to lack documents. It has room for one.
	found chan struct{}
	// comparing lets one chatbot at a time be compared.
	comparing sync.Mutex

	mu    sync.Mutex
	known bool
	// expected says that the process will compare all chatbots.
	expected bool
	// whole has the chatbots that lack nothing, before all are known.
	whole  map[Scope]bool
	behind map[Scope]int
	// wanted are chatbots that were asked in vain, the last one at the end.
	wanted []Scope
	// doubted is when chatbots were compared again.
	doubted map[Scope]time.Time
	// failed is when a chatbot could not be compared.
	failed time.Time
	total  int
	since  time.Time
}

// NewBacklog returns a backlog of which nothing is known yet.
func NewBacklog(now func() time.Time) *Backlog {
	return &Backlog{now: now, since: now(), found: make(chan struct{}, 1), whole: map[Scope]bool{}, behind: map[Scope]int{}, doubted: map[Scope]time.Time{}}
}

// CompareWith has the backlog count what the index lacks of a chatbot. Doubts says that the
// index may lose documents by itself. It is called before the first question.
func (b *Backlog) CompareWith(missing func(ctx context.Context, scope Scope) (int, error), doubts bool) {
	b.missing = missing
	b.doubts.Store(doubts)
}

// Check fails if the index lacks documents of a chatbot, with an Unavailable fault named
// [fault.IndexNotReady].
func (b *Backlog) Check(ctx context.Context, scope Scope) error {
	if b == nil || b.clear.Load() {
		return nil
	}
	if known, err := b.look(scope); known || b.missing == nil {
		return err
	}
	b.comparing.Lock()
	defer b.comparing.Unlock()
	if known, err := b.look(scope); known {
		return err
	}
	return b.compare(ctx, scope)
}

// Doubt compares a chatbot for which nothing was found, if the index may have lost it. It
// fails as [Backlog.Check] does.
func (b *Backlog) Doubt(ctx context.Context, scope Scope) error {
	if b == nil || !b.doubts.Load() || b.missing == nil || !b.mayDoubt(scope) {
		return nil
	}
	return b.compare(ctx, scope)
}

// mayDoubt reports whether a chatbot has not been compared again lately.
func (b *Backlog) mayDoubt(scope Scope) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if now.Sub(b.doubted[scope]) < doubtEvery {
		return false
	}
	if len(b.doubted) > 10_000 {
		clear(b.doubted)
	}
	b.doubted[scope] = now
	return true
}

// look says what is known of a chatbot.
func (b *Backlog) look(scope Scope) (known bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.behind[scope] > 0 {
		b.want(scope)
		return true, errNotReady(nil)
	}
	return b.known || b.whole[scope], nil
}

// compare asks what the index lacks of a chatbot, and notes it.
func (b *Backlog) compare(ctx context.Context, scope Scope) error {
	if b.failedLately() {
		return errNotReady(nil)
	}
	limited, cancel := context.WithTimeout(ctx, compareWithin)
	defer cancel()
	n, err := b.missing(limited, scope)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			b.failed = b.now()
		}
		return errNotReady(err)
	}
	if n == 0 {
		if !b.known {
			b.whole[scope] = true
		}
		return nil
	}
	b.put(scope, n)
	b.want(scope)
	select {
	case b.found <- struct{}{}:
	default:
	}
	return errNotReady(nil)
}

// Found is signaled when a question found that a chatbot lacks documents.
func (b *Backlog) Found() <-chan struct{} { return b.found }

// failedLately reports whether the index could not be compared a moment ago.
func (b *Backlog) failedLately() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now().Sub(b.failed) < compareAgain
}

// want notes that a chatbot was asked in vain.
func (b *Backlog) want(scope Scope) {
	if n := len(b.wanted); n == 0 || b.wanted[n-1] != scope {
		b.wanted = append(b.wanted[max(0, n-1_000):], scope)
	}
}

// put notes that the index lacks so many documents of a chatbot.
func (b *Backlog) put(scope Scope, n int) {
	if len(b.behind) == 0 && b.known {
		b.since = b.now()
	}
	b.behind[scope] = n
	b.clear.Store(false)
}

// Set says what the index lacks, of all documents that there are. A chatbot that is not in
// it lacks nothing.
func (b *Backlog) Set(total int, behind map[Scope]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for scope, n := range behind {
		if n == 0 {
			delete(behind, scope)
		}
	}
	if b.known && len(b.behind) == 0 {
		b.since = b.now()
	}
	b.known, b.total, b.behind, b.whole = true, total, behind, nil
	b.clear.Store(len(behind) == 0)
	if len(behind) == 0 {
		b.wanted = nil
	}
}

// Follow says that the index has what was ready when its process started. What others add from
// now on comes within a moment, and is no reason to refuse questions.
func (b *Backlog) Follow() {
	if !b.clear.Load() {
		b.Set(b.Lag().Total, map[Scope]int{})
	}
}

// Put says that the index lacks so many documents of a chatbot, or none any more.
func (b *Backlog) Put(scope Scope, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		b.put(scope, n)
		return
	}
	delete(b.behind, scope)
	if b.known && len(b.behind) == 0 {
		b.clear.Store(true)
		b.wanted = nil
	}
}

// Filled says that so many documents of a chatbot came into the index. It stays behind until
// [Backlog.Put] says that nothing is missing.
func (b *Backlog) Filled(scope Scope, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.behind[scope] > 0 {
		b.behind[scope] = max(1, b.behind[scope]-n)
	}
}

// Wanted returns the chatbot that was asked in vain last and still lacks documents.
func (b *Backlog) Wanted() (scope Scope, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := len(b.wanted); n > 0; n = len(b.wanted) {
		scope, b.wanted = b.wanted[n-1], b.wanted[:n-1]
		if b.behind[scope] > 0 {
			return scope, true
		}
	}
	return Scope{}, false
}

// Expect says that this process is about to compare all chatbots.
func (b *Backlog) Expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = true
}

// Lag is how far the index is behind the database.
type Lag struct {
	// Behind of Total documents are not in the index.
	Behind, Total int
	// Since is when that began. It is zero while nothing is behind.
	Since time.Time
	// Known is false while the process has yet to compare the index with the database.
	Known bool
}

// Lag returns how far the index is behind.
func (b *Backlog) Lag() Lag {
	b.mu.Lock()
	defer b.mu.Unlock()
	lag := Lag{Total: b.total, Since: b.since, Known: b.known || !b.expected}
	for _, n := range b.behind {
		lag.Behind += n
	}
	lag.Total = max(lag.Total, lag.Behind)
	if lag.Known && lag.Behind == 0 {
		lag.Since = time.Time{}
	}
	return lag
}

func errNotReady(cause error) error {
	return (&fault.Error{Kind: fault.Unavailable, Message: notReady, RetryAfter: notReadyFor, Cause: cause}).Named(fault.IndexNotReady)
}
