package knowledge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/retrieval"
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

// messagesOnReceipt is how many answers a receipt names.
const messagesOnReceipt = 1000

// Remove takes a document out of every answer at once, and then out of the
// index and the database. If the index fails the document stays Removing, and
// is tried again until the index confirms that no passage is left.
func (s *Service) Remove(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	var document Document
	err := s.inWorkspace(ctx, workspaceID, []string{IndexWork}, func(ctx context.Context) (err error) {
		if document, err = s.store.Document(ctx, workspaceID, chatbotID, documentID); err != nil {
			return err
		}
		if document.State == Removing {
			return nil
		}
		if err := s.markRemoving(ctx, document); err != nil {
			return err
		}
		return s.recordRemoval(ctx, workspaceID, audit.DocumentRemoved, audit.Object{Kind: "document", ID: documentID}, chatbotID)
	})
	if err != nil {
		return err
	}
	if document.State == Indexing { // who puts it into the index takes it out before it goes
		return nil
	}
	if err := s.remove(ctx, document); err != nil {
		s.log.Warn("document not removed yet", "document_id", documentID, "error", err)
	}
	return nil
}

// recordRemoval writes into the audit log that knowledge was taken away. What
// it was called stays out: the receipt has it.
func (s *Service) recordRemoval(ctx context.Context, workspaceID string, action audit.Action, object audit.Object, chatbotID string) error {
	return audit.Record(ctx, s.store, workspaceID, s.now(), audit.Entry{
		Action: action, Object: object, Detail: "Of the chatbot " + chatbotID + ".",
	})
}

// markRemoving takes a document out of every answer, and writes its receipt.
func (s *Service) markRemoving(ctx context.Context, document Document) error {
	if document.State == Removing {
		return nil
	}
	err := s.store.CreateRemoval(ctx, document.WorkspaceID, Removal{
		ID: id.New(s.random, "rm"), WorkspaceID: document.WorkspaceID, ChatbotID: document.ChatbotID,
		DocumentID: document.ID, Title: document.Title, URL: document.URL, ContentHash: document.ContentHash,
		Passages: document.Passages, RequestedAt: s.now(),
	})
	if err != nil {
		return err
	}
	if err := s.store.DeleteUpload(ctx, document.WorkspaceID, document.ID); err != nil {
		return err
	}
	return s.store.MarkRemoving(ctx, document.WorkspaceID, document.ID, s.now())
}

// remove takes a removing document out of the index, and then out of the
// database.
func (s *Service) remove(ctx context.Context, document Document) error {
	scope := retrieval.Scope{WorkspaceID: document.WorkspaceID, ChatbotID: document.ChatbotID}
	if err := s.index.Remove(ctx, scope, document.ID); err != nil {
		return err
	}
	left, err := s.index.Count(ctx, scope, document.ID)
	if err != nil {
		return err
	}
	if left > 0 {
		return fault.Wrap(fault.Upstream, fmt.Errorf("%d passages left", left), "The index still holds the document.")
	}
	answers, messages, err := s.store.AnswersFrom(ctx, document.WorkspaceID, document.ChatbotID, document.ID, messagesOnReceipt)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context) error {
		// Who deletes the chatbot meanwhile locks the workspace first, too, and
		// then the same rows in another order.
		if _, err := s.store.LockWorkspace(ctx, document.WorkspaceID); err != nil {
			return taken(err)
		}
		err := s.store.ConfirmRemoval(ctx, document.WorkspaceID, document.ID, s.now(), answers, messages)
		if err != nil {
			return err
		}
		return s.store.DeleteDocument(ctx, document.WorkspaceID, document.ID)
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
// confirmed, for no longer than a turn. Where there are fewer by now, because
// conversations have been deleted, the receipt says what it said.
func (s *Service) countAgain(ctx context.Context) error {
	receipts, err := s.store.RemovalsToCount(ctx, s.now().Add(-answersEnd), countedAtOnce)
	if err != nil {
		return err
	}
	var failures []error
	until := s.now().Add(turnTime)
	for _, r := range receipts {
		if !s.now().Before(until) {
			break
		}
		answers, messages, err := s.store.AnswersFrom(ctx, r.WorkspaceID, r.ChatbotID, r.DocumentID, messagesOnReceipt)
		if err == nil {
			if answers < r.Answers {
				answers, messages = r.Answers, r.MessageIDs
			}
			err = s.store.CountRemoval(ctx, r.WorkspaceID, r.ID, answers, messages, s.now())
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// Removals returns the receipts of a chatbot, the latest first.
func (s *Service) Removals(ctx context.Context, workspaceID, chatbotID string) ([]Removal, error) {
	if _, err := s.store.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.store.Removals(ctx, workspaceID, chatbotID, listLimit)
}

// listLimit bounds what a list shows.
const listLimit = 1000

// Forget takes all that a chatbot knows out of the index.
func (s *Service) Forget(ctx context.Context, workspaceID, chatbotID string) error {
	return s.index.Drop(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID})
}
