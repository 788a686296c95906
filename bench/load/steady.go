package load

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Pace is a load of streams that start at an even pace, whether or not earlier
// ones have ended.
type Pace struct {
	// Every is the time between two starts.
	Every time.Duration
	// WarmUp is how many streams run before anything is counted, Streams how
	// many are counted.
	WarmUp, Streams int
	// CPU reads the CPU time that the server has used since it started.
	CPU func() (time.Duration, error)
}

// steady is such a load that is running. Its connections stay open between
// streams.
type steady struct {
	exchange *Exchange
	mu       sync.Mutex
	idle     []*client
	result   Result
}

// Steady puts such a load on a server. The result's CPU is what the server used
// from the first counted start to the end of the last counted stream.
func Steady(ctx context.Context, exchange *Exchange, pace Pace) (Result, error) {
	s := &steady{exchange: exchange}
	defer s.close()
	if err := s.start(ctx, pace.Every, pace.WarmUp); err != nil {
		return Result{}, err
	}
	warm := s.result
	s.result = Result{Failures: warm.Failures, Failure: warm.Failure}
	before, err := pace.CPU()
	if err != nil {
		return Result{}, err
	}
	begun := time.Now()
	if err := s.start(ctx, pace.Every, pace.Streams); err != nil {
		return Result{}, err
	}
	s.result.Elapsed = time.Since(begun)
	after, err := pace.CPU()
	s.result.CPU = after - before
	slices.Sort(s.result.First)
	slices.Sort(s.result.Whole)
	return s.result, err
}

// start starts n streams and returns when all have ended.
func (s *steady) start(ctx context.Context, every time.Duration, n int) error {
	var streams sync.WaitGroup
	defer streams.Wait()
	begun := time.Now()
	for i := range n {
		if err := Wait(ctx, time.Until(begun.Add(time.Duration(i)*every))); err != nil {
			return err
		}
		streams.Go(s.once)
	}
	return nil
}

// once runs one stream and counts it.
func (s *steady) once() {
	c, err := s.client()
	if err != nil {
		s.fail(err)
		return
	}
	begun := time.Now()
	err = c.start()
	first := time.Since(begun)
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		c.close()
		s.fail(err)
		return
	}
	whole := time.Since(begun)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, c)
	s.result.Requests++
	s.result.First = append(s.result.First, first)
	s.result.Whole = append(s.result.Whole, whole)
}

// client returns a connection that no stream uses.
func (s *steady) client() (*client, error) {
	s.mu.Lock()
	if last := len(s.idle) - 1; last >= 0 {
		c := s.idle[last]
		s.idle = s.idle[:last]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	return dial(s.exchange)
}

func (s *steady) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.fail(err)
}

func (s *steady) close() {
	for _, c := range s.idle {
		c.close()
	}
}
