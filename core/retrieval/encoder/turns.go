package encoder

import (
	"context"
	"runtime"
	"sync"
)

// turns bound how many questions are encoded at once: in all as many as there are
// processors, and of one workspace half as many, so that the questions of one that asks
// many wait for each other, and another's hardly for them. It bounds the memory, too.
type turns struct {
	all chan struct{}

	mu    sync.Mutex
	of    map[string]*places
	share int
}

// places bounds the turns that one workspace has at once. It is kept for as long as
// somebody in the workspace waits for a turn or has one.
type places struct {
	taken chan struct{}
	users int
}

func newTurns() *turns {
	processors := runtime.GOMAXPROCS(0)
	return &turns{all: make(chan struct{}, processors), of: map[string]*places{}, share: max(1, processors/2)}
}

// take waits for a turn, or until ctx ends. Who has taken it must call leave.
func (t *turns) take(ctx context.Context, workspaceID string) (leave func(), err error) {
	own := t.join(workspaceID)
	if err := enter(ctx, own.taken); err != nil {
		t.part(workspaceID, own)
		return nil, err
	}
	if err := enter(ctx, t.all); err != nil {
		<-own.taken
		t.part(workspaceID, own)
		return nil, err
	}
	return func() {
		<-t.all
		<-own.taken
		t.part(workspaceID, own)
	}, nil
}

func enter(ctx context.Context, places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *turns) join(workspaceID string) *places {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.of[workspaceID]
	if own == nil {
		own = &places{taken: make(chan struct{}, t.share)}
		t.of[workspaceID] = own
	}
	own.users++
	return own
}

func (t *turns) part(workspaceID string, own *places) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(t.of, workspaceID)
	}
}
