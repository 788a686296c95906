package upstream

import (
	"errors"
	"net/http"

	"parley/core/fault"
)

// The messages for callers.
const (
	notAnswered = "The language model did not answer. Try again."
	brokeOff    = "The language model stopped in the middle of its answer. Try again."
	tooBusy     = "The language model is busy. Try again in a moment."
	tooLong     = "The conversation is too long for the chatbot's model. Begin a new conversation, or send a shorter message."
	rejectsKey  = "The chatbot's model provider rejects its key. The chatbot's owner must enter a new one in the dashboard."
	unknown     = "The chatbot's model provider does not know its model. The chatbot's owner must choose another in the dashboard."
	unpaid      = "The chatbot's account at its model provider has no credit left. The chatbot's owner must add some there."
	refuses     = "The chatbot's model provider refuses the request, and will refuse it again. The chatbot's owner must check the settings of its model."
)

// meaning is what a failure means to a caller: whether trying again helps, and if
// not, who can mend it.
type meaning struct {
	kind     fault.Kind
	code     fault.Code
	sentence string
}

// byCode has the meanings of codes that say more than their status.
var byCode = map[string]meaning{
	codeTooLong:                  {fault.Upstream, fault.ContextTooLong, tooLong},
	"insufficient_quota":         {fault.Upstream, fault.ModelUnpaid, unpaid},
	"billing_hard_limit_reached": {fault.Upstream, fault.ModelUnpaid, unpaid},
	"billing_error":              {fault.Upstream, fault.ModelUnpaid, unpaid},
	"model_not_found":            {fault.Upstream, fault.ModelUnknown, unknown},
	"content_filter":             {fault.Upstream, fault.ModelDeclined, declined},
}

const declined = "The language model declined to answer this. Ask in a different way."

// byStatus has the meanings of statuses after which trying again does not help.
var byStatus = map[int]meaning{
	http.StatusBadRequest:            {fault.Upstream, fault.ModelRefused, refuses},
	http.StatusUnauthorized:          {fault.Upstream, fault.ModelKeyRejected, rejectsKey},
	http.StatusPaymentRequired:       {fault.Upstream, fault.ModelUnpaid, unpaid},
	http.StatusForbidden:             {fault.Upstream, fault.ModelKeyRejected, rejectsKey},
	http.StatusNotFound:              {fault.Upstream, fault.ModelUnknown, unknown},
	http.StatusRequestEntityTooLarge: {fault.Upstream, fault.ContextTooLong, tooLong},
	http.StatusUnprocessableEntity:   {fault.Upstream, fault.ModelRefused, refuses},
}

// meaningOf returns what an error means; begun says whether text was emitted before.
func meaningOf(err error, begun bool) meaning {
	var (
		useless *Useless
		refused *Refusal
	)
	switch {
	case errors.As(err, &useless) && useless.Sentence != "":
		return meaning{fault.Upstream, fault.ModelDeclined, useless.Sentence}
	case begun:
		return meaning{fault.Upstream, fault.ModelFailed, brokeOff}
	case errors.As(err, &refused):
		return refused.meaning()
	default:
		return meaning{fault.Upstream, fault.ModelFailed, notAnswered}
	}
}

func (r *Refusal) meaning() meaning {
	if known, ok := byCode[r.Code]; ok {
		return known
	}
	if r.Busy {
		return meaning{fault.Unavailable, fault.ModelBusy, tooBusy}
	}
	if known, ok := byStatus[r.StatusCode]; ok {
		return known
	}
	return meaning{fault.Upstream, fault.ModelFailed, notAnswered}
}
