package chatbot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
)

// MaxOverlap is the longest time for which a token still works after it was
// rolled, in days.
const MaxOverlap = 7

const day = 24 * time.Hour

// Superseded returns which tokens do not count against the plan at a time: each
// active one whose successor is active, too. A token counts again when its
// successor does not work any more.
func Superseded(tokens []Token, now time.Time) map[string]bool {
	out := map[string]bool{}
	for _, t := range tokens {
		if t.Replaces != "" && t.Status(now) == TokenActive {
			out[t.Replaces] = true
		}
	}
	return out
}

// counted is how many tokens count against the plan.
func counted(tokens []Token, now time.Time) int {
	n, superseded := 0, Superseded(tokens, now)
	for _, t := range tokens {
		if t.Status(now) == TokenActive && !superseded[t.ID] {
			n++
		}
	}
	return n
}

// Roll replaces a token by a new one with the same settings, and returns the new one with its secret: the only time that it is seen. The old
// token works for an overlap of 0 to [MaxOverlap] days, in which it does not
// count against the plan; with 0 it is revoked at once.
//
// It is Invalid for another overlap, a Conflict for a token that does not work
// any more or that is being replaced already, and Forbidden for one that is
// suspended.
func (s *Tokens) Roll(ctx context.Context, workspaceID, chatbotID, tokenID string, overlapDays int, by string) (Token, string, error) {
	if overlapDays < 0 || overlapDays > MaxOverlap {
		return Token{}, "", fault.InField("overlap_days", "Give an overlap of 0 to %d days.", MaxOverlap)
	}
	secret, rolled := "", Token{}
	err := s.change(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		old, tokens, err := s.toRoll(ctx, workspace, chatbotID, tokenID, overlapDays)
		if err != nil {
			return err
		}
		secret = mint(s.random, old.Kind)
		rolled = Token{
			ID: id.New(s.random, "tok"), WorkspaceID: workspaceID, ChatbotID: chatbotID, Replaces: old.ID,
			Kind: old.Kind, Name: old.Name, Note: old.Note, Hint: hint(secret), Scopes: old.Scopes, Restrictions: old.Restrictions,
			CreatedBy: by, CreatedAt: s.now(), ExpiresAt: old.ExpiresAt, WarnedDays: warnedDays(old.ExpiresAt, s.now()),
		}
		return s.replace(ctx, workspace, tokens, old, rolled, secret, overlapDays)
	})
	s.callers.known.dropChatbot(chatbotID)
	if err != nil {
		return Token{}, "", err
	}
	return rolled, secret, nil
}

// toRoll is the token to roll, with all of its chatbot.
func (s *Tokens) toRoll(ctx context.Context, workspace tenant.Workspace, chatbotID, tokenID string, overlapDays int) (Token, []Token, error) {
	bot, err := s.db.Chatbots.Chatbot(ctx, workspace.ID, chatbotID)
	if err != nil {
		return Token{}, nil, err
	}
	tokens, err := s.db.Tokens.Tokens(ctx, workspace.ID, chatbotID)
	if err != nil {
		return Token{}, nil, err
	}
	old, err := tokenOf(tokens, tokenID)
	if err != nil {
		return Token{}, nil, err
	}
	if err := old.rollable(tokens, overlapDays, s.now()); err != nil {
		return Token{}, nil, err
	}
	return old, tokens, bot.Writable()
}

func tokenOf(tokens []Token, tokenID string) (Token, error) {
	at := slices.IndexFunc(tokens, func(t Token) bool { return t.ID == tokenID })
	if at < 0 {
		return Token{}, fault.New(fault.NotFound, "Token not found.")
	}
	return tokens[at], nil
}

// rollable refuses what cannot be rolled. Of three generations only two may
// work at once: otherwise rolling again and again would make any number of
// tokens that the plan does not count.
func (t Token) rollable(tokens []Token, overlapDays int, now time.Time) error {
	switch t.Status(now) {
	case TokenRevoked:
		return fault.New(fault.Conflict, "This token was revoked. Create a new one instead.").Named(fault.TokenEnded)
	case TokenExpired:
		return fault.New(fault.Conflict, "This token has expired. Create a new one instead.").Named(fault.TokenEnded)
	}
	if t.OverLimit {
		return errTokenSuspended
	}
	for _, other := range tokens {
		switch active := other.Status(now) == TokenActive; {
		case active && other.Replaces == t.ID:
			return fault.New(fault.Conflict, "This token was rolled already. Roll the token that replaces it, or revoke this one.")
		case active && other.ID == t.Replaces && overlapDays > 0:
			return fault.New(fault.Conflict, "The token that this one replaces still works. Revoke that one first, or roll this one without an overlap.")
		}
	}
	return nil
}

// replace stores the new token and ends the old one.
func (s *Tokens) replace(ctx context.Context, workspace tenant.Workspace, tokens []Token, old, rolled Token, secret string, overlapDays int) error {
	now := s.now()
	ends := now.Add(time.Duration(overlapDays) * day)
	after := slices.Clone(tokens)
	at := slices.IndexFunc(after, func(t Token) bool { return t.ID == old.ID })
	if overlapDays == 0 {
		after[at].RevokedAt = &now
	}
	p, err := s.db.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	if err := p.Admit(plan.Tokens, counted(append(after, rolled), now)); err != nil {
		return err
	}
	if err := s.db.Tokens.CreateToken(ctx, workspace.ID, rolled, hash(secret)); err != nil {
		return err
	}
	said := "The old token works until it expires."
	switch {
	case overlapDays == 0:
		_, err = s.db.Tokens.RevokeToken(ctx, workspace.ID, rolled.ChatbotID, old.ID, now)
		said = "The old token was revoked at once."
	case old.ExpiresAt == nil || ends.Before(*old.ExpiresAt):
		ending := old
		ending.ExpiresAt, ending.WarnedDays = &ends, warnedDays(&ends, now)
		err = s.db.Tokens.UpdateToken(ctx, workspace.ID, ending)
		said = fmt.Sprintf("The old token works until %s.", ends.UTC().Format(time.RFC3339))
	}
	if err != nil {
		return err
	}
	err = s.announcer.tellOwners(ctx, workspace, rolled, func(bot Chatbot, rolled Token) outbox.Letter { return letterOfRolled(bot, rolled, said) })
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%s replaces it. %s", rolled.Hint, said)
	return s.record(ctx, workspace.ID, audit.Entry{Action: audit.TokenRolled, Object: old.object(), Detail: detail})
}
