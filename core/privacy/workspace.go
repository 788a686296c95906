package privacy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/retrieval"
	"parley/core/tenant"
)

// Workspaces deletes workspaces: not before the days in which that can be taken back are
// over, unless the operator says so.
type Workspaces struct {
	ports    Ports
	receipts *Receipts
	servers  *servers
	now      func() time.Time
}

// Delete has a workspace end after [tenant.DeletionGrace]. From now on nothing in it
// answers, and nothing more is charged. Its owners get a mail.
func (w *Workspaces) Delete(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	if w.ports.Billing != nil {
		if err := w.ports.Billing.Cancel(ctx, workspaceID); err != nil {
			return tenant.Workspace{}, fault.Wrap(fault.Unavailable, err, "Stripe could not cancel the subscription, so nothing was deleted. Try again in a minute.")
		}
	}
	var ending tenant.Workspace
	err := w.ports.InTx(ctx, func(ctx context.Context) (err error) {
		if ending, err = w.ports.Tenants.Workspaces.End(ctx, workspaceID, tenant.DeletionGrace); err != nil {
			return err
		}
		return w.tellOwners(ctx, workspaceID, endingLetter(w.ports.Letters, ending, audit.ActorOf(ctx).Name))
	})
	w.forget(workspaceID)
	return ending, err
}

// Restore takes the deletion of a workspace back, for an owner or for the operator, who
// has no userID. A subscription stays canceled.
func (w *Workspaces) Restore(ctx context.Context, workspaceID, userID string) error {
	err := w.ports.InTx(ctx, func(ctx context.Context) error {
		if err := w.ports.Tenants.Workspaces.Restore(ctx, workspaceID, userID); err != nil {
			return err
		}
		restored, err := w.ports.Tenants.Workspaces.Workspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		return w.tellOwners(ctx, workspaceID, restoredLetter(w.ports.Letters, restored, audit.ActorOf(ctx).Name))
	})
	w.forget(workspaceID)
	return err
}

// forget has this process look tokens of the workspace up again. Others hear it from the
// database.
func (w *Workspaces) forget(workspaceID string) { w.ports.Chatbots.Callers.Changed(workspaceID) }

// DeleteNow deletes a workspace at once, for the operator, and returns the receipt. It is
// not done while other servers have entries in indexes of their own.
func (w *Workspaces) DeleteNow(ctx context.Context, workspaceID string) (Erasure, error) {
	if w.ports.Billing != nil {
		if err := w.ports.Billing.Cancel(ctx, workspaceID); err != nil {
			return Erasure{}, fault.Wrap(fault.Unavailable, err, "Stripe could not cancel the subscription, so nothing was deleted. Try again in a minute.")
		}
	}
	_, err := w.ports.Tenants.Workspaces.End(ctx, workspaceID, 0)
	w.forget(workspaceID)
	if err != nil && !fault.Is(err, fault.Conflict) { // its time has come already
		return Erasure{}, err
	}
	receipt, err := w.erase(ctx, workspaceID)
	if errors.Is(err, errRemains) {
		return receipt, nil // it is tried again
	}
	return receipt, err
}

// Work erases the workspaces whose time has come, and goes on where it was interrupted. A
// workspace that fails does not keep the others from it.
func (w *Workspaces) Work(ctx context.Context) error {
	ctx = audit.As(ctx, audit.Time)
	var failures []error
	for workspaceID, err := range w.ports.Tenants.Workspaces.Ended(ctx) {
		if err == nil {
			_, err = w.erase(ctx, workspaceID)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failures, context.Cause(ctx))...)
		}
		if err != nil && !errors.Is(err, errRemains) {
			failures = append(failures, fmt.Errorf("workspace %s: %w", workspaceID, err))
		}
	}
	pending, err := w.receipts.ports.Erasures.PendingErasures(ctx, w.receipts.ports.System, maxReceipts)
	failures = append(failures, err)
	for _, e := range pending {
		if e.Kind != Workspace {
			continue
		}
		if _, err := w.ports.Tenants.Workspaces.Workspace(ctx, e.WorkspaceID); fault.Is(err, fault.NotFound) {
			if _, err = w.settle(ctx, e); !errors.Is(err, errRemains) {
				failures = append(failures, err)
			}
		}
	}
	return errors.Join(failures...)
}

// erase deletes a workspace whose time has come: the index forgets each chatbot before
// the rows go. Whatever fails, the next attempt goes on with the same receipt.
func (w *Workspaces) erase(ctx context.Context, workspaceID string) (Erasure, error) {
	receipt, err := w.open(ctx, workspaceID)
	if err != nil {
		return Erasure{}, err
	}
	if w.ports.Billing != nil {
		if err := w.ports.Billing.Cancel(ctx, workspaceID); err != nil {
			return Erasure{}, err
		}
	}
	if err := w.deleteChatbots(ctx, workspaceID); err != nil {
		return Erasure{}, err
	}
	err = w.ports.Tenants.Workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		if !workspace.Ending() || w.now().Before(*workspace.DeleteAt) {
			return fault.New(fault.Conflict, "The workspace was restored.")
		}
		if err := w.tellOwners(ctx, workspaceID, deletedLetter(workspace, receipt)); err != nil {
			return err
		}
		return w.ports.Deletions.DeleteWorkspace(ctx, workspaceID)
	})
	if err != nil {
		return Erasure{}, err
	}
	return w.settle(ctx, receipt)
}

// deleteChatbots has the index forget each chatbot, and count what is left, before the
// rows go by which that could be counted.
func (w *Workspaces) deleteChatbots(ctx context.Context, workspaceID string) error {
	bots, err := w.ports.Chatbots.List(ctx, workspaceID)
	if err != nil {
		return err
	}
	for _, bot := range bots {
		if err := w.ports.Forget(ctx, workspaceID, bot.ID); err != nil {
			return err
		}
		left, err := w.countIndex(ctx, workspaceID, bot.ID)
		if err != nil {
			return err
		}
		if left > 0 {
			return fmt.Errorf("the index still has %d passages of chatbot %s", left, bot.ID)
		}
		if err := w.ports.Chatbots.Delete(ctx, workspaceID, bot.ID); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// countIndex counts what the index holds of a chatbot's documents.
func (w *Workspaces) countIndex(ctx context.Context, workspaceID, chatbotID string) (total int64, err error) {
	scope := retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}
	for documentID, err := range w.ports.Rows.DocumentIDs(ctx, workspaceID, chatbotID) {
		if err != nil {
			return 0, err
		}
		n, err := w.ports.Index.Count(ctx, scope, documentID)
		if err != nil {
			return 0, err
		}
		total += int64(n)
	}
	return total, nil
}

// open returns the receipt of a workspace that is being erased, and begins one if there
// is none.
func (w *Workspaces) open(ctx context.Context, workspaceID string) (receipt Erasure, err error) {
	known, err := w.receipts.Of(ctx, workspaceID)
	if err != nil {
		return Erasure{}, err
	}
	for _, e := range known {
		if e.Kind == Workspace && e.DoneAt == nil {
			return e, nil
		}
	}
	erased, err := w.count(ctx, workspaceID)
	if err != nil {
		return Erasure{}, err
	}
	bots, err := w.ports.Chatbots.List(ctx, workspaceID)
	if err != nil {
		return Erasure{}, err
	}
	erased[IndexEntries] = 0
	for _, bot := range bots {
		n, err := w.countIndex(ctx, workspaceID, bot.ID)
		if err != nil {
			return Erasure{}, err
		}
		erased[IndexEntries] += n
	}
	receipt = w.receipts.draft(ctx, Workspace, workspaceID, WorkspaceHash(workspaceID))
	receipt.Erased = erased
	return receipt, w.ports.InTx(ctx, func(ctx context.Context) error {
		return w.ports.Erasures.AddErasure(ctx, workspaceID, receipt)
	})
}

// WorkspaceHash is the subject of a workspace's receipt.
func WorkspaceHash(workspaceID string) string { return subjectHash("workspace", workspaceID) }

// settle counts what is left of a workspace.
func (w *Workspaces) settle(ctx context.Context, receipt Erasure) (Erasure, error) {
	if err := w.servers.clearIndex(ctx, receipt); err != nil {
		return receipt, err
	}
	remaining, err := w.count(ctx, receipt.WorkspaceID)
	if err != nil {
		return receipt, err
	}
	remaining[IndexEntries] = 0 // counted before the rows went: see deleteChatbots
	return w.receipts.settle(ctx, receipt, remaining)
}

func (w *Workspaces) count(ctx context.Context, workspaceID string) (Counts, error) {
	counts := Counts{}
	for _, t := range Erased() {
		n, err := w.ports.Rows.CountRows(ctx, workspaceID, t)
		if err != nil {
			return nil, err
		}
		counts[t.Name] = n
	}
	return counts, nil
}

// tellOwners writes a letter to each owner, in the transaction of ctx.
func (w *Workspaces) tellOwners(ctx context.Context, workspaceID string, letter outbox.Letter) error {
	members, err := w.ports.Team.Members.List(ctx, workspaceID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Role != tenant.RoleOwner {
			continue
		}
		if err := w.ports.Letters.Write(ctx, m.Email, letter); err != nil {
			return err
		}
	}
	return nil
}
