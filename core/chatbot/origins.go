package chatbot

import (
	"context"
	"sync"
	"time"
)

// originsFor is how long the origins of all publishable tokens are believed, which
// bounds how late this process sees one that another process has added.
const originsFor = 5 * time.Second

// origins are the origins of all publishable tokens. A browser asks whether it may
// call the server before it shows a token, so that question is about all of them.
// The zero value knows none.
type origins struct {
	mu      sync.RWMutex
	known   map[string]bool
	until   time.Time
	reading sync.Mutex // so that one request reads them for all
	drops   uint64
}

// forget has the origins read again.
func (o *origins) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Time{}
	o.drops++
}

func (o *origins) has(origin string, now time.Time) (has, fresh bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.known[origin], now.Before(o.until)
}

// OriginKnown reports whether a publishable token of any chatbot lists an origin,
// as far as this process knows. It asks no database.
func (s *Callers) OriginKnown(origin string) bool {
	has, _ := s.origins.has(origin, s.now())
	return has
}

// OriginListed is [Callers.OriginKnown] and asks the database, for all callers
// together at most once in [originsFor].
func (s *Callers) OriginListed(ctx context.Context, origin string) (bool, error) {
	if has, fresh := s.origins.has(origin, s.now()); fresh {
		return has, nil
	}
	s.origins.reading.Lock()
	defer s.origins.reading.Unlock()
	if has, fresh := s.origins.has(origin, s.now()); fresh {
		return has, nil
	}
	s.origins.mu.RLock()
	drops := s.origins.drops
	s.origins.mu.RUnlock()
	known := map[string]bool{}
	for listed, err := range s.db.Tokens.PublishedOrigins(ctx) {
		if err != nil {
			return false, err
		}
		for _, one := range listed {
			known[one] = true
		}
	}
	s.origins.mu.Lock()
	defer s.origins.mu.Unlock()
	s.origins.known = known
	if s.origins.drops == drops { // else some were changed meanwhile
		s.origins.until = s.now().Add(originsFor)
	}
	return known[origin], nil
}
