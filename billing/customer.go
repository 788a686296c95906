package billing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/customer"

	"parley/billing/stripeapi"
	"parley/core/fault"
	"parley/core/subscription"
)

// metadataWorkspace names the workspace in objects at Stripe, for people who look there.
const metadataWorkspace = "workspace"

// ensureCustomer returns the subscription of a workspace, and creates its customer if needed.
func (s *Service) ensureCustomer(ctx context.Context, workspaceID string) (subscription.Subscription, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID != "" {
		return known, err
	}
	made, err := s.createCustomer(ctx, workspaceID, "")
	if err != nil {
		return known, err
	}
	return s.books.Customers.Set(ctx, workspaceID, made)
}

// createCustomer creates a customer, replacing a deleted one or none.
func (s *Service) createCustomer(ctx context.Context, workspaceID, deleted string) (subscription.Customer, error) {
	email, err := s.books.Customers.OwnerEmail(ctx, workspaceID)
	if err != nil {
		return subscription.Customer{}, err
	}
	here, err := s.Account(ctx)
	if err != nil {
		return subscription.Customer{}, err
	}
	workspace, err := s.books.Workspaces.Workspace(ctx, workspaceID)
	if err != nil {
		return subscription.Customer{}, err
	}
	client := customer.Client{B: s.api.Backend, Key: s.api.Key}
	made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Customer, error) {
		params := &stripe.CustomerParams{
			Email: stripe.String(email), Name: stripe.String(workspace.Name), InvoiceSettings: invoiceSettings(workspace.Name),
		}
		params.Context = ctx
		params.AddMetadata(metadataWorkspace, workspaceID)
		params.SetIdempotencyKey(customerKey(workspaceID, email+"\n"+workspace.Name+"\n"+deleted))
		return client.New(params)
	})
	if err != nil {
		return subscription.Customer{}, err
	}
	return subscription.Customer{ID: made.ID, Account: here}, nil
}

// replaceStray gives a workspace a new customer if this Stripe does not have the old one. It
// returns the given failure for a workspace that may still pay elsewhere, because an
// operator has to look into that.
func (s *Service) replaceStray(ctx context.Context, workspaceID string, failure error) error {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil {
		return err
	}
	if known.ID != "" && !known.Status.Terminal() {
		return failure
	}
	_, err = s.replaceCustomer(ctx, known)
	return err
}

// replaceCustomer gives a workspace a new customer, and returns its row.
func (s *Service) replaceCustomer(ctx context.Context, known subscription.Subscription) (subscription.Subscription, error) {
	made, err := s.createCustomer(ctx, known.WorkspaceID, known.CustomerID)
	if err != nil {
		return known, err
	}
	return s.books.Customers.Replace(ctx, known.WorkspaceID, known.CustomerID, made)
}

// invoiceSettings puts the workspace's name on each invoice, because a business may enter
// another name at the checkout. Stripe allows 140 characters.
func invoiceSettings(workspace string) *stripe.CustomerInvoiceSettingsParams {
	return &stripe.CustomerInvoiceSettingsParams{CustomFields: []*stripe.CustomerInvoiceSettingsCustomFieldParams{
		{Name: stripe.String("Workspace"), Value: stripe.String(workspace)},
	}}
}

// customerKey makes two concurrent tries create only one customer. Stripe refuses a
// repeated key with another address, so the address is part of the purpose.
func customerKey(workspaceID, purpose string) string {
	sum := sha256.Sum256([]byte(purpose))
	return "customer-" + workspaceID + "-" + hex.EncodeToString(sum[:8])
}

// tellTries is how often an address is sent if it changes meanwhile.
const tellTries = 3

// PushCustomers sends owners' changed addresses to Stripe. It retries failed ones the next
// time.
func (s *Service) PushCustomers(ctx context.Context) error {
	return each(ctx, s, s.books.Ledger.Stale(ctx), func(known subscription.Subscription) error { return s.pushCustomer(ctx, known) })
}

func (s *Service) pushCustomer(ctx context.Context, known subscription.Subscription) error {
	told := ""
	for range tellTries {
		email, err := s.books.Customers.OwnerEmail(ctx, known.WorkspaceID)
		if err != nil || email == told {
			return err
		}
		err = s.setCustomerEmail(ctx, known.CustomerID, email)
		if stripeapi.Missing(err) { // a deleted customer needs no address
			err = s.noteStray(ctx, known, s.confirmCustomerDeleted(ctx, known))
		}
		if err != nil {
			return err
		}
		if err := s.books.Customers.MarkTold(ctx, known.WorkspaceID); err != nil {
			return err
		}
		told = email // and check whether it has changed by now
	}
	return nil
}

func (s *Service) setCustomerEmail(ctx context.Context, customerID, email string) error {
	client := customer.Client{B: s.api.Backend, Key: s.api.Key}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Customer, error) {
		params := &stripe.CustomerParams{Email: stripe.String(email)}
		params.Context = ctx
		return client.Update(customerID, params)
	})
	return err
}

// confirmCustomerDeleted returns nil for a customer that was deleted at Stripe, which ends its
// subscriptions. If Stripe never knew the customer, nothing ends: the key then belongs to
// another account, and somebody may have paid.
func (s *Service) confirmCustomerDeleted(ctx context.Context, known subscription.Subscription) error {
	client := customer.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Customer, error) {
		params := &stripe.CustomerParams{}
		params.Context = ctx
		return client.Get(known.CustomerID, params)
	})
	switch {
	case stripeapi.Missing(err):
		return strayFault(false)
	case err != nil:
		return err
	case !found.Deleted:
		return fault.New(fault.Upstream, stripeapi.Silent)
	}
	return nil
}
