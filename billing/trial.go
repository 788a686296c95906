package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
	"parley/billing/stripeevent"
	"parley/core/fault"
	"parley/core/subscription"
)

// The metadata of a subscription about its trial: who began the checkout, and that
// the checkout gave the trial. Parley leaves a trial alone that somebody gave by
// hand at Stripe.
const (
	metadataBuyer = "buyer"
	metadataTrial = "trial"
	fromCheckout  = "checkout"
)

const trialTerms = "Each person and each payment method gets one free trial. If the payment method has had one, the first payment is taken at once."

// trialDays is for how many days the first subscription of a person and a
// workspace is free.
func (s *Service) trialDays(ctx context.Context, known subscription.Subscription, buyer string) (int, error) {
	if s.config.TrialDays == 0 || known.TrialUsed || buyer == "" {
		return s.trialDaysUnless(known.TrialUsed), nil
	}
	taken, err := s.books.Trials.Taken(ctx, subscription.TrialOfUser(buyer))
	return s.trialDaysUnless(taken), err
}

func (s *Service) trialDaysUnless(taken bool) int {
	if taken {
		return 0
	}
	return s.config.TrialDays
}

// offerTrial adds a trial to a checkout. Parley learns the payment method only
// afterward, so the page tells the terms: see claimTrial.
func offerTrial(params *stripe.CheckoutSessionParams, days int, buyer string) {
	if buyer != "" {
		params.SubscriptionData.AddMetadata(metadataBuyer, buyer)
	}
	if days == 0 {
		return
	}
	params.SubscriptionData.TrialPeriodDays = stripe.Int64(int64(days))
	params.SubscriptionData.AddMetadata(metadataTrial, fromCheckout)
	params.CustomText = &stripe.CheckoutSessionCustomTextParams{
		Submit: &stripe.CheckoutSessionCustomTextSubmitParams{Message: stripe.String(trialTerms)},
	}
}

// claimTrial stores whose trial a subscription has. It ends a second trial of the
// same person or payment method, and then returns a Conflict: the caller re-reads.
func (s *Service) claimTrial(ctx context.Context, found *stripe.Subscription) error {
	keys := trialKeys(found)
	if found.TrialEnd == 0 || len(keys) == 0 {
		return nil
	}
	first, err := s.books.Trials.Claim(ctx, found.ID, keys...)
	if err != nil || first || found.Status != stripe.SubscriptionStatusTrialing || found.Metadata[metadataTrial] != fromCheckout {
		return err
	}
	if err := s.endTrial(ctx, found.ID); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "This was a second trial of the same person, so Parley ended it. Read the subscription again.")
}

func trialKeys(found *stripe.Subscription) []subscription.TrialKey {
	var keys []subscription.TrialKey
	if buyer := found.Metadata[metadataBuyer]; buyer != "" && len(buyer) <= stripeevent.MaxID/2 {
		keys = append(keys, subscription.TrialOfUser(buyer))
	}
	if print := fingerprint(found.DefaultPaymentMethod); print != "" && len(print) <= stripeevent.MaxID/2 {
		keys = append(keys, subscription.TrialOfPayment(print))
	}
	return keys
}

// fingerprint identifies a card or bank account, whoever uses it.
func fingerprint(method *stripe.PaymentMethod) string {
	switch {
	case method == nil:
		return ""
	case method.Card != nil:
		return method.Card.Fingerprint
	case method.SEPADebit != nil:
		return method.SEPADebit.Fingerprint
	case method.USBankAccount != nil:
		return method.USBankAccount.Fingerprint
	}
	return ""
}

// endTrial begins the first paid period.
func (s *Service) endTrial(ctx context.Context, subscriptionID string) error {
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Subscription, error) {
		params := &stripe.SubscriptionParams{TrialEndNow: stripe.Bool(true)}
		params.Context = ctx
		return client.Update(subscriptionID, params)
	})
	return err
}
