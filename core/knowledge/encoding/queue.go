package encoding

import (
	"slices"

	"parley/core/retrieval"
	"parley/internal/id"
)

// queue is the order in which chatbots have their passages encoded: one chatbot of each
// workspace, one workspace after the other.
type queue struct {
	workspaces []workspaceQueue
	// failed are the workspaces that are left out.
	failed map[string]bool
}

// workspaceQueue is one workspace's chatbots, in order. It is never empty.
type workspaceQueue []retrieval.Scope

// add puts chatbots into the queue that are not in it yet, unless their workspace is left
// out or is a throw-away workspace.
func (q *queue) add(chatbots []retrieval.Scope) {
	queued := map[retrieval.Scope]bool{}
	for _, w := range q.workspaces {
		for _, c := range w {
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
	i := slices.IndexFunc(q.workspaces, func(w workspaceQueue) bool { return w[0].WorkspaceID == c.WorkspaceID })
	if i < 0 {
		q.workspaces = append(q.workspaces, workspaceQueue{c})
		return
	}
	q.workspaces[i] = append(q.workspaces[i], c)
}

// next takes the next chatbot out. Its workspace comes last then.
func (q *queue) next() retrieval.Scope {
	first := q.workspaces[0]
	q.workspaces = q.workspaces[1:]
	if len(first) > 1 {
		q.workspaces = append(q.workspaces, first[1:])
	}
	return first[0]
}

// leaveOut takes a workspace out for good.
func (q *queue) leaveOut(workspaceID string) {
	q.failed[workspaceID] = true
	q.workspaces = slices.DeleteFunc(q.workspaces, func(w workspaceQueue) bool { return w[0].WorkspaceID == workspaceID })
}
