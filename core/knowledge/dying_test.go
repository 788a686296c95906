package knowledge_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/system"
)

var errDead = errors.New("the process is dead")

// mortal is a process that dies before its call number dies to the database or
// the index: that call and all later ones fail, and its context ends.
type mortal struct {
	mu          sync.Mutex
	calls, dies int
	died        bool
	kill        context.CancelCauseFunc
}

func (m *mortal) step() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.calls < m.dies {
		return nil
	}
	m.died = true
	m.kill(errDead)
	return errDead
}

// mortalStore has a step before each call of the way of a document.
type mortalStore struct {
	*everything
	m *mortal
}

func (s mortalStore) InTx(ctx context.Context, fn func(context.Context) error) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.InTx(ctx, func(ctx context.Context) error {
		if err := fn(ctx); err != nil {
			return err
		}
		return s.m.step() // before the commit
	})
}

func (s mortalStore) UpdateDocument(ctx context.Context, workspaceID string, from knowledge.State, d knowledge.Document, withContent bool) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.UpdateDocument(ctx, workspaceID, from, d, withContent)
}

func (s mortalStore) SetBegun(ctx context.Context, workspaceID, documentID string, from, to int) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.SetBegun(ctx, workspaceID, documentID, from, to)
}

func (s mortalStore) SetBegunOf(ctx context.Context, workspaceID string, ids []string, from, to int) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.SetBegunOf(ctx, workspaceID, ids, from, to)
}

func (s mortalStore) PassagesHeld(ctx context.Context, workspaceID string, documents []knowledge.Document) (map[string][]retrieval.Passage, error) {
	if err := s.m.step(); err != nil {
		return nil, err
	}
	return s.everything.PassagesHeld(ctx, workspaceID, documents)
}

func (s mortalStore) HeldDocuments(ctx context.Context, workspaceID, chatbotID, after string, limit int) ([]knowledge.Document, error) {
	if err := s.m.step(); err != nil {
		return nil, err
	}
	return s.everything.HeldDocuments(ctx, workspaceID, chatbotID, after, limit)
}

func (s mortalStore) SetSourceBegun(ctx context.Context, workspaceID, sourceID string, from, to int) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.SetSourceBegun(ctx, workspaceID, sourceID, from, to)
}

func (s mortalStore) DeletePassages(ctx context.Context, workspaceID, documentID string, keep int) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.DeletePassages(ctx, workspaceID, documentID, keep)
}

// AddPassages stores passages in two parts, as it stores a long document's passages.
func (s mortalStore) AddPassages(ctx context.Context, workspaceID string, d knowledge.Document, passages []retrieval.Passage) error {
	half := len(passages) / 2
	for _, part := range [][]retrieval.Passage{passages[:half], passages[half:]} {
		if err := s.m.step(); err != nil {
			return err
		}
		if err := s.everything.AddPassages(ctx, workspaceID, d, part); err != nil {
			return err
		}
	}
	return nil
}

func (s mortalStore) DeleteUpload(ctx context.Context, workspaceID, documentID string) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.DeleteUpload(ctx, workspaceID, documentID)
}

func (s mortalStore) ConfirmRemoval(ctx context.Context, workspaceID, documentID string, at time.Time, answers int, ids []int64) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.ConfirmRemoval(ctx, workspaceID, documentID, at, answers, ids)
}

func (s mortalStore) BeginRebuild(ctx context.Context, at time.Time) (int, error) {
	if err := s.m.step(); err != nil {
		return 0, err
	}
	return s.everything.BeginRebuild(ctx, at)
}

func (s mortalStore) Passages(ctx context.Context, workspaceID, documentID string, version int) ([]retrieval.Passage, error) {
	if err := s.m.step(); err != nil {
		return nil, err
	}
	return s.everything.Passages(ctx, workspaceID, documentID, version)
}

func (s mortalStore) ChangedDocuments(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Document, error] {
	if err := s.m.step(); err != nil {
		return func(yield func(knowledge.Document, error) bool) { yield(knowledge.Document{}, err) }
	}
	return s.everything.ChangedDocuments(ctx, access, since)
}

func (s mortalStore) RemovalsSince(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Removal, error] {
	if err := s.m.step(); err != nil {
		return func(yield func(knowledge.Removal, error) bool) { yield(knowledge.Removal{}, err) }
	}
	return s.everything.RemovalsSince(ctx, access, since)
}

func (s mortalStore) AllChatbots(ctx context.Context, access system.Access) iter.Seq2[retrieval.Scope, error] {
	if err := s.m.step(); err != nil {
		return func(yield func(retrieval.Scope, error) bool) { yield(retrieval.Scope{}, err) }
	}
	return s.everything.AllChatbots(ctx, access)
}

func (s mortalStore) EndRebuild(ctx context.Context, id int) error {
	if err := s.m.step(); err != nil {
		return err
	}
	return s.everything.EndRebuild(ctx, id)
}

// mortalIndex has a step before each change, too.
type mortalIndex struct {
	retrieval.Index
	m *mortal
}

func (x mortalIndex) Replace(ctx context.Context, scope retrieval.Scope, id string, entries []retrieval.Entry) error {
	if err := x.m.step(); err != nil {
		return err
	}
	return x.Index.Replace(ctx, scope, id, entries)
}

func (x mortalIndex) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	if err := x.m.step(); err != nil {
		return err
	}
	return x.Index.Fill(ctx, scope, contents)
}

func (x mortalIndex) Missing(ctx context.Context, scope retrieval.Scope, expected map[string]int) ([]string, error) {
	if err := x.m.step(); err != nil {
		return nil, err
	}
	return x.Index.Missing(ctx, scope, expected)
}

func (x mortalIndex) Remove(ctx context.Context, scope retrieval.Scope, id string) error {
	if err := x.m.step(); err != nil {
		return err
	}
	return x.Index.Remove(ctx, scope, id)
}

func (x mortalIndex) DropOthers(ctx context.Context, kept iter.Seq2[retrieval.Scope, error]) (int, error) {
	if err := x.m.step(); err != nil {
		return 0, err
	}
	return x.Index.DropOthers(ctx, kept)
}

func (x mortalIndex) Count(ctx context.Context, scope retrieval.Scope, id string) (int, error) {
	if err := x.m.step(); err != nil {
		return 0, err
	}
	return x.Index.Count(ctx, scope, id)
}

// dyingAt works in a process that dies at a call, and reports whether it did.
func (l *library) dyingAt(call int) bool {
	l.Helper()
	return l.dyingIn(call, func(ctx context.Context) error {
		_, err := l.Worker.WorkOff(ctx, home)
		return err
	})
}

// dyingIn runs do in a process that dies at a call, and reports whether the process
// died. After that, the library belongs to the next process.
func (l *library) dyingIn(call int, do func(context.Context) error) bool {
	l.Helper()
	ctx, kill := context.WithCancelCause(l.Context())
	defer kill(nil)
	m := &mortal{dies: call, kill: kill}
	whole := l.ports
	l.ports.Stores, l.ports.Index = storesOf(mortalStore{l.db, m}), mortalIndex{l.index, m}
	l.open()
	l.ports = whole
	err := do(ctx)
	if m.died != errors.Is(err, errDead) {
		l.Errorf("dead: %v, but the error is %v", m.died, err)
	}
	l.open()
	if m.died { // what it was adding is left to it for a while
		l.clock.advance(5 * time.Second)
	}
	return m.died
}
