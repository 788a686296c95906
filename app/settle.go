package app

import (
	"context"
	"time"

	"parley/core/knowledge"
)

// lookEvery is how often a command looks at the state of documents.
const lookEvery = 200 * time.Millisecond

// Settle waits until documents are ready or have failed, and updates the list.
// If a server runs on the data folder, it does the work. Otherwise this process
// does.
func (p *Program) Settle(ctx context.Context, documents []knowledge.Document) error {
	for {
		left, err := p.unsettled(ctx, documents)
		if err != nil || left == "" {
			return err
		}
		worked, err := p.workUnlessServed(ctx, left)
		if err != nil {
			return err
		}
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}

// unsettled reads the documents again, and returns a workspace of one that has work left, or
// an empty text.
func (p *Program) unsettled(ctx context.Context, documents []knowledge.Document) (left string, err error) {
	for i, d := range documents {
		if d.State.Settled() {
			continue
		}
		now, err := p.Knowledge.Documents.Get(ctx, d.WorkspaceID, d.ChatbotID, d.ID)
		if err != nil {
			return "", err
		}
		if documents[i] = now; !now.State.Settled() {
			left = d.WorkspaceID
		}
	}
	return left, nil
}

// workUnlessServed works for a workspace unless a server runs on the data folder. It
// reports whether there may be more to do.
func (p *Program) workUnlessServed(ctx context.Context, workspaceID string) (more bool, err error) {
	unlock, err := Lock(p.Config)
	if err != nil { // a server is there
		return false, nil
	}
	defer unlock()
	return p.Knowledge.Worker.WorkOff(ctx, workspaceID)
}
