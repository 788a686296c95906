package wire

import (
	"net/netip"

	"parley/core/chatbot"
)

// Token is the record of a token. Token is its secret, and is there only in the answer that
// creates it.
type Token struct {
	ID        string   `json:"id"`
	ChatbotID string   `json:"chatbot_id"`
	Kind      string   `json:"kind"`
	Name      string   `json:"name"`
	Note      string   `json:"note"`
	Hint      string   `json:"hint"`
	Scopes    []string `json:"scopes"`
	IPRanges  []string `json:"ip_ranges"`
	Origins   []string `json:"origins"`
	// Limits are null where the token has none of its own.
	RequestsPerMinute        *int    `json:"requests_per_minute"`
	MessagesPerMonth         *int    `json:"messages_per_month"`
	VisitorRequestsPerMinute *int    `json:"visitor_requests_per_minute"`
	CreatedAt                string  `json:"created_at"`
	CreatedBy                string  `json:"created_by"`
	LastUsedAt               *string `json:"last_used_at"`
	LastUsedIP               *string `json:"last_used_ip"`
	LastUsedAgent            *string `json:"last_used_agent"`
	ExpiresAt                *string `json:"expires_at"`
	RevokedAt                *string `json:"revoked_at"`
	Status                   string  `json:"status"`
	// Replaces is the token that was rolled into this one.
	Replaces string `json:"replaces,omitzero"`
	// OverLimit says that the plan includes fewer tokens, and that this one is suspended.
	OverLimit bool   `json:"over_limit,omitzero"`
	Token     string `json:"token,omitzero"`
}

// TokenToWire returns the record of a token with a status.
func TokenToWire(t chatbot.Token, status chatbot.TokenStatus) Token {
	return Token{
		ID: t.ID, ChatbotID: t.ChatbotID, Kind: string(t.Kind), Name: t.Name, Note: t.Note, Hint: t.Hint,
		Scopes:   MapSlice(t.Scopes, func(s chatbot.Scope) string { return string(s) }),
		IPRanges: MapSlice(t.IPRanges, netip.Prefix.String), Origins: orEmpty(t.Origins),
		RequestsPerMinute: unlessZero(t.RequestsPerMinute), MessagesPerMonth: unlessZero(t.MessagesPerMonth),
		VisitorRequestsPerMinute: unlessZero(t.VisitorRequestsPerMinute),
		CreatedAt:                timestamp(t.CreatedAt), CreatedBy: t.CreatedBy,
		LastUsedAt: optionalTimestamp(t.LastUsedAt), LastUsedIP: unlessZero(t.LastUsedIP), LastUsedAgent: unlessZero(t.LastUsedAgent),
		ExpiresAt: optionalTimestamp(t.ExpiresAt), RevokedAt: optionalTimestamp(t.RevokedAt), Status: string(status),
		Replaces: t.Replaces, OverLimit: t.OverLimit,
	}
}

// NewTokenToWire returns the record of a token that was just made, with its secret.
func NewTokenToWire(t chatbot.Token, secret string) Token {
	made := TokenToWire(t, chatbot.TokenActive)
	made.Token = secret
	return made
}
