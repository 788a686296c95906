package setup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhookendpoint"

	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/fault"
)

// Events returns the types of events that the webhook endpoint needs: those after which a
// subscription or its payments may differ.
func Events() []string {
	return []string{
		"charge.dispute.closed", "charge.dispute.created", "charge.dispute.updated", "charge.refund.updated", "charge.refunded",
		"checkout.session.async_payment_failed", "checkout.session.async_payment_succeeded",
		"checkout.session.completed", "checkout.session.expired",
		"customer.deleted",
		"customer.subscription.created", "customer.subscription.deleted", "customer.subscription.paused",
		"customer.subscription.resumed", "customer.subscription.trial_will_end", "customer.subscription.updated",
		"invoice.finalized", "invoice.marked_uncollectible", "invoice.paid", "invoice.payment_action_required",
		"invoice.payment_failed", "invoice.updated", "invoice.voided",
		"subscription_schedule.aborted", "subscription_schedule.canceled", "subscription_schedule.completed",
		"subscription_schedule.created", "subscription_schedule.released", "subscription_schedule.updated",
	}
}

const allEvents = "*"

// metadataSecret holds a mark of an endpoint's secret, which Stripe reveals only once, so that
// a later check can tell whether a server has the right one.
const metadataSecret = "secret_sha256"

// secretMark returns a mark of a secret, which is too long to be guessed from it.
func secretMark(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:8])
}

// Endpoint is the result of [Setup.SaveEndpoint].
type Endpoint struct {
	ID string
	// Secret verifies Stripe's events. Stripe reveals it once, for a new endpoint; it is
	// empty for an existing one.
	Secret string
	// Changed says in a few words what changed; empty if nothing did.
	Changed string
}

// SaveEndpoint creates the webhook endpoint of an address at Stripe, or gives the existing one
// the right events. With rotate a new endpoint with a new secret replaces the existing ones.
// It is a Conflict for an endpoint of another API version, which Stripe cannot change, and for
// several endpoints of the address. The audit log has what changed, and no secret.
func (s *Setup) SaveEndpoint(ctx context.Context, address string, rotate bool) (Endpoint, error) {
	saved, err := s.saveEndpoint(ctx, address, rotate)
	if saved.Changed == "" {
		return saved, err
	}
	entry := audit.Entry{Action: audit.EndpointSaved, Object: audit.Object{Kind: "stripe webhook", ID: saved.ID, Name: address}, Detail: "It was " + saved.Changed + "."}
	if saved.Changed == replaced {
		entry.Action, entry.Detail = audit.EndpointReplaced, "It has a new secret."
	}
	if err != nil {
		entry.Detail += " What had to follow at Stripe failed."
	}
	return saved, errors.Join(err, s.record(ctx, entry))
}

// replaced is what becomes of an endpoint that gets a new secret.
const replaced = "replaced"

func (s *Setup) saveEndpoint(ctx context.Context, address string, rotate bool) (Endpoint, error) {
	found, err := s.endpoints(ctx, address)
	if err != nil {
		return Endpoint{}, err
	}
	switch {
	case len(found) == 0:
		return s.newEndpoint(ctx, address)
	case rotate:
		made, err := s.newEndpoint(ctx, address)
		if err != nil {
			return made, err
		}
		made.Changed = replaced
		return made, s.deleteEndpoints(ctx, found)
	case len(found) > 1:
		return Endpoint{}, fault.New(fault.Conflict, "Stripe has %d webhook endpoints for this address. Delete all but one at Stripe, or run this again with --rotate, which replaces them with one.", len(found))
	case found[0].APIVersion != stripe.APIVersion:
		return Endpoint{}, fault.New(fault.Conflict, "The webhook endpoint at Stripe has API version %q instead of %q, and Stripe cannot change that. Run this again with --rotate, which creates a new one with a new secret.", found[0].APIVersion, stripe.APIVersion)
	}
	return s.updateEndpoint(ctx, found[0])
}

// CheckEndpoint reports what is wrong with the webhook endpoint of an address at Stripe, as a
// Conflict. It returns nil if Stripe sends the necessary events there, signed with the
// configured secret. It can compare the secret only of an endpoint that SaveEndpoint created;
// Stripe does not reveal others.
func (s *Setup) CheckEndpoint(ctx context.Context, address string) error {
	found, err := s.endpoints(ctx, address)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fault.New(fault.Conflict, "Stripe has no webhook endpoint for %s.", address)
	}
	if len(found) > 1 {
		return fault.New(fault.Conflict, "Stripe has %d webhook endpoints for %s, but a server can have the secret of only one.", len(found), address)
	}
	var wrong []string
	if found[0].Status != enabled {
		wrong = append(wrong, "it is disabled")
	}
	if found[0].APIVersion != stripe.APIVersion {
		wrong = append(wrong, fmt.Sprintf("its API version is %q instead of %q", found[0].APIVersion, stripe.APIVersion))
	}
	if lacking := lackingEvents(found[0].EnabledEvents); len(lacking) > 0 {
		wrong = append(wrong, "it lacks the events "+strings.Join(lacking, ", "))
	}
	// An endpoint created by hand has no mark.
	if kept := found[0].Metadata[metadataSecret]; kept != "" && kept != secretMark(s.config.WebhookSecret) {
		wrong = append(wrong, "STRIPE_WEBHOOK_SECRET is not its secret")
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "The webhook endpoint at Stripe is misconfigured: %s.", strings.Join(wrong, "; "))
}

const enabled = "enabled"

func lackingEvents(present []string) []string {
	if slices.Contains(present, allEvents) {
		return nil
	}
	return slices.DeleteFunc(Events(), func(kind string) bool { return slices.Contains(present, kind) })
}

// endpoints returns the endpoints of an address, ignoring a slash at the end.
func (s *Setup) endpoints(ctx context.Context, address string) ([]*stripe.WebhookEndpoint, error) {
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.WebhookEndpoint, error) {
		params := &stripe.WebhookEndpointListParams{}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.WebhookEndpoint](s.endpointClient().List(params).Iter)
	})
	if stripeapi.Forbidden(err) {
		return nil, fault.Wrap(fault.Unavailable, err, "The key may not read webhook endpoints. Give it the right Webhook Endpoints: Write at Stripe.")
	}
	return slices.DeleteFunc(found, func(e *stripe.WebhookEndpoint) bool {
		return strings.TrimRight(e.URL, "/") != strings.TrimRight(address, "/")
	}), err
}

func (s *Setup) endpointClient() webhookendpoint.Client {
	return webhookendpoint.Client{B: s.api.Backend, Key: s.api.Key}
}

func (s *Setup) newEndpoint(ctx context.Context, address string) (Endpoint, error) {
	made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.WebhookEndpoint, error) {
		params := &stripe.WebhookEndpointParams{
			URL: stripe.String(address), APIVersion: stripe.String(stripe.APIVersion), EnabledEvents: stripe.StringSlice(Events()),
			Description: stripe.String("Parley"),
		}
		params.Context = ctx
		return s.endpointClient().New(params)
	})
	if stripeapi.Refused(err) {
		return Endpoint{}, fault.Wrap(fault.Invalid, err, "Stripe refuses %s as the address of a webhook endpoint. It must be reachable from the internet, and in live mode begin with https.", address)
	}
	if err != nil {
		return Endpoint{}, err
	}
	return Endpoint{ID: made.ID, Secret: made.Secret, Changed: "created"}, s.keepMark(ctx, made)
}

func (s *Setup) keepMark(ctx context.Context, made *stripe.WebhookEndpoint) error {
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.WebhookEndpoint, error) {
		params := &stripe.WebhookEndpointParams{}
		params.Context = ctx
		params.AddMetadata(metadataSecret, secretMark(made.Secret))
		return s.endpointClient().Update(made.ID, params)
	})
	return err
}

// updateEndpoint gives an endpoint exactly the necessary events.
func (s *Setup) updateEndpoint(ctx context.Context, found *stripe.WebhookEndpoint) (Endpoint, error) {
	present := slices.Sorted(slices.Values(found.EnabledEvents))
	if slices.Equal(present, Events()) && found.Status == enabled {
		return Endpoint{ID: found.ID}, nil
	}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.WebhookEndpoint, error) {
		params := &stripe.WebhookEndpointParams{EnabledEvents: stripe.StringSlice(Events()), Disabled: stripe.Bool(false)}
		params.Context = ctx
		return s.endpointClient().Update(found.ID, params)
	})
	if err != nil {
		return Endpoint{ID: found.ID}, err
	}
	return Endpoint{ID: found.ID, Changed: "updated"}, nil
}

func (s *Setup) deleteEndpoints(ctx context.Context, old []*stripe.WebhookEndpoint) error {
	for _, e := range old {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.WebhookEndpoint, error) {
			params := &stripe.WebhookEndpointParams{}
			params.Context = ctx
			return s.endpointClient().Del(e.ID, params)
		})
		if err != nil && !stripeapi.Missing(err) {
			return err
		}
	}
	return nil
}
