package privacy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
)

// Persons deletes the accounts of people who ask for it.
type Persons struct {
	ports      Ports
	receipts   *Receipts
	workspaces *Workspaces
	now        func() time.Time
}

// PersonStore deletes what is stored of a person who signs in.
type PersonStore interface {
	// CountPerson counts what is stored of a person.
	CountPerson(ctx context.Context, access system.Access, userID, email string) (Counts, error)
	// ErasePerson deletes it. What others made stays, without the name.
	ErasePerson(ctx context.Context, access system.Access, userID, email string) error
}

// Leaving is what a person's account takes with it.
type Leaving struct {
	// Alone are the workspaces in which nobody else is: they are deleted, too.
	Alone []tenant.Workspace
	// Needed are those that have other members and would be left without an owner: the
	// account cannot be deleted before another one owns them.
	Needed []tenant.Workspace
	// Shared are the others.
	Shared []tenant.Workspace
}

// Leaving returns what the deletion of an account takes with it, for the page that asks.
func (p *Persons) Leaving(ctx context.Context, userID string) (leaving Leaving, err error) {
	memberships, err := p.ports.Team.People.Memberships(ctx, userID)
	if err != nil {
		return Leaving{}, err
	}
	for _, m := range memberships {
		members, err := p.ports.Team.Members.List(ctx, m.Workspace.ID)
		if err != nil {
			return Leaving{}, err
		}
		owners := slices.DeleteFunc(slices.Clone(members), func(m tenant.Member) bool { return m.Role != tenant.RoleOwner })
		switch {
		case len(members) == 1:
			leaving.Alone = append(leaving.Alone, m.Workspace)
		case len(owners) == 1 && owners[0].UserID == userID:
			leaving.Needed = append(leaving.Needed, m.Workspace)
		default:
			leaving.Shared = append(leaving.Shared, m.Workspace)
		}
	}
	return leaving, nil
}

// Needed is a Conflict while a workspace with others would be left without an owner.
func (p *Persons) Needed(ctx context.Context, userID string) error {
	leaving, err := p.Leaving(ctx, userID)
	if err == nil && len(leaving.Needed) > 0 {
		err = errNeeded(leaving.Needed)
	}
	return err
}

// names lists workspaces in a sentence.
func names(workspaces []tenant.Workspace) string {
	all := make([]string, len(workspaces))
	for i, w := range workspaces {
		all[i] = "“" + w.ShortName() + "”"
	}
	return strings.Join(all, ", ")
}

// AccountHash is the subject of an account's receipt.
func AccountHash(email string) string { return subjectHash("account", strings.ToLower(email)) }

// Delete erases a person's account, once they have shown that it is them. Workspaces in which nobody else is are deleted with it, in the usual time. It is a
// Conflict while a workspace with others would be left without an owner. The receipt goes
// to their address.
func (p *Persons) Delete(ctx context.Context, userID string, shown account.Evidence, client account.Client) (receipt Erasure, err error) {
	user, err := p.ports.Accounts.Passwords.Confirm(ctx, userID, shown, client)
	if err != nil {
		return Erasure{}, err
	}
	return p.DeleteProven(ctx, user)
}

// DeleteProven is [Persons.Delete] of somebody who has proved who they are, or whom the
// operator deletes.
func (p *Persons) DeleteProven(ctx context.Context, user account.User) (receipt Erasure, err error) {
	if err := p.Needed(ctx, user.ID); err != nil {
		return Erasure{}, err
	}
	leaving, err := p.Leaving(ctx, user.ID)
	if err != nil {
		return Erasure{}, err
	}
	if p.ports.Billing != nil {
		for _, w := range leaving.Alone {
			if err := p.ports.Billing.Cancel(ctx, w.ID); err != nil {
				return Erasure{}, fault.Wrap(fault.Unavailable, err, "Stripe could not cancel the subscription of “%s”, so nothing was deleted. Try again in a minute.", w.ShortName())
			}
		}
	}
	err = p.ports.InTx(ctx, func(ctx context.Context) error {
		receipt, err = p.delete(ctx, user)
		return err
	})
	if err != nil {
		return Erasure{}, err
	}
	for _, w := range leaving.Alone {
		p.workspaces.forget(w.ID)
	}
	return p.receipts.settle(ctx, receipt, receipt.Remaining)
}

// Work ends deletions of accounts that were interrupted after their transaction.
func (p *Persons) Work(ctx context.Context) error {
	pending, err := p.ports.Erasures.PendingErasures(ctx, p.ports.System, maxReceipts)
	failures := []error{err}
	for _, e := range pending {
		if e.Kind == Account {
			_, err := p.receipts.settle(ctx, e, e.Remaining)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func errNeeded(workspaces []tenant.Workspace) error {
	return fault.New(fault.Conflict, "You are the only owner of %s, where others work. Make one of them an owner, or delete the workspace, and then delete your account.", names(workspaces))
}

// delete does it in the transaction of ctx, by what is true there.
func (p *Persons) delete(ctx context.Context, user account.User) (receipt Erasure, err error) {
	leaving, err := p.Leaving(ctx, user.ID)
	if err != nil {
		return Erasure{}, err
	}
	if len(leaving.Needed) > 0 {
		return Erasure{}, errNeeded(leaving.Needed)
	}
	for _, w := range leaving.Shared {
		if err := p.ports.Team.Members.Leave(ctx, w.ID, user.ID); err != nil {
			return Erasure{}, err
		}
	}
	for _, w := range leaving.Alone {
		if _, err := p.ports.Tenants.Workspaces.End(ctx, w.ID, tenant.DeletionGrace); err != nil {
			return Erasure{}, err
		}
	}
	receipt = p.receipts.draft(ctx, Account, "", AccountHash(user.Email))
	if receipt.Erased, err = p.ports.Persons.CountPerson(ctx, p.ports.System, user.ID, user.Email); err != nil {
		return Erasure{}, err
	}
	if err := p.ports.Persons.ErasePerson(ctx, p.ports.System, user.ID, user.Email); err != nil {
		return Erasure{}, err
	}
	if receipt.Remaining, err = p.ports.Persons.CountPerson(ctx, p.ports.System, user.ID, user.Email); err != nil {
		return Erasure{}, err
	}
	if err := p.ports.Erasures.AddErasure(ctx, "", receipt); err != nil {
		return Erasure{}, err
	}
	err = audit.Record(ctx, p.ports.Audit, "", p.now(), audit.Entry{
		Action: audit.AccountDeleted, Object: audit.Object{Kind: "account", ID: user.ID, Name: user.Email}, Detail: "The receipt is " + receipt.ID + ".",
	})
	if err != nil {
		return Erasure{}, err
	}
	return receipt, p.ports.Letters.WriteOnce(ctx, user.Email, goodbyeLetter(leaving, receipt))
}
