package tenant

import (
	"context"

	"parley/core/fault"
)

// Subscription returns how a workspace pays. One that was never a customer has
// the zero value.
func (s *Service) Subscription(ctx context.Context, workspaceID string) (Subscription, error) {
	subscription, err := s.store.Subscription(ctx, workspaceID)
	if fault.Is(err, fault.NotFound) {
		return Subscription{WorkspaceID: workspaceID}, nil
	}
	return subscription, err
}

// Subscriptions returns those of all workspaces that ever were customers.
func (s *Service) Subscriptions(ctx context.Context) ([]Subscription, error) {
	return s.store.Subscriptions(ctx)
}

// WorkspaceByCustomer returns the workspace of one of Stripe's customers. It is
// NotFound if none has that customer.
func (s *Service) WorkspaceByCustomer(ctx context.Context, customerID string) (string, error) {
	return s.store.WorkspaceByCustomer(ctx, customerID)
}

// SetCustomer makes a workspace known as one of Stripe's customers. Of several
// the first stays, and what stays is returned.
func (s *Service) SetCustomer(ctx context.Context, workspaceID string, customer Customer) (Subscription, error) {
	var stands Subscription
	err := s.locked(ctx, workspaceID, func(ctx context.Context, _ Workspace) error {
		var err error
		stands, err = s.Subscription(ctx, workspaceID)
		if err != nil || stands.CustomerID != "" {
			return err
		}
		stands.CustomerID, stands.Account = customer.ID, customer.Account
		return s.store.SaveSubscription(ctx, workspaceID, stands)
	})
	return stands, err
}

// ReplaceCustomer gives a workspace another customer, in place of one that
// Stripe has deleted or does not know. If it has another by now, that stays. It
// returns what stands.
func (s *Service) ReplaceCustomer(ctx context.Context, workspaceID, replaced string, customer Customer) (Subscription, error) {
	var stands Subscription
	err := s.locked(ctx, workspaceID, func(ctx context.Context, _ Workspace) error {
		var err error
		stands, err = s.store.Subscription(ctx, workspaceID)
		if err != nil || stands.CustomerID != replaced {
			return err
		}
		stands.CustomerID, stands.Account, stands.MissingAt = customer.ID, customer.Account, nil
		return s.store.SaveSubscription(ctx, workspaceID, stands)
	})
	return stands, err
}

// BeginCheckout notes that an owner was sent to pay. It is NotFound for a
// workspace that is no customer yet.
func (s *Service) BeginCheckout(ctx context.Context, workspaceID string) error {
	now := s.now()
	return s.changeCustomer(ctx, workspaceID, func(c *Subscription) { c.CheckoutAt = &now })
}

// CustomerTold notes that Stripe has the owner's address.
func (s *Service) CustomerTold(ctx context.Context, workspaceID string) error {
	return s.changeCustomer(ctx, workspaceID, func(c *Subscription) { c.CustomerStale = false })
}

// CustomerMissing notes that Stripe does not know a workspace's customer, and
// reports whether that is news. A workspace that has another customer by now
// stays as it is.
func (s *Service) CustomerMissing(ctx context.Context, workspaceID, customerID string) (news bool, err error) {
	now := s.now()
	err = s.changeCustomer(ctx, workspaceID, func(c *Subscription) {
		news = c.CustomerID == customerID && c.MissingAt == nil
		if news {
			c.MissingAt = &now
		}
	})
	return news && err == nil, err
}

// changeCustomer changes what is ours of a subscription's row. Its revision
// stays: that counts what was read at Stripe.
func (s *Service) changeCustomer(ctx context.Context, workspaceID string, change func(*Subscription)) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, _ Workspace) error {
		customer, err := s.store.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		change(&customer)
		return s.store.SaveSubscription(ctx, workspaceID, customer)
	})
}

// customerIsStale notes that Stripe has an old address, if it has one.
func (s *Service) customerIsStale(ctx context.Context, workspaceID string) error {
	err := s.changeCustomer(ctx, workspaceID, func(c *Subscription) { c.CustomerStale = true })
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// OwnerEmail returns the address of who has been an owner for longest: Stripe
// knows the workspace by it.
func (s *Service) OwnerEmail(ctx context.Context, workspaceID string) (string, error) {
	members, err := s.store.Members(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	payer := firstOwner(members)
	if payer.Email == "" {
		return "", fault.New(fault.NotFound, "The workspace has no owner.")
	}
	return payer.Email, nil
}

// firstOwner returns the owner who joined first, of members in that order.
func firstOwner(members []Member) Member {
	for _, m := range members {
		if m.Role == RoleOwner {
			return m
		}
	}
	return Member{}
}

// locked runs fn in a transaction that has a workspace to itself.
func (s *Service) locked(ctx context.Context, workspaceID string, fn func(context.Context, Workspace) error) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.store.LockWorkspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		return fn(ctx, workspace)
	})
}
