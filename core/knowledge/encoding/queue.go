package encoding

import (
	"slices"

	"parley/core/retrieval"
	"parley/internal/id"
)

// queue is the order in which chatbots have their passages encoded: each workspace has its
// turn, and in it one of its chatbots.
type queue struct {
	turns []turn
	// failed are the workspaces that are left out.
	failed map[string]bool
}

// turn is the chatbots of a workspace, in the order of their turns.
type turn []retrieval.Scope

// add puts chatbots into the queue that are not in it yet, unless their workspace is left
// out or is a throw-away workspace.
func (q *queue) add(chatbots []retrieval.Scope) {
	queued := map[retrieval.Scope]bool{}
	for _, t := range q.turns {
		for _, c := range t {
			queued[c] = true
		}
	}
	for _, c := range chatbots {
		if !queued[c] && !q.failed[c.WorkspaceID] && !id.IsThrowAway(c.WorkspaceID) {
			q.push(c)
		}
	}
}

// push puts a chatbot behind the others of its workspace, which keeps its place or comes
// last.
func (q *queue) push(c retrieval.Scope) {
	i := slices.IndexFunc(q.turns, func(t turn) bool { return t[0].WorkspaceID == c.WorkspaceID })
	if i < 0 {
		q.turns = append(q.turns, turn{c})
		return
	}
	q.turns[i] = append(q.turns[i], c)
}

// next takes the chatbot out whose turn it is. Its workspace comes last then.
func (q *queue) next() retrieval.Scope {
	first := q.turns[0]
	q.turns = q.turns[1:]
	if len(first) > 1 {
		q.turns = append(q.turns, first[1:])
	}
	return first[0]
}

// leaveOut takes a workspace out for good.
func (q *queue) leaveOut(workspaceID string) {
	q.failed[workspaceID] = true
	q.turns = slices.DeleteFunc(q.turns, func(t turn) bool { return t[0].WorkspaceID == workspaceID })
}
