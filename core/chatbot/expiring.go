package chatbot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
)

// Announcer tells owners what happens to their tokens.
type Announcer struct {
	base
	letters    *outbox.Writer
	subscriber TokenSubscriber
}

// TokenSubscriber hears that a token expires soon, in the transaction that records the
// warning.
type TokenSubscriber interface {
	TokenExpiring(ctx context.Context, token Token, days int) error
}

// warnings are how many days before a token expires its owners are told.
var warnings = []int{14, 3}

// warnedDays is the warning that is pointless for an expiry that was just chosen,
// because it would come at once: 14, 3, or 0 for none.
func warnedDays(expires *time.Time, now time.Time) (days int) {
	for _, warning := range warnings {
		if expires != nil && !expires.After(now.Add(time.Duration(warning)*day)) {
			days = warning
		}
	}
	return days
}

// WarnOfExpiring tells owners and the subscriber of tokens that expire soon: for each
// token 14 and 3 days before, once, whichever process does it. Owners are told where
// mails are sent; the subscriber hears of it in any case.
func (s *Announcer) WarnOfExpiring(ctx context.Context) error {
	var failures []error
	for _, days := range slices.Backward(warnings) { // three days before, the fourteen are past
		expiring, err := s.db.Tokens.ExpiringTokens(ctx, s.db.System, s.now(), s.now().Add(time.Duration(days)*day), days)
		failures = append(failures, err)
		for _, token := range expiring {
			failures = append(failures, s.warnOf(ctx, token, days))
		}
	}
	return errors.Join(failures...)
}

func (s *Announcer) warnOf(ctx context.Context, token Token, days int) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.db.Workspaces.LockWorkspace(ctx, token.WorkspaceID)
		if err != nil || workspace.Ending() {
			return ignoreMissing(err)
		}
		first, err := s.db.Tokens.WarnedOfToken(ctx, token.WorkspaceID, token.ID, days)
		if err != nil || !first {
			return err
		}
		if s.subscriber != nil {
			if err := s.subscriber.TokenExpiring(ctx, token, days); err != nil {
				return err
			}
		}
		return s.tellOwners(ctx, workspace, token, letterOfExpiring)
	})
}

func ignoreMissing(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// tellOwners writes a letter about a token to the owners of its workspace, and to
// the member who created it.
func (s *Announcer) tellOwners(ctx context.Context, workspace tenant.Workspace, token Token, letter func(Chatbot, Token) outbox.Letter) error {
	if s.letters == nil || !s.letters.On() {
		return nil
	}
	bot, err := s.db.Chatbots.Chatbot(ctx, workspace.ID, token.ChatbotID)
	if err != nil {
		return err
	}
	members, err := s.db.Members.Members(ctx, workspace.ID)
	if err != nil {
		return err
	}
	said := letter(bot, token)
	said.Link = s.tokensOf(bot)
	for _, m := range members {
		if m.Role != tenant.RoleOwner && m.Email != token.CreatedBy {
			continue
		}
		if err := s.letters.Write(ctx, m.Email, said); err != nil {
			return err
		}
	}
	return nil
}

// tokensOf leads to the page with the tokens of a chatbot.
func (s *Announcer) tokensOf(bot Chatbot) outbox.Link {
	return outbox.Link{Text: "API tokens", URL: s.letters.Link("/chatbots/" + bot.ID + "/tokens")}
}

func (t Token) inWords() string {
	if t.Kind == PublishableToken {
		return fmt.Sprintf("publishable API token “%s” (%s)", t.Name, t.Hint)
	}
	return fmt.Sprintf("API token “%s” (%s)", t.Name, t.Hint)
}

func (t Token) until() string {
	if t.ExpiresAt == nil {
		return "It does not expire."
	}
	return fmt.Sprintf("It expires on %s UTC.", t.ExpiresAt.UTC().Format("January 2, 2006 at 15:04"))
}

func letterOfNew(bot Chatbot, t Token) outbox.Letter {
	return outbox.Letter{Subject: "New API token for " + bot.Name, Says: []string{
		fmt.Sprintf("%s created the %s for the chatbot %s. %s", t.CreatedBy, t.inWords(), bot.Name, t.until()),
		"If you don't expect this, revoke it:",
	}}
}

func letterOfRolled(bot Chatbot, t Token, old string) outbox.Letter {
	return outbox.Letter{Subject: "API token rolled for " + bot.Name, Says: []string{
		fmt.Sprintf("%s rolled the %s of the chatbot %s. %s", t.CreatedBy, t.inWords(), bot.Name, old),
		"Give the new token to the programs that use the old one. Here you see which tokens work:",
	}}
}

func letterOfRevoked(bot Chatbot, t Token) outbox.Letter {
	return outbox.Letter{Subject: "API token revoked for " + bot.Name, Says: []string{
		fmt.Sprintf("The %s of the chatbot %s was revoked. Programs that use it are refused from now on.", t.inWords(), bot.Name),
		"If you still need it, create a new one:",
	}}
}

func letterOfExpiring(bot Chatbot, t Token) outbox.Letter {
	return outbox.Letter{Subject: fmt.Sprintf("An API token of %s expires on %s", bot.Name, t.ExpiresAt.UTC().Format("January 2")), Says: []string{
		fmt.Sprintf("The %s of the chatbot %s is about to expire. %s Programs that use it are refused from then on.", t.inWords(), bot.Name, t.until()),
		"To keep them working, change its expiry, or roll it and give them the new one:",
	}}
}
