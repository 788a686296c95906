package store_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"parley/core/fault"
)

// TestTurnsThatShareStatementsAreAsTheirModels executes random operations on the turns of
// many conversations, of a workspace each, at the same time, and compares each with its
// model after they have ended. On PostgreSQL they share statements.
func TestTurnsThatShareStatementsAreAsTheirModels(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		const conversations = 6
		runs := 0
		rapid.Check(b.T, func(t *rapid.T) {
			models := make([]*turnModel, conversations)
			for i := range models {
				runs++
				models[i] = newTurnModel(t, b, runs)
				defer func() { must(t, b.DeleteWorkspace(b.Context(), models[i].workspaceID)) }()
			}
			for range rapid.IntRange(1, 4).Draw(t, "rounds") {
				atOnce(t, models)
				for _, m := range models {
					m.check(t)
				}
			}
		})
	})
}

// atOnce executes an operation of each model, all at the same time.
func atOnce(t *rapid.T, models []*turnModel) {
	steps := make([]step, len(models))
	for i, m := range models {
		steps[i] = m.drawStep(t, models[(i+1)%len(models)])
	}
	errs := make([]error, len(steps))
	var all sync.WaitGroup
	for i, s := range steps {
		all.Go(func() { errs[i] = s.do() })
	}
	all.Wait()
	for i, s := range steps {
		s.settle(t, errs[i])
	}
}

func (m *turnModel) drawStep(t *rapid.T, other *turnModel) step {
	switch kind := rapid.SampledFrom([]string{"begin", "begin", "finish", "finish", "begin twice", "a stranger's"}).Draw(t, "step"); {
	case kind == "finish" && len(m.turns) > 0:
		return m.drawFinish(t)
	case kind == "begin twice":
		return m.drawTwo(t)
	case kind == "a stranger's":
		return m.drawStranger(t, other)
	}
	return m.drawBegin(t)
}

// drawTwo begins two turns of one conversation, of which at most one can.
func (m *turnModel) drawTwo(t *rapid.T) step {
	pair := []step{m.drawBegin(t), m.drawBegin(t)}
	errs := make([]error, len(pair))
	do := func() error {
		var both sync.WaitGroup
		for i, s := range pair {
			both.Go(func() { errs[i] = s.do() })
		}
		both.Wait()
		return nil
	}
	return step{do: do, settle: func(t *rapid.T, _ error) {
		first := 0
		if errs[0] != nil {
			first = 1
		}
		pair[first].settle(t, errs[first]) // the one that began, if one did
		pair[1-first].settle(t, errs[1-first])
	}}
}

// drawStranger begins a turn in a conversation of another workspace.
func (m *turnModel) drawStranger(t *rapid.T, other *turnModel) step {
	stranger := *m
	stranger.conversation = other.conversation
	s := stranger.drawBegin(t)
	s.settle = func(t *rapid.T, err error) {
		wantKind(t, err, fault.NotFound)
		m.isFree(t, s.key)
	}
	m.keys = stranger.keys
	return s
}
