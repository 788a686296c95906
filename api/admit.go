package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/rate"
)

// admission is what a question has been admitted to.
//
// A question without an Idempotency-Key counts as a request, and has a slot
// among the answers, before its body is looked at. One with a key may be a
// replay, which counts against no rate: it has a slot among the readers, and
// counts when its answer begins.
type admission struct {
	api       *API
	principal *chatbot.Principal
	keyed     bool
	// slot is left when the response ends.
	slot *rate.Slot
}

// admitQuestion admits a question. The caller must leave its slot.
func (a *API) admitQuestion(c *fiber.Ctx, principal *chatbot.Principal) (*admission, error) {
	admitted := &admission{api: a, principal: principal, keyed: len(c.Request().Header.Peek(idempotencyHeader)) > 0}
	among := a.readers
	if !admitted.keyed {
		if err := a.count(c.UserContext(), principal); err != nil {
			return nil, err
		}
		among = a.answers
	}
	var err error
	admitted.slot, err = take(among, principal)
	return admitted, err
}

// count counts a request of a workspace in the minute that its plan limits.
func (a *API) count(ctx context.Context, principal *chatbot.Principal) error {
	return a.Requests.Admit(ctx, principal.Chatbot.WorkspaceID, principal.Plan)
}

// begin is for [turn.Ask]. An answer keeps its slot until it has ended, also
// when nobody reads it any more.
func (m *admission) begin(ctx context.Context, again bool) (ended func(), err error) {
	if !m.keyed {
		return m.slot.Share(), nil
	}
	if !again { // else its key is replayed
		if err := m.api.count(ctx, m.principal); err != nil {
			return nil, err
		}
	}
	slot, err := take(m.api.answers, m.principal)
	if err != nil {
		return nil, err
	}
	return slot.Leave, nil
}

func take(among *rate.Slots, by *chatbot.Principal) (*rate.Slot, error) {
	return among.Take(by.Chatbot.WorkspaceID, by.CallerID(), by.Plan)
}
