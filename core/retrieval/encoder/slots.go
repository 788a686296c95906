package encoder

import (
	"context"
	"runtime"
	"sync"
)

// slots bounds how many questions are encoded at once: in all as many as there are
// processors, and of one workspace half as many, so that the questions of one that asks
// many wait for each other, and another's hardly for them. It bounds the memory, too.
type slots struct {
	all chan struct{}

	mu    sync.Mutex
	of    map[string]*workspaceSlots
	share int
}

// workspaceSlots bounds the slots that one workspace has at once. It is kept for as long as
// a question of the workspace waits for a slot or has one.
type workspaceSlots struct {
	taken chan struct{}
	users int
}

func newSlots() *slots {
	processors := runtime.GOMAXPROCS(0)
	return &slots{all: make(chan struct{}, processors), of: map[string]*workspaceSlots{}, share: max(1, processors/2)}
}

// acquire waits for a slot, or until ctx ends. The caller must release the slot.
func (s *slots) acquire(ctx context.Context, workspaceID string) (release func(), err error) {
	own := s.enter(workspaceID)
	if err := acquire(ctx, own.taken); err != nil {
		s.leave(workspaceID, own)
		return nil, err
	}
	if err := acquire(ctx, s.all); err != nil {
		<-own.taken
		s.leave(workspaceID, own)
		return nil, err
	}
	return func() {
		<-s.all
		<-own.taken
		s.leave(workspaceID, own)
	}, nil
}

func acquire(ctx context.Context, taken chan<- struct{}) error {
	select {
	case taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *slots) enter(workspaceID string) *workspaceSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[workspaceID]
	if own == nil {
		own = &workspaceSlots{taken: make(chan struct{}, s.share)}
		s.of[workspaceID] = own
	}
	own.users++
	return own
}

func (s *slots) leave(workspaceID string, own *workspaceSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.of, workspaceID)
	}
}
