package retrieval

import (
	"context"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"parley/bench/proc"
)

// Index is what a system holds after it was loaded.
type Index struct {
	System string `json:"system"`
	// Each of Chatbots has Each passages.
	Chatbots int `json:"chatbots"`
	Each     int `json:"each"`
	// Bytes is the size of its files, or zero where they are not to be seen.
	Bytes int64 `json:"bytes"`
	// Memory is what the program holds more than before it opened the index,
	// after some questions, and Server what the server's process holds in
	// all. In bytes.
	Memory int64 `json:"memory_bytes"`
	Server int64 `json:"server_bytes"`
}

// settledMemory returns what this program holds when it has given back what it
// does not use.
func settledMemory() (int64, error) {
	debug.FreeOSMemory()
	return proc.Resident(os.Getpid())
}

// read asks some questions and reads what a system then holds.
func (b *bench) read(ctx context.Context, s loaded, before int64) error {
	const some = 200
	next := Any.chooser(s.chatbots)
	for i := range some {
		if _, err := s.ask(ctx, next(), b.questions[i]); err != nil {
			return err
		}
	}
	bytes, err := s.size()
	if err != nil {
		return err
	}
	now, err := settledMemory()
	if err != nil {
		return err
	}
	found := Index{System: s.name, Chatbots: s.chatbots, Each: s.each, Bytes: bytes, Memory: max(0, now-before)}
	if s.server != 0 {
		if found.Server, err = proc.Resident(s.server); err != nil {
			return err
		}
	}
	b.results.Indexes = append(b.results.Indexes, found)
	return nil
}

// cpu returns what this program has used of the processor, and the server.
func (s *system) cpu() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	used := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	if s.server == 0 {
		return used, nil
	}
	more, err := proc.CPU(s.server)
	return used + more, err
}

// calm waits until the system has finished its work after a change, such as
// merging: until it hardly uses the processor. It does not wait forever.
func (b *bench) calm(ctx context.Context, s *system) error {
	const (
		look  = 200 * time.Millisecond
		quiet = look / 10
	)
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	last, err := s.cpu()
	for waited := time.Duration(0); err == nil && waited < b.Calm; waited += look {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
		now, failed := s.cpu()
		if failed == nil && now-last < quiet {
			return nil
		}
		last, err = now, failed
	}
	return err
}
