package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/store/servers"
)

const (
	// indexMark begins the names of the marks by which servers tell one another, in
	// the database, which index they use.
	indexMark = "index in use: "
	// markEvery is how often a server sets its mark, and markedFor how long it counts.
	markEvery = time.Minute
	markedFor = 3 * markEvery
)

const indexesDiffer = "Servers on this database use different indexes, so they answer from different documents: this one uses %s, and another %s."

const indexesDifferRemedy = "Give all servers the same WEAVIATE_URL and WEAVIATE_PREFIX, or none of them."

// indexInUse names the index as all servers that share it do. They may reach one
// Weaviate at different addresses.
func indexInUse(config *Config) string {
	if config.WeaviateURL == "" {
		return "the embedded index"
	}
	return strings.TrimSpace("Weaviate " + config.WeaviateName)
}

// otherIndexes returns the indexes that other servers have used since a time.
func (p *Program) otherIndexes(ctx context.Context, since time.Time) ([]string, error) {
	marks, err := servers.NewChores(p.Store).ChoresBegun(ctx, indexMark, since)
	own := indexInUse(p.Config)
	for i, mark := range marks {
		marks[i] = strings.TrimPrefix(mark, indexMark)
	}
	return slices.DeleteFunc(marks, func(mark string) bool { return mark == own }), err
}

// markIndex tells other servers which index this one uses, and warns when one of them
// has used another since a time.
func (p *Program) markIndex(ctx context.Context, since time.Time) error {
	now := p.now()
	if _, err := servers.NewChores(p.Store).BeginChore(ctx, indexMark+indexInUse(p.Config), now, now); err != nil {
		return err
	}
	others, err := p.otherIndexes(ctx, since)
	if err == nil && len(others) > 0 {
		p.Log.Warn(fmt.Sprintf(indexesDiffer, indexInUse(p.Config), strings.Join(others, " and ")), "remedy", indexesDifferRemedy)
	}
	return err
}

// watchIndexes does so from now on. What a server used that has ended by now does not
// count.
func (s *Server) watchIndexes(k *keeper) {
	started := s.now()
	k.atOnceAndEvery(markEvery, "compare indexes with other servers", func(ctx context.Context) error {
		since := s.now().Add(-markedFor)
		if since.Before(started) {
			since = started
		}
		return s.markIndex(ctx, since)
	})
}

// diagnoseIndexes checks that all servers use the index that is set here.
func (p *Program) diagnoseIndexes(ctx context.Context) Diagnosis {
	others, err := p.otherIndexes(ctx, p.now().Add(-markedFor))
	if err == nil && len(others) > 0 {
		return Diagnosis{Part: "indexes", Detail: fmt.Sprintf(indexesDiffer, indexInUse(p.Config), strings.Join(others, " and ")), Remedy: indexesDifferRemedy}
	}
	return diagnosed("indexes", err, "no server uses another index", "Check that the database runs and that DATABASE_URL is right.")
}
