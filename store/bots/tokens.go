package bots

import (
	"cmp"
	"context"
	"net/netip"
	"strings"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/predicate"
	"parley/ent/generated/token"
	"parley/ent/scope"
	"parley/store"
)

// Tokens keeps API tokens.
type Tokens struct{ store *store.Store }

// NewTokens returns the tokens of a database.
func NewTokens(db *store.Store) *Tokens { return &Tokens{db} }

// CreateToken adds a token with the hash of its secret. One that replaces
// another is kept if that one is.
func (s *Tokens) CreateToken(ctx context.Context, workspaceID string, t chatbot.Token, hash string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		kept := false
		if t.Replaces != "" {
			var err error
			kept, err = db.Token.Query().Where(token.ID(t.Replaces), token.ChatbotID(t.ChatbotID), token.Kept(true)).Exist(ctx)
			if err != nil {
				return err
			}
		}
		return db.Token.Create().SetID(t.ID).SetWorkspaceID(workspaceID).SetChatbotID(t.ChatbotID).SetName(t.Name).
			SetReplaces(t.Replaces).SetKept(kept).SetHint(t.Hint).SetHash(hash).
			SetKind(cmp.Or(string(t.Kind), token.DefaultKind)).SetNote(t.Note).SetIPRanges(joinRanges(t.IPRanges)).SetOrigins(store.JoinWords(t.Origins)).
			SetRequestsPerMinute(t.RequestsPerMinute).SetMessagesPerMonth(t.MessagesPerMonth).SetVisitorRequestsPerMinute(t.VisitorRequestsPerMinute).
			SetWarnedDays(t.WarnedDays).SetScopes(fromScopes(t.Scopes)).SetCreatedBy(t.CreatedBy).
			SetNillableExpiresAt(t.ExpiresAt).SetCreatedAt(t.CreatedAt).Exec(ctx)
	})
}

// Tokens returns the tokens of a chatbot, newest first.
func (s *Tokens) Tokens(ctx context.Context, workspaceID, chatbotID string) ([]chatbot.Token, error) {
	rows, err := s.store.Client(ctx).Token.Query().Where(token.ChatbotID(chatbotID)).
		Order(ent.Desc(token.FieldCreatedAt, token.FieldID)).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, tokenFromRow)
}

// RevokeToken sets revoked_at once, and returns the token's hash.
func (s *Tokens) RevokeToken(ctx context.Context, workspaceID, chatbotID, tokenID string, at time.Time) (hash string, err error) {
	err = s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		row, err := db.Token.Query().Where(token.ID(tokenID), token.ChatbotID(chatbotID)).Only(ctx)
		if ent.IsNotFound(err) {
			return fault.New(fault.NotFound, "Token not found.")
		}
		if err != nil {
			return err
		}
		hash = row.Hash
		return db.Token.Update().Where(token.ID(tokenID), token.RevokedAtIsNil()).SetRevokedAt(at).Exec(ctx)
	})
	return hash, err
}

// UpdateToken stores what can be changed of a token.
func (s *Tokens) UpdateToken(ctx context.Context, workspaceID string, t chatbot.Token) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		change := db.Token.Update().Where(token.ID(t.ID), token.ChatbotID(t.ChatbotID)).SetName(t.Name).SetNote(t.Note).SetScopes(fromScopes(t.Scopes)).
			SetIPRanges(joinRanges(t.IPRanges)).SetOrigins(store.JoinWords(t.Origins)).SetRequestsPerMinute(t.RequestsPerMinute).
			SetMessagesPerMonth(t.MessagesPerMonth).SetVisitorRequestsPerMinute(t.VisitorRequestsPerMinute).SetWarnedDays(t.WarnedDays)
		if t.ExpiresAt == nil {
			change.ClearExpiresAt()
		} else {
			change.SetExpiresAt(*t.ExpiresAt)
		}
		return store.Affected(change.Save(ctx))
	})
}

// TouchToken records a use of a token, unless it was used later.
func (s *Tokens) TouchToken(ctx context.Context, workspaceID, tokenID string, use chatbot.LastUse) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Token.Update().Where(token.ID(tokenID), token.Or(token.LastUsedAtIsNil(), token.LastUsedAtLT(*use.LastUsedAt))).
			SetLastUsedAt(*use.LastUsedAt).SetLastUsedIP(use.LastUsedIP).SetLastUsedAgent(use.LastUsedAgent).Exec(ctx)
	})
}

// ForgetUses clears the addresses and agents of tokens of all workspaces that were last
// used before a time.
func (s *Tokens) ForgetUses(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.Write(scope.System(store.Background(ctx), access), func(ctx context.Context, db *ent.Client) error {
		return db.Token.Update().Where(token.LastUsedAtLT(before), token.Or(token.LastUsedIPNEQ(""), token.LastUsedAgentNEQ(""))).
			SetLastUsedIP("").SetLastUsedAgent("").Exec(ctx)
	})
}

// ExpiringTokens are the active tokens of all workspaces that expire before a time,
// and whose owners were not told so many days before it. Owners of a workspace that is
// being deleted are not told.
func (s *Tokens) ExpiringTokens(ctx context.Context, access system.Access, now, before time.Time, days int) ([]chatbot.Token, error) {
	rows, err := s.store.Client(ctx).Token.Query().
		Where(token.ExpiresAtGT(now), token.ExpiresAtLTE(before), token.RevokedAtIsNil(), unwarned(days), store.Staying).
		Order(ent.Asc(token.FieldExpiresAt, token.FieldID)).Limit(warnedAtOnce).All(scope.System(ctx, access))
	return store.Mapped(rows, err, tokenFromRow)
}

// warnedAtOnce bounds how many tokens are warned of in one pass; the next one warns
// of the rest.
const warnedAtOnce = 1_000

// unwarned holds for tokens whose owners were told of no end that is as near.
func unwarned(days int) predicate.Token {
	return token.Or(token.WarnedDays(0), token.WarnedDaysGT(days))
}

// WarnedOfToken notes that owners are told so many days before a token expires.
func (s *Tokens) WarnedOfToken(ctx context.Context, workspaceID, tokenID string, days int) (first bool, err error) {
	err = s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		n, err := db.Token.Update().Where(token.ID(tokenID), token.RevokedAtIsNil(), unwarned(days)).SetWarnedDays(days).Save(ctx)
		first = n > 0
		return err
	})
	return first, err
}

func fromScopes(scopes []chatbot.Scope) []string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = string(s)
	}
	return out
}

func tokenFromRow(row *ent.Token) chatbot.Token {
	scopes := make([]chatbot.Scope, len(row.Scopes))
	for i, s := range row.Scopes {
		scopes[i] = chatbot.Scope(s)
	}
	return chatbot.Token{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Kind: chatbot.TokenKind(row.Kind), Name: row.Name, Note: row.Note,
		Replaces: row.Replaces, Hint: row.Hint, Scopes: scopes, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(),
		Restrictions: chatbot.Restrictions{
			IPRanges: splitRanges(row.IPRanges), Origins: strings.Fields(row.Origins), RequestsPerMinute: row.RequestsPerMinute,
			MessagesPerMonth: row.MessagesPerMonth, VisitorRequestsPerMinute: row.VisitorRequestsPerMinute,
		},
		LastUse:   chatbot.LastUse{LastUsedAt: store.UTC(row.LastUsedAt), LastUsedIP: row.LastUsedIP, LastUsedAgent: row.LastUsedAgent},
		ExpiresAt: store.UTC(row.ExpiresAt), RevokedAt: store.UTC(row.RevokedAt), WarnedDays: row.WarnedDays, OverLimit: row.OverLimit,
	}
}

func joinRanges(ranges []netip.Prefix) string {
	words := make([]string, len(ranges))
	for i, network := range ranges {
		words[i] = network.String()
	}
	return store.JoinWords(words)
}

func splitRanges(joined string) []netip.Prefix {
	var ranges []netip.Prefix
	for _, word := range strings.Fields(joined) {
		// One that cannot be read admits nobody, where none would admit everybody.
		network, _ := netip.ParsePrefix(word)
		ranges = append(ranges, network)
	}
	return ranges
}
