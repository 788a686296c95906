package api

import (
	"net/netip"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
)

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
