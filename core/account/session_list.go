package account

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
	"parley/internal/useragent"
)

// storedAgent shortens a User-Agent to the part that is stored.
func storedAgent(agent string) string {
	agent = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if isControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, agent), "")
	for len(agent) > maxAgent {
		_, size := utf8.DecodeLastRuneInString(agent)
		agent = agent[:len(agent)-size]
	}
	return agent
}

// Device is what people call the browser, such as Firefox on Windows.
func (s Session) Device() string { return useragent.Name(s.Agent) }

// NetworkName is the network of the last use as people read it: an address for one
// of a single address.
func (s Session) NetworkName() string {
	return strings.TrimSuffix(cmp.Or(s.LastNetwork, s.Network), "/32")
}

// Of returns the sessions in which a user is signed in, the one that was used
// last first.
func (s *Sessions) Of(ctx context.Context, userID string) ([]Session, error) {
	sessions, err := s.db.Sessions.SessionsOf(ctx, userID)
	now := s.now()
	return slices.DeleteFunc(sessions, func(session Session) bool { return session.endedAt(now) }), err
}

// IsOf reports whether a session is the one with a secret.
func (s Session) IsOf(secret string) bool { return s.ID == id.Hash(secret) }

// End ends one session of a user. It is NotFound if the user has none of that
// id.
func (s *Sessions) End(ctx context.Context, user User, sessionID string) error {
	return s.endThose(ctx, user, func(session Session) bool { return session.ID == sessionID }, true)
}

// EndOthers ends all sessions of a user but the one with a secret.
func (s *Sessions) EndOthers(ctx context.Context, user User, secret string) error {
	return s.endThose(ctx, user, func(session Session) bool { return !session.IsOf(secret) }, false)
}

func (s *Sessions) endThose(ctx context.Context, user User, which func(Session) bool, needed bool) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		sessions, err := s.db.Sessions.SessionsOf(ctx, user.ID)
		if err != nil {
			return err
		}
		ended := 0
		for _, session := range sessions {
			if !which(session) {
				continue
			}
			if err := s.db.Sessions.DeleteSession(ctx, session.ID); err != nil {
				return err
			}
			ended++
		}
		switch {
		case ended == 0 && needed:
			return fault.New(fault.NotFound, "Session not found.")
		case ended == 0:
			return nil
		}
		return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.SessionsEnded, Object: user.object()})
	})
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }
