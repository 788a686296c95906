package subscription

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/tenant"
)

// Customers maps workspaces to Stripe's customers.
type Customers struct {
	db         Database
	workspaces *tenant.Workspaces
	book       *book
	now        func() time.Time
}

// WorkspaceOf returns the workspace of a customer at Stripe. It is NotFound if no
// workspace has that customer.
func (c *Customers) WorkspaceOf(ctx context.Context, customerID string) (string, error) {
	return c.db.Subscriptions.WorkspaceByCustomer(ctx, c.db.System, customerID)
}

// Set records a workspace's customer at Stripe. If there already is one, it stays. It
// returns the row.
func (c *Customers) Set(ctx context.Context, workspaceID string, customer Customer) (Subscription, error) {
	var stands Subscription
	err := c.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		var err error
		stands, err = c.db.subscriptionOf(ctx, workspaceID)
		if err != nil || stands.CustomerID != "" {
			return err
		}
		stands.CustomerID, stands.Account = customer.ID, customer.Account
		return c.db.Subscriptions.SaveSubscription(ctx, workspaceID, stands)
	})
	return stands, err
}

// Replace replaces a workspace's customer that Stripe has deleted or does not know. If
// the workspace has another customer by now, that stays. It returns the row.
func (c *Customers) Replace(ctx context.Context, workspaceID, replaced string, customer Customer) (Subscription, error) {
	var stands Subscription
	err := c.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		var err error
		stands, err = c.db.Subscriptions.Subscription(ctx, workspaceID)
		if err != nil || stands.CustomerID != replaced {
			return err
		}
		stands.CustomerID, stands.Account, stands.MissingAt = customer.ID, customer.Account, nil
		return c.db.Subscriptions.SaveSubscription(ctx, workspaceID, stands)
	})
	return stands, err
}

// BeginCheckout records that an owner was sent to pay. It is NotFound for a workspace without
// a customer.
func (c *Customers) BeginCheckout(ctx context.Context, workspaceID string) error {
	now := c.now()
	return c.change(ctx, workspaceID, func(s *Subscription) { s.CheckoutAt = &now })
}

// MarkTold records that Stripe has the owner's address.
func (c *Customers) MarkTold(ctx context.Context, workspaceID string) error {
	return c.change(ctx, workspaceID, func(s *Subscription) { s.CustomerStale = false })
}

// MarkMissing records that Stripe does not know a workspace's customer, and reports
// whether that is new. It changes nothing if the workspace has another customer by now.
func (c *Customers) MarkMissing(ctx context.Context, workspaceID, customerID string) (news bool, err error) {
	now := c.now()
	err = c.change(ctx, workspaceID, func(s *Subscription) {
		news = s.CustomerID == customerID && s.MissingAt == nil
		if news {
			s.MissingAt = &now
		}
	})
	return news && err == nil, err
}

// change changes our own fields of a subscription's row. Its revision stays, because that
// counts reads at Stripe.
func (c *Customers) change(ctx context.Context, workspaceID string, change func(*Subscription)) error {
	return c.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		customer, err := c.db.Subscriptions.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		change(&customer)
		return c.db.Subscriptions.SaveSubscription(ctx, workspaceID, customer)
	})
}

// OwnerChanges records that Stripe has an old address of a workspace's owner, if it has one.
func (c *Customers) OwnerChanges(ctx context.Context, workspaceID string) error {
	err := c.change(ctx, workspaceID, func(s *Subscription) { s.CustomerStale = true })
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// OwnerEmail returns the address of the longest-standing owner, which Stripe has for the
// workspace.
func (c *Customers) OwnerEmail(ctx context.Context, workspaceID string) (string, error) {
	members, err := c.db.Members.Members(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	payer := tenant.FirstOwner(members)
	if payer.Email == "" {
		return "", fault.New(fault.NotFound, "The workspace has no owner.")
	}
	return payer.Email, nil
}

// EmailChanges records a user's new address in the workspaces for which Stripe has the user's
// address.
func (c *Customers) EmailChanges(ctx context.Context, user account.User, email string) error {
	memberships, err := c.db.Members.Memberships(ctx, c.db.System, user.ID)
	if err != nil {
		return err
	}
	// Take locks in one order, or two people who change theirs concurrently could wait
	// for each other.
	slices.SortFunc(memberships, func(a, b tenant.Membership) int { return cmp.Compare(a.Workspace.ID, b.Workspace.ID) })
	for _, m := range memberships {
		if err := c.emailChanges(ctx, m, user, email); err != nil {
			return err
		}
	}
	return nil
}

func (c *Customers) emailChanges(ctx context.Context, m tenant.Membership, user account.User, email string) error {
	if m.Role != tenant.RoleOwner {
		return nil
	}
	return c.workspaces.Locked(ctx, m.Workspace.ID, func(ctx context.Context, workspace tenant.Workspace) error {
		members, err := c.db.Members.Members(ctx, workspace.ID)
		if err != nil || tenant.FirstOwner(members).UserID != user.ID {
			return err
		}
		if err := c.OwnerChanges(ctx, workspace.ID); err != nil {
			return err
		}
		return c.book.record(ctx, workspace.ID, audit.EmailChanged, "The owner's address is now "+email+".")
	})
}
