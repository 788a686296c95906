package load

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Plan says how much load there is, and for how long.
type Plan struct {
	// Clients is the number of clients, each with its own connection and one
	// open request.
	Clients int
	// WarmUp is how long the clients run before anything is counted.
	WarmUp time.Duration
	// For is how long is counted.
	For time.Duration
	// CPU reads the CPU time that the server has used since it started.
	CPU func() (time.Duration, error)
}

// Result is the result of a load.
type Result struct {
	// Requests is the number of whole answers that ended within Elapsed.
	Requests int
	// Failures is the number of exchanges that failed, and Failure says how
	// the first of them did.
	Failures int
	Failure  string
	Elapsed  time.Duration
	// CPU is what the server used within Elapsed.
	CPU time.Duration
	// First holds the times from the sending of a request to the first text
	// of its answer, Whole those to its end. Both are sorted.
	First, Whole []time.Duration
}

// The phases of a load.
const (
	warming int32 = iota
	counting
	stopped
)

// run is a load that is running.
type run struct {
	exchange *Exchange
	phase    atomic.Int32
	mu       sync.Mutex
	result   Result
}

// Run puts load on a server. It returns the error of ctx or of plan.CPU;
// failures of exchanges are counted in the result.
func Run(ctx context.Context, exchange *Exchange, plan Plan) (Result, error) {
	r := &run{exchange: exchange}
	var clients sync.WaitGroup
	for range plan.Clients {
		clients.Go(r.repeat)
	}
	err := r.time(ctx, plan)
	r.phase.Store(stopped)
	clients.Wait()
	slices.Sort(r.result.First)
	slices.Sort(r.result.Whole)
	return r.result, err
}

// time counts for as long as the plan says.
func (r *run) time(ctx context.Context, plan Plan) error {
	if err := Wait(ctx, plan.WarmUp); err != nil {
		return err
	}
	before, err := plan.CPU()
	if err != nil {
		return err
	}
	start := time.Now()
	r.phase.Store(counting)
	if err := Wait(ctx, plan.For); err != nil {
		return err
	}
	r.phase.Store(stopped)
	r.result.Elapsed = time.Since(start)
	after, err := plan.CPU()
	r.result.CPU = after - before
	return err
}

// repeat is one client: it sends a request after the other.
func (r *run) repeat() {
	var c *client
	var own Result
	defer func() {
		if c != nil {
			c.close()
		}
		r.add(own)
	}()
	for r.phase.Load() != stopped {
		var err error
		if c == nil {
			c, err = dial(r.exchange)
		}
		if err == nil {
			err = r.once(c, &own)
		}
		if err == nil {
			continue
		}
		own.fail(err)
		if c != nil {
			c.close()
			c = nil
		}
		time.Sleep(10 * time.Millisecond) // A server that is down must not spin this.
	}
}

func (r *run) once(c *client, own *Result) error {
	start := time.Now()
	if err := c.start(); err != nil {
		return err
	}
	first := time.Since(start)
	if err := c.finish(); err != nil {
		return err
	}
	if r.phase.Load() == counting {
		own.Requests++
		own.First = append(own.First, first)
		own.Whole = append(own.Whole, time.Since(start))
	}
	return nil
}

func (r *run) add(own Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Requests += own.Requests
	r.result.Failures += own.Failures
	if r.result.Failure == "" {
		r.result.Failure = own.Failure
	}
	r.result.First = append(r.result.First, own.First...)
	r.result.Whole = append(r.result.Whole, own.Whole...)
}

func (r *Result) fail(err error) {
	r.Failures++
	if r.Failure == "" {
		r.Failure = err.Error()
	}
}

// Quantile returns the time that the share q of the sorted times does not
// exceed, from 0 to 1. Of no times it is 0.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Wait waits, unless ctx ends before.
func Wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
