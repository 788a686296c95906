package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/app/isolating"
	"parley/core/isolation"
	"parley/store/servers"
)

// announcedMark begins the names of the marks, in the database, of checks that run. A mark has the
// hash of a secret that the check sends with each request: only who can write to the database can
// make a request one of a check, and who reads it cannot.
const announcedMark = "isolation check: "

func markOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return announcedMark + hex.EncodeToString(sum[:])
}

// announcement tells servers of a check.
type announcement struct {
	chores *servers.Chores
	secret string
	now    func() time.Time
}

// begin tells that the check begins, and returns what tells that it has ended. Marks of checks that
// were killed go with it.
func (a announcement) begin(ctx context.Context) (ended func(context.Context) error, err error) {
	now := a.now()
	if err := a.chores.ForgetChores(ctx, announcedMark, now.Add(-isolation.Lasts)); err != nil {
		return nil, err
	}
	_, err = a.chores.BeginChore(ctx, markOf(a.secret), now, now)
	return func(ctx context.Context) error {
		return a.chores.ForgetChores(ctx, markOf(a.secret), a.now().Add(time.Second))
	}, err
}

const (
	// announcedFor is how long a server believes a mark without looking again, and askedEvery how
	// often it looks at most, whoever sends what.
	announcedFor = 5 * time.Second
	askedEvery   = 50 * time.Millisecond
)

// announced are the checks that a server knows of.
type announced struct {
	mu    sync.Mutex
	mark  string
	until time.Time
	asked time.Time
}

// ofCheck reports whether a request is one of parley doctor isolation: it counts in no metric and is
// no security event, since it tells of nobody.
func (s *Server) ofCheck(c *fiber.Ctx) bool {
	secret := c.Get(isolating.Header)
	if secret == "" {
		return false
	}
	mark, now := markOf(secret), time.Now()
	a := &s.checks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mark == mark && now.Before(a.until) {
		return true
	}
	if a.mark != mark && now.Sub(a.asked) < askedEvery {
		return false
	}
	a.asked = now
	at, err := servers.NewChores(s.Store).Begun(c.UserContext(), mark)
	if err != nil || at.IsZero() || s.now().Sub(at) > isolation.Lasts {
		return false
	}
	a.mark, a.until = mark, now.Add(announcedFor)
	return true
}
