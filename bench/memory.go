package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/bench/load"
	"parley/bench/upstream"
)

const (
	// wakeFor is how long one client asks before the memory is read first.
	wakeFor = 200 * time.Millisecond
	// besideFor is how long one client asks at most while the streams are open.
	// A stream gets a sign of life after 10 s of silence; this ends before.
	besideFor = 2 * time.Second
)

// Memory is what open streams cost.
type Memory struct {
	System string `json:"system"`
	// Streams is how many were open.
	Streams int `json:"streams"`
	// Before and Open are the memory of the process in bytes.
	Before int64 `json:"before_bytes"`
	Open   int64 `json:"open_bytes"`
	// FirstBeside is the median time to the first text for one more client
	// while they were open.
	FirstBeside time.Duration `json:"first_beside_ns"`
	// Failure says what went wrong, if anything did.
	Failure string `json:"failure,omitempty"`
}

// PerStream is the memory of one stream in bytes.
func (m Memory) PerStream() int64 { return (m.Open - m.Before) / int64(max(m.Streams, 1)) }

// memory measures every system in a process that has just started: one that
// has been under load holds free memory, in which streams would hide.
func (b *bench) memory(ctx context.Context) ([]Memory, error) {
	var all []Memory
	for _, s := range b.systems {
		var rounds []Memory
		for range b.Rounds {
			m, err := b.openStreams(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			b.say("%d open streams, %s: %s", b.Streams, s.name, m)
			rounds = append(rounds, m)
		}
		all = append(all, medianMemory(rounds))
	}
	return all, nil
}

func (b *bench) openStreams(ctx context.Context, s *system) (m Memory, err error) {
	if err := s.start(ctx); err != nil {
		return Memory{}, err
	}
	defer func() {
		if stopped := s.stop(); err == nil {
			err = stopped
		}
	}()
	m = Memory{System: s.name, Streams: b.Streams}
	exchange := s.exchange(Stream)
	if _, err := beside(ctx, s, exchange, min(b.Duration, wakeFor)); err != nil { // What a first request loads is no stream's.
		return Memory{}, err
	}
	if m.Before, err = b.settled(ctx, s); err != nil {
		return Memory{}, err
	}
	if err := b.steer(ctx, upstream.StallPath); err != nil {
		return Memory{}, err
	}
	held, failed := load.Hold(exchange, b.Streams)
	if failed != nil {
		m.Failure = failed.Error()
		return m, b.steer(ctx, upstream.ReleasePath)
	}
	defer held.Close()
	if m.Open, err = b.settled(ctx, s); err != nil {
		return Memory{}, err
	}
	if err := b.steer(ctx, upstream.FlowPath); err != nil {
		return Memory{}, err
	}
	if m.FirstBeside, err = beside(ctx, s, exchange, min(b.Duration, besideFor)); err != nil {
		return Memory{}, err
	}
	if err := b.steer(ctx, upstream.ReleasePath); err != nil {
		return Memory{}, err
	}
	if failed := held.Finish(); failed != nil {
		m.Failure = failed.Error()
	}
	return m, nil
}

// settled returns the memory of a server that is left alone.
func (b *bench) settled(ctx context.Context, s *system) (int64, error) {
	select {
	case <-time.After(b.Settle):
		return s.running.resident()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// beside returns the median time to the first text for one client.
func beside(ctx context.Context, s *system, exchange *load.Exchange, d time.Duration) (time.Duration, error) {
	result, err := load.Run(ctx, exchange, load.Plan{Clients: 1, For: d, CPU: s.running.cpu})
	if err == nil && result.Failures > 0 {
		err = fmt.Errorf("%d requests failed: %s", result.Failures, result.Failure)
	}
	return load.Quantile(result.First, 0.5), err
}

// steer tells the model server what to do.
func (b *bench) steer(ctx context.Context, path string) error {
	return get(ctx, "http://"+b.model.running.address+path)
}

// medianMemory returns the round with the median memory for each stream. If a
// round failed, it returns that one.
func medianMemory(rounds []Memory) Memory {
	for _, m := range rounds {
		if m.Failure != "" {
			return m
		}
	}
	slices.SortFunc(rounds, func(a, b Memory) int { return int(a.PerStream() - b.PerStream()) })
	return rounds[len(rounds)/2]
}

func (m Memory) String() string {
	if m.Failure != "" {
		return "FAILED: " + m.Failure
	}
	return fmt.Sprintf("%.1f KiB each, %.2f ms to the first token beside them", kib(m.PerStream()), milliseconds(m.FirstBeside))
}
