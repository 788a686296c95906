package billing

import (
	"context"
	"slices"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/price"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// Purchase is what a workspace wants to buy.
type Purchase struct {
	Plan     plan.Name
	Interval plan.Interval
	// Buyer is the account that buys, for its one trial; empty if unknown.
	Buyer string
}

// Back holds the absolute addresses to which Stripe sends the person afterward.
type Back struct {
	// Done is for a person who paid or confirmed. [Service.Refresh] reads the
	// purchase; the address needs no session in it.
	Done string
	// Canceled is for a person who did not.
	Canceled string
}

func (p Purchase) check() error {
	if setup.Rank(p.Plan) < 0 || p.Plan == plan.Free {
		return fault.InField("plan", "Choose a plan that is on sale.")
	}
	if p.Interval != plan.Monthly && p.Interval != plan.Yearly {
		return fault.InField("interval", "Choose to pay monthly or yearly.")
	}
	return nil
}

// Checkout returns the address of the page at Stripe where a person buys a plan. A
// subscriber goes to the portal instead, to confirm the change or, if that is impossible,
// to fix the subscription: Stripe's Checkout would sell a second one. It is Invalid for
// what is not on sale, Unavailable if the plan has no price at Stripe, a Conflict for a
// workspace that may be paying at another Stripe, and Upstream or Unavailable if Stripe
// does not answer.
func (s *Service) Checkout(ctx context.Context, workspaceID string, purchase Purchase, back Back) (string, error) {
	if err := purchase.check(); err != nil {
		return "", err
	}
	if _, err := s.ensureCustomer(ctx, workspaceID); err != nil {
		return "", err
	}
	// Ask Stripe, because an event may be late and nobody should pay twice.
	_, err := s.Refresh(audit.As(ctx, audit.Stripe), workspaceID, subscription.Cause{})
	if isStray(err) {
		err = s.replaceStray(ctx, workspaceID, err)
	}
	if err != nil {
		return "", err
	}
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	priceID, err := s.priceOnSale(ctx, purchase)
	if err != nil {
		return "", err
	}
	known, page, err := s.finishPayment(ctx, known, priceID)
	if err != nil || page != "" {
		return page, err
	}
	switch known.Status {
	case plan.None, plan.IncompleteExpired, plan.Canceled:
		return s.sell(ctx, known, purchase, priceID, back)
	case plan.Active, plan.Trialing:
		return s.changeSession(ctx, known, priceID, back)
	}
	return s.newPortalSession(ctx, known.CustomerID, back.Canceled, nil)
}

// priceOnSale finds the price that is on sale now.
func (s *Service) priceOnSale(ctx context.Context, purchase Purchase) (string, error) {
	client := price.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Price, error) {
		params := &stripe.PriceListParams{Active: stripe.Bool(true), LookupKeys: []*string{stripe.String(setup.LookupKey(purchase.Plan, purchase.Interval))}}
		params.Context = ctx
		return stripeapi.All[*stripe.Price](client.List(params).Iter)
	})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fault.New(fault.Unavailable, "This plan cannot be bought yet, because it has no price at Stripe. Ask the operator of this server to run parley billing sync.").ForOperator()
	}
	return found[0].ID, nil
}

// sell returns a new page for paying. A customer that was deleted at Stripe is replaced.
func (s *Service) sell(ctx context.Context, known subscription.Subscription, purchase Purchase, priceID string, back Back) (string, error) {
	url, err := s.newCheckoutSession(ctx, known, purchase, priceID, back)
	if !stripeapi.Missing(err) {
		return url, err
	}
	if known, err = s.replaceCustomer(ctx, known); err != nil {
		return "", err
	}
	return s.newCheckoutSession(ctx, known, purchase, priceID, back)
}

// newCheckoutSession creates a page for paying, and closes the ones left open: whoever pays
// on two of them would have two subscriptions.
func (s *Service) newCheckoutSession(ctx context.Context, known subscription.Subscription, purchase Purchase, priceID string, back Back) (string, error) {
	trialDays, err := s.trialDays(ctx, known, purchase.Buyer)
	if err != nil {
		return "", err
	}
	if err := s.expireSessions(ctx, known.CustomerID); err != nil {
		return "", err
	}
	if err := s.books.Customers.BeginCheckout(ctx, known.WorkspaceID); err != nil {
		return "", err
	}
	client := session.Client{B: s.api.Backend, Key: s.api.Key}
	made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.CheckoutSession, error) {
		params := s.sessionParams(known, priceID, back)
		offerTrial(params, trialDays, purchase.Buyer)
		params.Context = ctx
		return client.New(params)
	})
	if err != nil {
		return "", err
	}
	return s.keepNewestSession(ctx, known.CustomerID, made)
}

// keepNewestSession closes all of a customer's open pages except the newest, and returns the
// newest one's address, so that several owners who go to pay at the same moment see one
// page.
func (s *Service) keepNewestSession(ctx context.Context, customerID string, made *stripe.CheckoutSession) (string, error) {
	open, err := s.listOpenSessions(ctx, customerID)
	if err != nil {
		return "", err
	}
	newest := made
	for _, page := range open {
		if page.Created > newest.Created || page.Created == newest.Created && page.ID > newest.ID {
			newest = page
		}
	}
	open = slices.DeleteFunc(open, func(page *stripe.CheckoutSession) bool { return page.ID == newest.ID })
	return newest.URL, s.expireEach(ctx, open)
}

func (s *Service) sessionParams(known subscription.Subscription, priceID string, back Back) *stripe.CheckoutSessionParams {
	params := &stripe.CheckoutSessionParams{
		Mode:                stripe.String(string(stripe.CheckoutSessionModeSubscription)),
		Customer:            stripe.String(known.CustomerID),
		ClientReferenceID:   stripe.String(known.WorkspaceID),
		LineItems:           []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(priceID), Quantity: stripe.Int64(1)}},
		AllowPromotionCodes: stripe.Bool(true),
		SuccessURL:          stripe.String(back.Done),
		CancelURL:           stripe.String(back.Canceled),
		SubscriptionData:    &stripe.CheckoutSessionSubscriptionDataParams{},
		// An invoice must show a business's address and tax number.
		BillingAddressCollection: stripe.String(string(stripe.CheckoutSessionBillingAddressCollectionRequired)),
		CustomerUpdate:           &stripe.CheckoutSessionCustomerUpdateParams{Address: stripe.String("auto"), Name: stripe.String("auto")},
		TaxIDCollection:          &stripe.CheckoutSessionTaxIDCollectionParams{Enabled: stripe.Bool(true)},
	}
	params.SubscriptionData.AddMetadata(metadataWorkspace, known.WorkspaceID)
	if s.config.Tax {
		params.AutomaticTax = &stripe.CheckoutSessionAutomaticTaxParams{Enabled: stripe.Bool(true)}
	}
	return params
}

// expireSessions closes a customer's unpaid pages.
func (s *Service) expireSessions(ctx context.Context, customerID string) error {
	open, err := s.listOpenSessions(ctx, customerID)
	if err != nil {
		return err
	}
	return s.expireEach(ctx, open)
}

func (s *Service) listOpenSessions(ctx context.Context, customerID string) ([]*stripe.CheckoutSession, error) {
	client := session.Client{B: s.api.Backend, Key: s.api.Key}
	return stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.CheckoutSession, error) {
		params := &stripe.CheckoutSessionListParams{Customer: stripe.String(customerID), Status: stripe.String(string(stripe.CheckoutSessionStatusOpen))}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.CheckoutSession](client.List(params).Iter)
	})
}

func (s *Service) expireEach(ctx context.Context, open []*stripe.CheckoutSession) error {
	client := session.Client{B: s.api.Backend, Key: s.api.Key}
	for _, page := range open {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.CheckoutSession, error) {
			params := &stripe.CheckoutSessionExpireParams{}
			params.Context = ctx
			return client.Expire(page.ID, params)
		})
		if err != nil && !stripeapi.Refused(err) { // refused: it was paid or has expired meanwhile
			return err
		}
	}
	return nil
}
