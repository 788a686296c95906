package api

import (
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/id"
)

type tokensData struct {
	Tokens []wire.Token `json:"tokens"`
}

// tokens are the handlers of a chatbot's API tokens.
type tokens struct{ of *chatbot.Tokens }

// list lists the records of a chatbot's tokens, newest first.
func (h tokens) list(c *fiber.Ctx, at visit) error {
	tokens, err := h.of.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeedPacked(c, tokensData{wire.MapSlice(tokens, h.recordOf)})
}

func (h tokens) recordOf(t chatbot.Token) wire.Token { return wire.TokenToWire(t, h.of.Status(t)) }

// create creates a token; the answer alone has its secret.
func (h tokens) create(c *fiber.Ctx, at visit) error {
	var request tokenRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	wanted, err := request.toDomain(at.person.User.Email)
	if err != nil {
		return err
	}
	token, secret, err := h.of.Issue(c.UserContext(), at.WorkspaceID, at.ID, wanted)
	if err != nil {
		return err
	}
	return succeed(c, wire.NewTokenToWire(token, secret))
}

// change changes what the request names of a token.
func (h tokens) change(c *fiber.Ctx, at visit) error {
	var request tokenChangeRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	change, err := request.toDomain()
	if err != nil {
		return err
	}
	token, err := h.of.Change(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "token_id")), change)
	if err != nil {
		return err
	}
	return succeed(c, h.recordOf(token))
}

// defaultOverlap is for a request that names none: long enough to give the new
// secret to a program, and not 0, which ends the old one at once.
const defaultOverlap = 1

// roll replaces a token; the answer alone has the secret of the new one.
func (h tokens) roll(c *fiber.Ctx, at visit) error {
	var request rollRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	overlap := defaultOverlap
	if request.OverlapDays != nil {
		overlap = *request.OverlapDays
	}
	token, secret, err := h.of.Roll(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "token_id")), overlap, at.person.User.Email)
	if err != nil {
		return err
	}
	return succeed(c, wire.NewTokenToWire(token, secret))
}

// revoke revokes a token. Twice is success.
func (h tokens) revoke(c *fiber.Ctx, at visit) error {
	tokenID := id.Parse(pathID(c, "token_id"))
	if err := h.of.Revoke(c.UserContext(), at.WorkspaceID, at.ID, tokenID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: tokenID, Status: string(chatbot.TokenRevoked)})
}

// tokenRequest is the body of POST /api/chatbots/:id/api-tokens.
type tokenRequest struct {
	Kind                     string     `json:"kind"`
	Name                     string     `json:"name"`
	Note                     string     `json:"note"`
	Scopes                   []string   `json:"scopes"`
	ExpiresAt                *time.Time `json:"expires_at"`
	IPRanges                 []string   `json:"ip_ranges"`
	Origins                  []string   `json:"origins"`
	RequestsPerMinute        *int       `json:"requests_per_minute"`
	MessagesPerMonth         *int       `json:"messages_per_month"`
	VisitorRequestsPerMinute *int       `json:"visitor_requests_per_minute"`
}

func (r tokenRequest) toDomain(by string) (chatbot.NewToken, error) {
	ranges, err := rangesOf(r.IPRanges)
	return chatbot.NewToken{
		Kind: chatbot.TokenKind(r.Kind), Name: r.Name, Note: r.Note, Scopes: scopesOf(r.Scopes), ExpiresAt: r.ExpiresAt, CreatedBy: by,
		Restrictions: chatbot.Restrictions{
			IPRanges: ranges, Origins: r.Origins, RequestsPerMinute: orNone(r.RequestsPerMinute),
			MessagesPerMonth: orNone(r.MessagesPerMonth), VisitorRequestsPerMinute: orNone(r.VisitorRequestsPerMinute),
		},
	}, err
}

// tokenChangeRequest is the body of PATCH /api/chatbots/:id/api-tokens/:token_id.
type tokenChangeRequest struct {
	Name                     nullable[string]    `json:"name"`
	Note                     nullable[string]    `json:"note"`
	Scopes                   nullable[[]string]  `json:"scopes"`
	ExpiresAt                nullable[time.Time] `json:"expires_at"`
	IPRanges                 nullable[[]string]  `json:"ip_ranges"`
	Origins                  nullable[[]string]  `json:"origins"`
	RequestsPerMinute        nullable[int]       `json:"requests_per_minute"`
	MessagesPerMonth         nullable[int]       `json:"messages_per_month"`
	VisitorRequestsPerMinute nullable[int]       `json:"visitor_requests_per_minute"`
}

func (r tokenChangeRequest) toDomain() (chatbot.TokenChange, error) {
	for field, null := range map[string]bool{
		"name": r.Name.is && r.Name.value == nil, "note": r.Note.is && r.Note.value == nil, "scopes": r.Scopes.is && r.Scopes.value == nil,
		"ip_ranges": r.IPRanges.is && r.IPRanges.value == nil, "origins": r.Origins.is && r.Origins.value == nil,
	} {
		if null {
			return chatbot.TokenChange{}, fault.InField(field, "%s must not be null. Leave it out to keep what it is.", field)
		}
	}
	change := chatbot.TokenChange{
		Name: r.Name.value, Note: r.Note.value, Origins: r.Origins.value, RequestsPerMinute: r.RequestsPerMinute.orZero(),
		MessagesPerMonth: r.MessagesPerMonth.orZero(), VisitorRequestsPerMinute: r.VisitorRequestsPerMinute.orZero(),
	}
	if r.Scopes.is {
		scopes := scopesOf(*r.Scopes.value)
		change.Scopes = &scopes
	}
	if r.ExpiresAt.is {
		change.ExpiresAt = &r.ExpiresAt.value
	}
	if !r.IPRanges.is {
		return change, nil
	}
	ranges, err := rangesOf(*r.IPRanges.value)
	change.IPRanges = &ranges
	return change, err
}

func scopesOf(written []string) []chatbot.Scope {
	scopes := make([]chatbot.Scope, len(written))
	for i, scope := range written {
		scopes[i] = chatbot.Scope(scope)
	}
	return scopes
}

func rangesOf(written []string) ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for _, text := range written {
		network, err := chatbot.ParseRange(text)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, network)
	}
	return ranges, nil
}

func orNone(limit *int) int {
	if limit == nil {
		return 0
	}
	return *limit
}

// rollRequest is the body of POST /api/chatbots/:id/api-tokens/:token_id/roll.
type rollRequest struct {
	OverlapDays *int `json:"overlap_days"`
}
