package chatbot

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"
)

// LastUse is when a token was used, and by whom.
type LastUse struct {
	// LastUsedAt is nil for a token that was never used.
	LastUsedAt *time.Time
	// LastUsedIP is the client's address, and LastUsedAgent what it calls itself.
	LastUsedIP, LastUsedAgent string
}

const (
	// useEvery bounds how often the last use of a token is written.
	useEvery = time.Minute
	// maxUses is how many tokens' uses wait to be written. Those of more are lost,
	// which only makes their last use look older.
	maxUses = 50_000
	// maxAgent is how long the name of a client may be, in characters.
	maxAgent = 200
)

// Uses notes when tokens are used, and writes it later, away from requests.
type Uses struct {
	base

	mu sync.Mutex
	// noted is when a token's use was last noted here, and waiting what is to be
	// written.
	noted   map[string]time.Time
	waiting map[string]use
	swept   time.Time
}

type use struct {
	workspaceID string
	LastUse
}

// Used notes a use of a token, at most one a minute, for [Uses.WriteUses]. The
// client is asked for only when the use is noted.
func (s *Uses) Used(token *Token, client func() (ip, agent string)) {
	now := s.now()
	s.mu.Lock()
	if at, known := s.noted[token.ID]; known && now.Sub(at) < useEvery || len(s.waiting) >= maxUses {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	ip, agent := client()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted == nil {
		s.noted = map[string]time.Time{}
	}
	if s.waiting == nil {
		s.waiting = map[string]use{}
	}
	s.forget(now)
	s.noted[token.ID] = now
	s.waiting[token.ID] = use{token.WorkspaceID, LastUse{&now, ip, plainAgent(agent)}}
}

// forget drops the times that no longer matter.
func (s *Uses) forget(now time.Time) {
	if now.Sub(s.swept) < useEvery {
		return
	}
	s.swept = now
	for id, at := range s.noted {
		if now.Sub(at) >= useEvery {
			delete(s.noted, id)
		}
	}
}

// plainAgent is the name of a client as it can be stored and shown.
func plainAgent(agent string) string {
	agent = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, agent))
	if runes := []rune(agent); len(runes) > maxAgent {
		return string(runes[:maxAgent])
	}
	return agent
}

// WriteUses writes the uses that were noted. What fails is not tried again: the
// next use is as good.
func (s *Uses) WriteUses(ctx context.Context) error {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting = nil // whoever notes a use next makes another
	s.mu.Unlock()
	byWorkspace := map[string][]string{}
	for id, use := range waiting {
		byWorkspace[use.workspaceID] = append(byWorkspace[use.workspaceID], id)
	}
	var failures []error
	for workspaceID, ids := range byWorkspace {
		failures = append(failures, s.writeUses(ctx, workspaceID, ids, waiting))
	}
	return errors.Join(failures...)
}

// writeUses writes the uses of one workspace's tokens in one commit. It locks the
// workspace first, as every other change of tokens does.
func (s *Uses) writeUses(ctx context.Context, workspaceID string, ids []string, waiting map[string]use) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if len(ids) > 1 {
			if _, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID); err != nil {
				return ignoreMissing(err)
			}
		}
		for _, id := range ids {
			if err := s.db.Tokens.TouchToken(ctx, workspaceID, id, waiting[id].LastUse); err != nil {
				return err
			}
		}
		return nil
	})
}
