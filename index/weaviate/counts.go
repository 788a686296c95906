package weaviate

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/retrieval"
)

const (
	// countsKept is how long the numbers of a tenant are good enough.
	countsKept = 5 * time.Minute
	// The limits of the tenants, and of the terms of each, whose numbers are kept.
	countedTenants, countedTerms = 256, 2000
)

// counts remembers how many passages have each term, for the tenants that were
// searched last. It sees this process's own changes at once, and those of other
// processes after [countsKept].
type counts struct {
	mutex   sync.Mutex
	tenants *simplelru.LRU[string, *tenantCounts]
}

// tenantCounts are the numbers of one tenant.
type tenantCounts struct {
	until time.Time

	mutex sync.Mutex
	// total is the number of all passages, or unknown.
	total int
	// average is the average length of passages, or zero if it is not known.
	average float64
	terms   *simplelru.LRU[string, int]
}

const unknown = -1

func newCounts() *counts {
	tenants, _ := simplelru.NewLRU[string, *tenantCounts](countedTenants, nil) // fails below one
	return &counts{tenants: tenants}
}

// of returns the numbers of a tenant. Numbers that a caller puts into them after
// the tenant was forgotten have no effect.
func (c *counts) of(tenant string) *tenantCounts {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if known, ok := c.tenants.Get(tenant); ok && time.Now().Before(known.until) {
		return known
	}
	terms, _ := simplelru.NewLRU[string, int](countedTerms, nil) // fails below one
	known := &tenantCounts{until: time.Now().Add(countsKept), total: unknown, terms: terms}
	c.tenants.Add(tenant, known)
	return known
}

// forget forgets the numbers of a tenant that has changed.
func (c *counts) forget(tenant string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tenants.Remove(tenant)
}

// forgetAll forgets all numbers, after a rebuild.
func (c *counts) forgetAll() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tenants.Purge()
}

// missing returns the terms whose number is not known, and an empty term if the
// number of all passages is not known.
func (t *tenantCounts) missing(terms []retrieval.Term) (missing []string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.total == unknown {
		missing = append(missing, "")
	}
	for _, term := range terms {
		if !t.terms.Contains(term.Text) {
			missing = append(missing, term.Text)
		}
	}
	return missing
}

// put keeps the number of passages with a term, or that of all under the empty
// term.
func (t *tenantCounts) put(term string, n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if term == "" {
		t.total = n
		return
	}
	t.terms.Add(term, n)
}

// averageLength is what [tenantCounts.putAverageLength] kept, or zero.
func (t *tenantCounts) averageLength() float64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.average
}

// putAverageLength keeps the average length of a passage, in terms.
func (t *tenantCounts) putAverageLength(average float64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.average = average
}

var errNotCounted = errors.New("weaviate: the count of a term was dropped before it was read")

// idf returns the idf of each term.
func (t *tenantCounts) idf(terms []retrieval.Term) ([]float64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := make([]float64, len(terms))
	for i, term := range terms {
		n, ok := t.terms.Get(term.Text)
		if !ok || t.total == unknown {
			return nil, errNotCounted
		}
		list[i] = idf(t.total, n)
	}
	return list, nil
}
