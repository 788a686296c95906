package retrieval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/bench/load"
)

// Cell is one system under one load, asked by one client that asks the next
// question when it has the answer.
type Cell struct {
	System string `json:"system"`
	// Each of Chatbots has Each passages.
	Chatbots int    `json:"chatbots"`
	Each     int    `json:"each"`
	Choice   choice `json:"choice"`
	// Busy says that another chatbot was indexed meanwhile, with Beside
	// passages a second.
	Busy   bool    `json:"busy"`
	Beside float64 `json:"beside_per_second"`
	// Questions is how many were asked.
	Questions int           `json:"questions"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	// Rate is in questions a second.
	Rate float64 `json:"questions_per_second"`
	// CPU is the processor time of a question, in this program and in the
	// server. It is zero while documents are indexed.
	CPU time.Duration `json:"cpu_ns"`
}

// sample is what the rounds of a cell found.
type sample struct {
	times   []time.Duration
	elapsed time.Duration
	cpu     time.Duration
	added   int
}

func newCell(s loaded, c choice, busy bool, found sample) Cell {
	slices.Sort(found.times)
	n, seconds := len(found.times), found.elapsed.Seconds()
	cell := Cell{
		System: s.name, Chatbots: s.chatbots, Each: s.each, Choice: c, Busy: busy, Questions: n,
		P50: load.Quantile(found.times, 0.5), P99: load.Quantile(found.times, 0.99),
		Rate: float64(n) / seconds,
	}
	if busy {
		cell.Beside = float64(found.added) / seconds
	} else {
		cell.CPU = found.cpu / time.Duration(max(n, 1))
	}
	return cell
}

func (c Cell) String() string {
	beside := ""
	if c.Busy {
		beside = fmt.Sprintf(" beside %.0f passages/s of another", c.Beside)
	}
	return fmt.Sprintf("%s, %d × %d, %s%s: p50 %.2f ms, p99 %.2f ms, %.0f questions/s", c.System, c.Chatbots, c.Each, c.Choice,
		beside, c.P50.Seconds()*1000, c.P99.Seconds()*1000, c.Rate)
}

// measure adds one round to a sample.
func (b *bench) measure(ctx context.Context, s loaded, c choice, busy bool, into *sample) error {
	next := c.chooser(s.chatbots)
	if !busy {
		if err := b.calm(ctx, s.system); err != nil {
			return err
		}
		return b.askFor(ctx, s, next, nil, into)
	}
	background, stop := context.WithCancel(ctx)
	defer stop()
	group, background := errgroup.WithContext(background)
	counter := &counter{}
	group.Go(func() error { return b.indexOther(background, s, counter) })
	err := b.askFor(ctx, s, next, counter, into)
	counter.finish()
	if failed := group.Wait(); err == nil {
		err = failed
	}
	return err
}

// askFor asks for the uncounted and then for the counted time.
func (b *bench) askFor(ctx context.Context, s loaded, next func() int, beside *counter, into *sample) error {
	number := 0
	ask := func() (time.Duration, error) {
		q := b.questions[number%len(b.questions)]
		number++
		chatbot := next()
		start := time.Now()
		hits, err := s.ask(ctx, chatbot, q)
		took := time.Since(start)
		if err == nil && hits == 0 {
			err = fmt.Errorf("nothing is found in chatbot %d, whose documents have the question's words", chatbot)
		}
		if err != nil {
			return 0, fmt.Errorf("ask %s: %w", s.name, err)
		}
		return took, nil
	}
	for end := time.Now().Add(b.WarmUp); number == 0 || time.Now().Before(end); {
		if _, err := ask(); err != nil {
			return err
		}
	}
	cpu, err := s.cpu()
	if err != nil {
		return err
	}
	added, start := beside.now(), time.Now()
	for end := start.Add(b.Duration); len(into.times) == 0 || time.Now().Before(end); {
		took, err := ask()
		if err != nil {
			return err
		}
		into.times = append(into.times, took)
	}
	into.elapsed += time.Since(start)
	into.added += beside.now() - added
	after, err := s.cpu()
	into.cpu += after - cpu
	return err
}
