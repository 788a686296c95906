package retrieval

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/knowledge/trial"
	"parley/text/split"
)

// writers is how many documents are put in at once, where it is not one.
const writers = 4

// Load is how fast documents went into an index.
type Load struct {
	System   string `json:"system"`
	Chatbots int    `json:"chatbots"`
	Passages int    `json:"passages"`
	Writers  int    `json:"writers"`
	// Prepared says that the documents were split, analyzed and embedded
	// before.
	Prepared bool `json:"prepared"`
	// Rate is in passages a second.
	Rate float64 `json:"passages_per_second"`
	// CPU is the processor's time for a passage, of this program and of the
	// server.
	CPU time.Duration `json:"cpu_ns"`
}

func (l Load) String() string {
	return fmt.Sprintf("%d passages by %d at once, %.0f passages/s, %.2f CPU ms each", l.Passages, l.Writers, l.Rate, l.CPU.Seconds()*1000)
}

func documentsFor(passages int) int { return (passages + perDocument - 1) / perDocument }

// alone measures one writer on an index of its own.
func (b *bench) alone(ctx context.Context, sizes Sizes, open opener) (err error) {
	s, err := open(ctx, b.dir)
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.close(); err == nil {
			err = closed
		}
	}()
	return b.add(ctx, s, b.corpus.documents(aboutDocuments, 0, documentsFor(sizes.Alone)), 1)
}

// add puts documents into one chatbot, all the way from their text.
func (b *bench) add(ctx context.Context, s *system, documents []split.Document, writers int) error {
	counts := make([]int, writers)
	return b.load(s, Load{System: s.name, Chatbots: 1, Writers: writers}, func() (int, error) {
		err := parallel(ctx, writers, len(documents), func(ctx context.Context, writer, i int) error {
			n, err := s.add(ctx, 0, documents[i])
			counts[writer] += n
			return err
		})
		sum := 0
		for _, n := range counts {
			sum += n
		}
		return sum, err
	})
}

// put adds prepared documents to many chatbots. Chatbot i gets the documents
// whose number is i modulo the number of chatbots that have any.
func (b *bench) put(ctx context.Context, s *system, chatbots int, ready [][]prepared) error {
	each := len(ready[0])
	return b.load(s, Load{System: s.name, Chatbots: chatbots, Writers: writers, Prepared: true}, func() (int, error) {
		err := parallel(ctx, writers, chatbots*each, func(ctx context.Context, _, i int) error {
			chatbot := i / each
			return s.put(ctx, chatbot, ready[chatbot%len(ready)][i%each])
		})
		return chatbots * each * perDocument, err
	})
}

// load measures one load.
func (b *bench) load(s *system, l Load, do func() (passages int, err error)) (err error) {
	b.say("retrieval: loading %s", s.name)
	cpu, err := s.cpu()
	if err != nil {
		return err
	}
	start := time.Now()
	if l.Passages, err = do(); err != nil {
		return fmt.Errorf("load %s: %w", s.name, err)
	}
	l.Rate = float64(l.Passages) / time.Since(start).Seconds()
	after, err := s.cpu()
	if err != nil {
		return err
	}
	l.CPU = (after - cpu) / time.Duration(max(l.Passages, 1))
	b.say("retrieval: loaded %s: %s", s.name, l)
	b.results.Loads = append(b.results.Loads, l)
	return nil
}

// ready prepares the documents of the many chatbots.
func (b *bench) ready(ctx context.Context, ports trial.Ports, sizes Sizes) ([][]prepared, error) {
	b.say("retrieval: preparing documents for %d chatbots", sizes.Chatbots)
	each := documentsFor(sizes.Each)
	made := make([][]prepared, min(sizes.Chatbots, distinctChatbots))
	err := parallel(ctx, writers, len(made), func(ctx context.Context, _, i int) (err error) {
		made[i], err = prepare(ctx, ports, b.corpus.documents(aboutDocuments, i*each, each))
		return err
	})
	return made, err
}

// parallel does something for each number below count, by several at once.
func parallel(ctx context.Context, workers, count int, do func(ctx context.Context, worker, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for worker := range workers {
		group.Go(func() error {
			for i := worker; i < count; i += workers {
				if err := do(ctx, worker, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}
