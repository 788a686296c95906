// Package health watches the parts that a server depends on: it checks each in the background,
// and remembers since when it works or not, and why not.
//
// It does not own what a check does (package app) nor who is told (package api, and
// package app/status).
package health

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Part is something that the server depends on.
type Part struct {
	Name string
	// Vital says that without the part this process cannot serve. A part that fails for all
	// processes alike, such as a model, is not vital: to take a server away does not mend it.
	Vital bool
	// Check fails with a [Reason] that strangers may read, or with any other error, which only
	// the log and the operator get.
	Check func(context.Context) error
}

// Reason says why a part does not work, in a sentence that strangers may read.
type Reason struct {
	Sentence string
	// Cause is for the log. It may be nil.
	Cause error
	// Pending says that nobody need act: the part becomes ready by itself, as at a start.
	Pending bool
}

// Error returns the sentence with the cause.
func (r *Reason) Error() string {
	if r.Cause == nil {
		return r.Sentence
	}
	return r.Sentence + " " + r.Cause.Error()
}

// Unwrap returns the cause.
func (r *Reason) Unwrap() error { return r.Cause }

// State is what the last check of a part found.
type State struct {
	Name  string
	Vital bool
	Ready bool
	// Reason is why the part is not ready, for everybody, and Err for the operator.
	Reason string
	Err    error
	// Since is when the part became ready, or ceased to be.
	Since time.Time
	// Pending says that nobody need act: see [Reason].
	Pending bool
}

const (
	// every is how often a part is checked. One that does not work is checked again after
	// atFirst, and then after twice as long each time, up to again.
	every   = 5 * time.Second
	atFirst = 50 * time.Millisecond
	again   = time.Second
	// within bounds a check.
	within = 5 * time.Second
)

// unchecked is the reason before the first check has ended.
const unchecked = "It was not checked yet."

var errHangs = &Reason{Sentence: fmt.Sprintf("The check did not end within %s.", within)}

// Watch checks parts.
type Watch struct {
	log   *slog.Logger
	parts []Part

	mu     sync.Mutex
	states []State
	// checked says of which parts a check has ended.
	checked []bool
}

// New returns a watch that has checked nothing yet.
func New(log *slog.Logger, parts ...Part) *Watch {
	w := &Watch{log: log, parts: parts, states: make([]State, len(parts)), checked: make([]bool, len(parts))}
	for i, part := range parts {
		w.states[i] = State{Name: part.Name, Vital: part.Vital, Reason: unchecked, Since: time.Now(), Pending: true}
	}
	return w
}

// CheckVital checks the vital parts once, each within the limit of a check.
func (w *Watch) CheckVital(ctx context.Context) {
	var checks sync.WaitGroup
	for i, part := range w.parts {
		if part.Vital {
			checks.Go(func() {
				ended := w.check(ctx, i)
				select {
				case <-ended:
				case <-time.After(within):
					w.settle(ctx, i, errHangs)
				}
			})
		}
	}
	checks.Wait()
}

// Run checks the parts until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	var loops sync.WaitGroup
	for i := range w.parts {
		loops.Go(func() { w.watch(ctx, i) })
	}
	loops.Wait()
}

// watch checks one part again and again. A check that hangs is waited for, so that there is
// only one at a time.
func (w *Watch) watch(ctx context.Context, i int) {
	for pause := atFirst; ; pause = min(2*pause, again) {
		ended := w.check(ctx, i)
		select {
		case <-ended:
		case <-ctx.Done():
			return
		case <-time.After(within):
			w.settle(ctx, i, errHangs)
			select {
			case <-ended:
			case <-ctx.Done():
				return
			}
		}
		next := pause
		if w.state(i).Ready {
			pause, next = atFirst, every
		}
		select {
		case <-time.After(next):
		case <-ctx.Done():
			return
		}
	}
}

// check begins a check, and settles its outcome when it ends.
func (w *Watch) check(ctx context.Context, i int) (ended <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		bounded, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		err := guarded(bounded, w.parts[i].Check)
		if errors.Is(bounded.Err(), context.DeadlineExceeded) && err != nil {
			err = &Reason{Sentence: errHangs.Sentence, Cause: err}
		}
		w.settle(ctx, i, err)
	}()
	return done
}

// guarded turns a panic of a check into its failure.
func guarded(ctx context.Context, check func(context.Context) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic of type %T\n%s", value, debug.Stack())
		}
	}()
	return check(ctx)
}

// settle notes the outcome of a check, and logs it if it is news.
func (w *Watch) settle(ctx context.Context, i int, err error) {
	if ctx.Err() != nil { // the server stops
		return
	}
	w.mu.Lock()
	state, first := &w.states[i], !w.checked[i]
	w.checked[i] = true
	news := first || state.Ready != (err == nil) || state.Pending != isPending(err)
	if first || state.Ready != (err == nil) {
		state.Since = time.Now()
	}
	state.Ready, state.Err, state.Reason, state.Pending = err == nil, err, reasonOf(state.Name, err), isPending(err)
	name, reason := state.Name, state.Reason
	w.mu.Unlock()
	switch {
	case news && isPending(err):
		w.log.Info("part not ready yet", "part", name, "reason", reason)
	case news && err != nil:
		// As text, since the line is news, even where others had the same cause a moment ago.
		w.log.Error("part not ready", "part", name, "reason", reason, "error", err.Error())
	case news && !first:
		w.log.Info("part ready", "part", name)
	}
}

func isPending(err error) bool {
	var known *Reason
	return errors.As(err, &known) && known.Pending
}

func reasonOf(name string, err error) string {
	if err == nil {
		return ""
	}
	var known *Reason
	if errors.As(err, &known) {
		return known.Sentence
	}
	return "The " + name + " does not answer; the log says why."
}

func (w *Watch) state(i int) State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[i]
}

// States returns what is known of the parts, in their order. It checks nothing.
func (w *Watch) States() []State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]State(nil), w.states...)
}

// Status says in a word whether a process serves.
type Status string

// The words.
const (
	// Ready is a process all of whose parts work.
	Ready Status = "ready"
	// Degraded is one that serves, though a part fails.
	Degraded Status = "degraded"
	// NotReady is one that cannot serve.
	NotReady Status = "not_ready"
)

// StatusOf sums states up. Strict says that every part is vital.
func StatusOf(states []State, strict bool) Status {
	worst := Ready
	for _, s := range states {
		switch {
		case s.Ready:
		case s.Vital || strict:
			return NotReady
		default:
			worst = Degraded
		}
	}
	return worst
}
