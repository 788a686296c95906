package api

import (
	"context"
	"net/netip"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/rate"
	"parley/internal/netgroup"
)

// admission is what a question has been admitted to.
//
// A question without an Idempotency-Key counts as a request, and has a slot
// among the answers, before its body is looked at. One with a key may be a
// replay: it is admitted as a reader, and counts when its answer begins.
type admission struct {
	api       *API
	principal *chatbot.Principal
	keyed     bool
	// from is where the request comes from.
	from audit.Origin
	// slot is left when the response ends.
	slot *rate.Slot
}

// admitQuestion admits a question. The caller must leave its slot.
func (a *API) admitQuestion(c *fiber.Ctx, principal *chatbot.Principal) (*admission, error) {
	admitted := &admission{api: a, principal: principal, keyed: len(c.Request().Header.Peek(idempotencyHeader)) > 0, from: audit.OriginOf(c.UserContext())}
	var err error
	if admitted.keyed {
		admitted.slot, err = a.admitReader(c.UserContext(), principal)
		return admitted, err
	}
	// Before anything that may ask the database, which has enough to do.
	if err := a.answers.Full(); err != nil {
		return nil, err
	}
	if err := a.count(c.UserContext(), principal); err != nil {
		return nil, err
	}
	admitted.slot, err = takeSlot(a.answers, principal)
	return admitted, err
}

// admitReader admits a request that may read an answer again. The caller must leave its
// slot.
func (a *API) admitReader(ctx context.Context, principal *chatbot.Principal) (*rate.Slot, error) {
	if err := a.countAgain(ctx, principal); err != nil {
		return nil, err
	}
	return takeSlot(a.readers, principal)
}

// againTimes is how many times the limit of questions that of replays, resumed streams and
// stopped answers is.
const againTimes = 10

// countAgain counts a request for what was asked before: of the visitor's network if the
// token is publishable, and else of the workspace.
func (a *API) countAgain(ctx context.Context, principal *chatbot.Principal) error {
	token := &principal.Token
	if limit := token.VisitorRequestsPerMinute; limit > 0 {
		return a.Pace.Again(networkOf(token, audit.OriginOf(ctx).Address), againTimes*limit)
	}
	if limit := principal.Plan.Limits.RequestsPerMinute; limit != plan.Unlimited {
		return a.Pace.Again(principal.Chatbot.WorkspaceID, againTimes*limit)
	}
	return nil
}

// count counts a request against the limits of a minute: the visitor's and the token's, if
// they have limits of their own, and the workspace's.
func (a *API) count(ctx context.Context, principal *chatbot.Principal) error {
	token := &principal.Token
	if limit := token.VisitorRequestsPerMinute; limit > 0 {
		if err := a.Pace.Network(networkOf(token, audit.OriginOf(ctx).Address), limit); err != nil {
			return err
		}
	}
	if limit := token.RequestsPerMinute; limit > 0 {
		if err := a.Requests.AdmitToken(ctx, token.ID, limit); err != nil {
			return err
		}
	}
	return a.Requests.Admit(ctx, principal.Chatbot.WorkspaceID, principal.Plan)
}

// networkOf names the network that a request with a token comes from.
func networkOf(token *chatbot.Token, address string) string {
	client, _ := netip.ParseAddr(address)
	return token.ID + " " + netgroup.Of(client).String()
}

// begin is for [turn.Ask]. An answer keeps its slot until it has ended, also
// when nobody reads it any more.
func (m *admission) begin(ctx context.Context) (ended func(), err error) {
	if !m.keyed {
		return m.slot.Share(), nil
	}
	// Each attempt is a request; without a key the question is counted.
	if err := m.api.count(audit.From(ctx, m.from), m.principal); err != nil {
		return nil, err
	}
	slot, err := takeSlot(m.api.answers, m.principal)
	if err != nil {
		return nil, err
	}
	return slot.Leave, nil
}

func takeSlot(among *rate.Slots, by *chatbot.Principal) (*rate.Slot, error) {
	return among.Take(by.Chatbot.WorkspaceID, by.CallerID(), by.Plan)
}
