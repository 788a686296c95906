package privacy

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/fault"
)

// EndUsers erases what is stored of the people who talk to a workspace's chatbots. Parley
// knows them by the external_user_id alone that calling programs give.
type EndUsers struct {
	ports    Ports
	receipts *Receipts
	now      func() time.Time
}

// EndUserStore finds and deletes what is stored of an end user.
type EndUserStore interface {
	// TakeEndUser gives the conversations of an end user another name, under which
	// nobody but an erasure finds them, takes the references to them out of usage
	// records, and deletes the events that name them. It returns what there was.
	TakeEndUser(ctx context.Context, workspaceID, externalUserID, name string) (Counts, error)
	// EraseTaken deletes up to limit conversations with a name, and all that belongs to
	// them, and reports whether any is left. One in which an answer is being generated
	// is left.
	EraseTaken(ctx context.Context, workspaceID, name string, limit int) (more bool, err error)
	// CountTaken counts the remaining rows of an erased end user, after forgetting cached answers.
	CountTaken(ctx context.Context, workspaceID, name string) (Counts, error)
}

const (
	// erasedAtOnce is how many conversations one transaction deletes.
	erasedAtOnce = 100
	// maxExternalID is the API's limit for an external_user_id.
	maxExternalID = 255
)

// EndUserHash is the subject of an end user's receipts.
func EndUserHash(workspaceID, externalUserID string) string {
	return subjectHash("end user", workspaceID, externalUserID)
}

// CheckEndUser refuses an invalid external_user_id.
func CheckEndUser(externalUserID string) error {
	if externalUserID == "" || utf8.RuneCountInString(externalUserID) > maxExternalID {
		return fault.InField("external_user_id", "The external user ID must have 1 to %d characters.", maxExternalID)
	}
	return nil
}

// Erase erases what is stored of an end user in a workspace, and returns the receipt. From
// its first transaction on nobody finds it any more. What cannot be deleted at once,
// because an answer is being generated, goes within minutes: the receipt is not done until
// then, and a crash does not keep it from it.
func (s *EndUsers) Erase(ctx context.Context, workspaceID, externalUserID string) (receipt Erasure, err error) {
	if err := CheckEndUser(externalUserID); err != nil {
		return Erasure{}, err
	}
	err = s.ports.InTx(ctx, func(ctx context.Context) error {
		receipt = s.receipts.draft(ctx, EndUser, workspaceID, EndUserHash(workspaceID, externalUserID))
		if receipt.Erased, err = s.ports.EndUsers.TakeEndUser(ctx, workspaceID, externalUserID, receipt.ID); err != nil {
			return err
		}
		if err := s.ports.Erasures.AddErasure(ctx, workspaceID, receipt); err != nil {
			return err
		}
		return audit.Record(ctx, s.ports.Audit, workspaceID, s.now(), audit.Entry{
			Action: audit.EndUserErased, Object: audit.Object{Kind: "erasure", ID: receipt.ID},
			Detail: fmt.Sprintf("%d conversations of one end user.", receipt.Erased["conversations"]),
		})
	})
	if err != nil {
		return Erasure{}, err
	}
	s.ports.ForgetTurns(workspaceID)
	done, err := s.finish(ctx, receipt)
	if errors.Is(err, errRemains) || fault.Is(err, fault.Unavailable) {
		return done, nil // it is tried again
	}
	return done, err
}

// Work goes on with erasures that were interrupted, or had to wait.
func (s *EndUsers) Work(ctx context.Context) error {
	pending, err := s.ports.Erasures.PendingErasures(ctx, s.ports.System, maxReceipts)
	failures := []error{err}
	for _, e := range pending {
		if e.Kind != EndUser {
			continue
		}
		if _, err := s.finish(ctx, e); err != nil && !errors.Is(err, errRemains) {
			failures = append(failures, fmt.Errorf("erasure %s: %w", e.ID, err))
		}
	}
	return errors.Join(failures...)
}

func (s *EndUsers) finish(ctx context.Context, receipt Erasure) (Erasure, error) {
	for {
		more := false
		err := s.ports.InTx(ctx, func(ctx context.Context) (err error) {
			more, err = s.ports.EndUsers.EraseTaken(ctx, receipt.WorkspaceID, receipt.ID, erasedAtOnce)
			return err
		})
		if err != nil {
			return receipt, err
		}
		if !more {
			break
		}
	}
	var remaining Counts
	err := s.ports.InTx(ctx, func(ctx context.Context) (err error) {
		remaining, err = s.ports.EndUsers.CountTaken(ctx, receipt.WorkspaceID, receipt.ID)
		return err
	})
	if err != nil {
		return receipt, err
	}
	return s.receipts.settle(ctx, receipt, remaining)
}
