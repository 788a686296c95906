package knowledge

import (
	"context"
	"fmt"

	"parley/core/audit"
)

// actions are the audit log's names for the results.
var actions = map[Result]audit.Action{Created: audit.DocumentAdded, Replaced: audit.DocumentReplaced, ReadAgain: audit.DocumentReadAgain}

type batchKey struct{}

// batch is a request that gives several documents, each in a transaction of its own.
type batch struct {
	size     int
	recorded bool
}

// Batch returns a context for a request that gives a number of documents, one after the
// other. The audit log has one entry for all of them, which names the first that was
// stored: a thousand files do not fill it.
func Batch(ctx context.Context, size int) context.Context {
	if size < 2 {
		return ctx
	}
	return context.WithValue(ctx, batchKey{}, &batch{size: size})
}

// recordPut writes a put into the audit log, in the transaction that stores the document.
func (s *Documents) recordPut(ctx context.Context, stored putResult) error {
	action, changed := actions[stored.result]
	if !changed {
		return nil
	}
	of, several := ctx.Value(batchKey{}).(*batch)
	object := audit.Object{Kind: "document", ID: stored.ID}
	if !several {
		return s.removals.record(ctx, stored.WorkspaceID, action, object, stored.ChatbotID)
	}
	if of.recorded {
		return nil
	}
	object.Kind = "documents"
	return audit.Record(ctx, s.removals.audit, stored.WorkspaceID, s.now(), audit.Entry{
		Action: action, Object: object, Detail: fmt.Sprintf("The first of %d files of one request. In the chatbot %s.", of.size, stored.ChatbotID),
	})
}

// noteStored notes that a document of a batch is stored, and so recorded.
func noteStored(ctx context.Context, stored putResult) {
	if of, several := ctx.Value(batchKey{}).(*batch); several && actions[stored.result] != "" {
		of.recorded = true
	}
}
