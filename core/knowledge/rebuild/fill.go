package rebuild

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

// fillMissing brings back what the index lacks. While another process does so, it leaves
// that alone.
func (s *Rebuilder) fillMissing(ctx context.Context) (count int, err error) {
	behind, err := s.lacking(ctx)
	if err != nil || len(behind) == 0 {
		return 0, err
	}
	if leased, err := s.take(ctx); err != nil || !leased {
		return 0, err
	}
	defer s.release(ctx)
	s.Log.Info("the index lacks documents, which are brought back", "documents", s.Backlog.Lag().Behind, "chatbots", len(behind))
	f := &filling{Rebuilder: s, begun: map[retrieval.Scope]bool{}}
	f.all(ctx, behind)
	return f.count, errors.Join(append(f.failures, ctx.Err())...)
}

const (
	// fillers is how many chatbots are brought back at a time: the database, the index and
	// this program work at once then.
	fillers = 2
	// stepOfDocuments is how many documents are brought back before others may come first.
	stepOfDocuments = 500
	// mostFailures is how many documents in a row may fail before a chatbot is left alone
	// for a while.
	mostFailures = 3
)

var errTakenOver = errors.New("another server fills the index")

// filling brings back what the index lacks. What fails with one chatbot or document holds up
// no other.
type filling struct {
	*Rebuilder

	mu sync.Mutex
	// begun has the chatbots that had their turn, or have it.
	begun map[retrieval.Scope]bool
	// count counts the documents that were brought back.
	count    int
	failures []error
	over     bool
	// panicked is what a filler panicked with.
	panicked any
}

// all brings chatbots back, in order. Those that are asked meanwhile come first.
func (s *filling) all(ctx context.Context, behind []retrieval.Scope) {
	next := make(chan retrieval.Scope)
	var group sync.WaitGroup
	for range fillers {
		group.Go(func() {
			for scope := range next {
				s.wanted(ctx)
				s.protect(func() { s.chatbot(ctx, scope) })
			}
		})
	}
	for _, scope := range behind {
		next <- scope
	}
	close(next)
	group.Wait()
	if s.panicked != nil {
		panic(s.panicked) // of the task that supervises this
	}
}

// protect ends the filling if do panics.
func (s *filling) protect(do func()) {
	defer func() {
		if cause := recover(); cause != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.panicked, s.over = fmt.Sprintf("%v\n%s", cause, debug.Stack()), true
		}
	}()
	do()
}

// wanted brings chatbots back that were asked in vain.
func (s *filling) wanted(ctx context.Context) {
	for ctx.Err() == nil {
		scope, ok := s.Backlog.Wanted()
		if !ok {
			return
		}
		s.protect(func() { s.chatbot(ctx, scope) })
	}
}

// begin reports whether a chatbot has its turn now.
func (s *filling) begin(ctx context.Context, scope retrieval.Scope) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun[scope] || s.over || ctx.Err() != nil {
		return false
	}
	s.begun[scope] = true
	return true
}

// chatbot brings back what the index lacks of a chatbot, once.
func (s *filling) chatbot(ctx context.Context, scope retrieval.Scope) {
	if !s.begin(ctx, scope) {
		return
	}
	left := 0
	err := s.eachPage(ctx, scope, func(page []knowledge.Document) error {
		missing, err := s.missingOf(ctx, scope, page)
		if err != nil || len(missing) == 0 {
			return err
		}
		return s.page(ctx, scope, missing)
	})
	if err == nil {
		left, err = s.Missing(ctx, scope)
	}
	if err != nil {
		s.failed(err)
		return
	}
	s.Backlog.Put(scope, left)
}

// page brings documents of a chatbot back. What changes meanwhile is brought to where it is
// then, and if they cannot go in together, each goes in alone.
func (s *filling) page(ctx context.Context, scope retrieval.Scope, missing []knowledge.Document) error {
	together, alone := sorted(missing)
	for step := range slices.Chunk(together, stepOfDocuments) {
		if err := s.renew(ctx); err != nil {
			return err
		}
		err := s.Indexer.FillAll(ctx, s.Index, step)
		switch {
		case err == nil:
			s.filled(scope, len(step))
		case ctx.Err() != nil:
			return err
		default:
			s.Log.Warn("documents did not go into the index together, so each goes alone", "chatbot_id", scope.ChatbotID, "error", err)
			if err := s.alone(ctx, scope, step); err != nil {
				return err
			}
		}
		s.wanted(ctx)
	}
	if err := s.alone(ctx, scope, alone); err != nil || len(together) == 0 {
		return err
	}
	same, err := s.unchanged(ctx, scope, together)
	if err != nil {
		return err
	}
	for _, d := range together {
		if same[d.ID] {
			continue
		}
		if err := s.Indexer.Restore(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// alone brings documents back one by one. It fails if several in a row do.
func (s *filling) alone(ctx context.Context, scope retrieval.Scope, documents []knowledge.Document) error {
	inARow := 0
	for _, d := range documents {
		if err := s.renew(ctx); err != nil {
			return err
		}
		err := s.Indexer.Restore(ctx, d)
		if err == nil {
			s.filled(scope, 1)
			inARow = 0
			continue
		}
		err = fmt.Errorf("document %s: %w", d.ID, err)
		if inARow++; inARow == mostFailures {
			return err
		}
		s.failed(err)
	}
	return nil
}

// renew keeps the lease.
func (s *filling) renew(ctx context.Context) error {
	leased, err := s.take(ctx)
	if err == nil && leased {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return errors.Join(err, errTakenOver)
}

func (s *filling) filled(scope retrieval.Scope, n int) {
	s.mu.Lock()
	s.count += n
	s.mu.Unlock()
	s.Backlog.Filled(scope, n)
}

func (s *filling) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, err)
}
