package api

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/rate"
)

// The headers of the IETF's draft-ietf-httpapi-ratelimit-headers: lists of items,
// one for each limit that the caller has.
const (
	rateLimitHeader       = "RateLimit"
	rateLimitPolicyHeader = "RateLimit-Policy"
)

// sayLimits says how many requests a minute the caller may send, and how many of
// them are left. A publishable token shows the limit of the network alone: how much
// others use is not for the public.
func (a *API) sayLimits(c *fiber.Ctx, principal *chatbot.Principal) {
	token := &principal.Token
	var policies, left [96]byte
	said := limits{policies[:0], left[:0]}
	if token.Kind == chatbot.PublishableToken {
		limit := token.VisitorRequestsPerMinute
		said.add("visitor", a.Pace.NetworkStanding(networkOf(token, audit.OriginOf(c.UserContext()).Address), limit))
	} else {
		if limit := principal.Plan.Limits.RequestsPerMinute; limit != plan.Unlimited {
			said.add("workspace", a.Requests.Standing(principal.Chatbot.WorkspaceID, limit))
		}
		if limit := token.RequestsPerMinute; limit > 0 {
			said.add("token", a.Requests.Standing(token.ID, limit))
		}
	}
	if len(said.left) > 0 {
		c.Response().Header.SetBytesV(rateLimitPolicyHeader, said.policies)
		c.Response().Header.SetBytesV(rateLimitHeader, said.left)
	}
}

// limits are the values of the two headers.
type limits struct{ policies, left []byte }

func (l *limits) add(name string, of rate.Standing) {
	if len(l.left) > 0 {
		l.policies, l.left = append(l.policies, ", "...), append(l.left, ", "...)
	}
	l.policies = strconv.AppendQuote(l.policies, name)
	l.policies = append(strconv.AppendInt(append(l.policies, ";q="...), int64(of.Limit), 10), ";w=60"...)
	l.left = strconv.AppendQuote(l.left, name)
	l.left = strconv.AppendInt(append(l.left, ";r="...), int64(of.Left), 10)
	l.left = strconv.AppendInt(append(l.left, ";t="...), int64(of.Reset/time.Second), 10)
}
