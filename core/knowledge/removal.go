package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/core/system"
	"parley/internal/id"
)

// Removal is the receipt of a document that was taken away.
type Removal struct {
	// ID is opaque and starts with "rm_".
	ID          string
	WorkspaceID string
	ChatbotID   string
	DocumentID  string
	Title, URL  string
	ContentHash string
	// Passages is how many there were.
	Passages    int
	RequestedAt time.Time
	// ConfirmedAt is when the index said that it holds none of them any more.
	ConfirmedAt *time.Time
	// Answers is how many answers had been given the document, and MessageIDs
	// has the first of them. They are counted with the confirmation, and once
	// more a quarter of an hour later, when all that had begun have ended.
	Answers    int
	MessageIDs []int64
}

// RemovalStore is the port to the receipts of removed documents.
type RemovalStore interface {
	CreateRemoval(ctx context.Context, workspaceID string, removal Removal) error
	ConfirmRemoval(ctx context.Context, workspaceID, documentID string, at time.Time, answers int, messageIDs []int64) error
	// Removals returns a chatbot's receipts, the latest first, at most limit.
	Removals(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Removal, error)
	// Removal returns one receipt of a chatbot.
	Removal(ctx context.Context, workspaceID, chatbotID, removalID string) (Removal, error)
	// RemovalOf returns the receipt of a document.
	RemovalOf(ctx context.Context, workspaceID, chatbotID, documentID string) (Removal, error)
	// TrimRemovals deletes, in every workspace that has more than limit receipts,
	// the oldest of those that were counted for good.
	TrimRemovals(ctx context.Context, access system.Access, limit int) error
	// AnswersFrom counts the answers that were given a document, and returns
	// the message IDs of the first.
	AnswersFrom(ctx context.Context, workspaceID, chatbotID, documentID string, limit int) (count int, messageIDs []int64, err error)
	// RemovalsToCount returns receipts of every workspace that were confirmed
	// before a time and whose answers have not been counted for good, the
	// earliest first, at most limit.
	RemovalsToCount(ctx context.Context, access system.Access, confirmedBefore time.Time, limit int) ([]Removal, error)
	// CountRemoval writes the answers of a receipt as counted for good at a
	// time. A receipt that has gone is no error.
	CountRemoval(ctx context.Context, workspaceID, removalID string, answers int, messageIDs []int64, at time.Time) error
}

// Removals takes documents out of answers, the index and the database, and
// writes the receipts.
type Removals struct {
	workspaces *workspaces
	documents  DocumentStore
	uploads    UploadStore
	originals  originals
	receipts   RemovalStore
	undo       UndoStore
	audit      audit.Log
	system     system.Access
	index      retrieval.Index
	now        func() time.Time
	random     io.Reader
}

// messagesOnReceipt is how many answers a receipt names.
const messagesOnReceipt = 1000

// mark takes a document out of every answer, and writes its receipt.
func (s *Removals) mark(ctx context.Context, document Document) error {
	if document.State == Removing {
		return nil
	}
	err := s.receipts.CreateRemoval(ctx, document.WorkspaceID, Removal{
		ID: id.New(s.random, "rm"), WorkspaceID: document.WorkspaceID, ChatbotID: document.ChatbotID,
		DocumentID: document.ID, Title: document.Title, URL: document.URL, ContentHash: document.ContentHash,
		Passages: document.Passages, RequestedAt: s.now(),
	})
	if err != nil {
		return err
	}
	if err := s.deleteFiles(ctx, document.WorkspaceID, document.ID); err != nil {
		return err
	}
	return s.documents.MarkRemoving(ctx, document.WorkspaceID, document.ID, s.now())
}

// deleteFiles deletes the file of a document, whether it is kept or waits to be read.
func (s *Removals) deleteFiles(ctx context.Context, workspaceID, documentID string) error {
	return errors.Join(s.originals.store.DeleteOriginal(ctx, workspaceID, documentID), s.uploads.DeleteUpload(ctx, workspaceID, documentID))
}

// record writes into the audit log that knowledge was taken away. What
// it was called stays out: the receipt has it.
func (s *Removals) record(ctx context.Context, workspaceID string, action audit.Action, object audit.Object, chatbotID string) error {
	return audit.Record(ctx, s.audit, workspaceID, s.now(), audit.Entry{
		Action: action, Object: object, Detail: "In the chatbot " + chatbotID + ".",
	})
}

// finish takes a removing document out of the index, and then out of the
// database.
func (s *Removals) finish(ctx context.Context, document Document) error {
	if document.Undo.State != "" {
		if err := s.endUndo(ctx, document, s.now()); err != nil {
			return err
		}
	}
	scope := retrieval.Scope{WorkspaceID: document.WorkspaceID, ChatbotID: document.ChatbotID}
	if err := s.index.Remove(ctx, scope, document.ID); err != nil {
		return err
	}
	left, err := s.index.Count(ctx, scope, document.ID)
	if err != nil {
		return err
	}
	if left > 0 {
		return fault.Wrap(fault.Upstream, fmt.Errorf("%d passages left", left), "The index of this server still holds the document, and its operator has been told. Parley tries again.").ForOperator()
	}
	answers, messages, err := s.receipts.AnswersFrom(ctx, document.WorkspaceID, document.ChatbotID, document.ID, messagesOnReceipt)
	if err != nil {
		return err
	}
	return s.workspaces.InTx(ctx, func(ctx context.Context) error {
		// A request that deletes the chatbot meanwhile locks the workspace first, too, and
		// then the same rows in another order.
		if _, err := s.workspaces.lock(ctx, document.WorkspaceID); err != nil {
			return taken(err)
		}
		err := s.receipts.ConfirmRemoval(ctx, document.WorkspaceID, document.ID, s.now(), answers, messages)
		if err != nil {
			return err
		}
		return s.documents.DeleteDocument(ctx, document.WorkspaceID, document.ID)
	})
}

const (
	// answersEnd is how long after its removal an answer may still end that
	// had been given the document.
	answersEnd = 15 * time.Minute
	// countedAtOnce is how many receipts are counted again at a time.
	countedAtOnce = 50
)

// countAgain counts the answers of receipts for good, some time after they were
// confirmed, for no longer than a slice. Where there are fewer by now, because
// conversations have been deleted, the receipt says what it said.
func (s *Removals) countAgain(ctx context.Context) error {
	receipts, err := s.receipts.RemovalsToCount(ctx, s.system, s.now().Add(-answersEnd), countedAtOnce)
	if err != nil {
		return err
	}
	var failures []error
	until := s.now().Add(sliceTime)
	for _, r := range receipts {
		if !s.now().Before(until) {
			break
		}
		answers, messages, err := s.receipts.AnswersFrom(ctx, r.WorkspaceID, r.ChatbotID, r.DocumentID, messagesOnReceipt)
		if err == nil {
			if answers < r.Answers {
				answers, messages = r.Answers, r.MessageIDs
			}
			err = s.receipts.CountRemoval(ctx, r.WorkspaceID, r.ID, answers, messages, s.now())
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// listLimit bounds what a list shows.
const listLimit = 1000

// List returns the receipts of a chatbot, the latest first.
func (s *Removals) List(ctx context.Context, workspaceID, chatbotID string) ([]Removal, error) {
	if _, err := s.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.receipts.Removals(ctx, workspaceID, chatbotID, listLimit)
}

// Get returns one receipt.
func (s *Removals) Get(ctx context.Context, workspaceID, chatbotID, removalID string) (Removal, error) {
	return s.receipts.Removal(ctx, workspaceID, chatbotID, removalID)
}

// Forget takes all that a chatbot knows out of the index.
func (s *Removals) Forget(ctx context.Context, workspaceID, chatbotID string) error {
	return s.index.Drop(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID})
}
