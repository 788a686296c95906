package chatbot

import (
	"context"
	"net/netip"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/tenant"
)

// TokenChange is what a person changes of a token. What is nil stays.
type TokenChange struct {
	Name, Note *string
	Scopes     *[]Scope
	IPRanges   *[]netip.Prefix
	Origins    *[]string
	// Limits; zero is none.
	RequestsPerMinute, MessagesPerMonth, VisitorRequestsPerMinute *int
	// ExpiresAt changes the expiry; a pointer to nil makes it never.
	ExpiresAt **time.Time
}

// to is a token after the change.
func (c TokenChange) to(t Token) Token {
	set(&t.Name, c.Name)
	set(&t.Note, c.Note)
	set(&t.Scopes, c.Scopes)
	set(&t.IPRanges, c.IPRanges)
	set(&t.Origins, c.Origins)
	set(&t.RequestsPerMinute, c.RequestsPerMinute)
	set(&t.MessagesPerMonth, c.MessagesPerMonth)
	set(&t.VisitorRequestsPerMinute, c.VisitorRequestsPerMinute)
	set(&t.ExpiresAt, c.ExpiresAt)
	return t
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// onlyDescribes says that the change is about the name and the note alone.
func (c TokenChange) onlyDescribes() bool {
	c.Name, c.Note = nil, nil
	return c == TokenChange{}
}

// Change changes a token. It acts on the next request of this process and within
// 5 s on every other. It is Invalid for settings that the token's kind cannot have,
// a Conflict for one that does not work any more, of which only the name and the
// note can change, and Forbidden for a token of a chatbot that is over a limit; see
// [Chatbot.Writable].
func (s *Tokens) Change(ctx context.Context, workspaceID, chatbotID, tokenID string, change TokenChange) (Token, error) {
	var changed Token
	err := s.change(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		bot, err := s.db.Chatbots.Chatbot(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		tokens, err := s.db.Tokens.Tokens(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		old, err := tokenOf(tokens, tokenID)
		if err != nil {
			return err
		}
		if err := bot.Writable(); err != nil {
			return err
		}
		if changed, err = s.changed(old, tokens, change); err != nil {
			return err
		}
		return s.store(ctx, workspaceID, old, changed)
	})
	s.callers.known.dropChatbot(chatbotID)
	return changed, err
}

// changed is a token after a change that is possible.
func (s *Tokens) changed(old Token, tokens []Token, change TokenChange) (Token, error) {
	now := s.now()
	if status := old.Status(now); status != TokenActive && !change.onlyDescribes() {
		return old, fault.New(fault.Conflict, "This token does not work any more: only its name and its note can change. Create a new one instead.").Named(fault.TokenEnded)
	}
	after, err := change.to(old), error(nil)
	if after.Name, err = checkName(after.Name); err != nil {
		return old, err
	}
	if after.Name == "" {
		return old, fault.InField("name", "Enter a name.")
	}
	if after.Note, err = checkText("note", after.Note, maxNote); err != nil {
		return old, err
	}
	if change.Scopes != nil && len(after.Scopes) == 0 {
		return old, fault.InField("scopes", "Choose at least one scope.")
	}
	if after.Scopes, err = checkScopes(after.Kind, after.Scopes); err != nil {
		return old, err
	}
	if after.Restrictions, err = after.Restrictions.check(after.Kind); err != nil {
		return old, err
	}
	if change.ExpiresAt == nil || same(old.ExpiresAt, after.ExpiresAt) {
		return after, nil
	}
	if err := s.checkExpiry(after.ExpiresAt); err != nil {
		return old, err
	}
	// Otherwise rolling would make a token that works on and that no plan counts.
	if Superseded(tokens, now)[old.ID] && (after.ExpiresAt == nil || old.ExpiresAt == nil || after.ExpiresAt.After(*old.ExpiresAt)) {
		return old, fault.New(fault.Conflict, "This token was rolled, so it cannot work for longer than it does. Use the token that replaces it.")
	}
	after.WarnedDays = warnedDays(after.ExpiresAt, now)
	return after, nil
}

func same(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// store stores a change, if it is one, and records what was and what is.
func (s *Tokens) store(ctx context.Context, workspaceID string, old, changed Token) error {
	changes := audit.Differences(settingsOf(old), settingsOf(changed))
	if len(changes) == 0 {
		return nil
	}
	if err := s.db.Tokens.UpdateToken(ctx, workspaceID, changed); err != nil {
		return err
	}
	action := audit.TokenChanged
	if len(changes) == 1 && changes[0].Field == "name" {
		action = audit.TokenRenamed
	}
	return s.record(ctx, workspaceID, audit.Entry{Action: action, Object: old.object(), Changes: changes})
}

// tokenSettings are what the log of changes shows of a token.
type tokenSettings struct {
	Name, Note string
	Scopes     []Scope
	ExpiresAt  string
	Restrictions
}

func settingsOf(t Token) tokenSettings {
	out := tokenSettings{Name: t.Name, Note: t.Note, Scopes: t.Scopes, Restrictions: t.Restrictions}
	if t.ExpiresAt != nil {
		out.ExpiresAt = t.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return out
}
