// Package idf knows how rare the terms of questions are, which it learns from the
// scores of hits or from counts, and remembers for a few minutes. It does not own
// how the server is asked.
package idf

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

// Counts remembers how many passages have each term, for the tenants that were
// searched last. It sees this process's own changes at once, and other processes'
// changes after [countsKept].
type Counts struct {
	mutex   sync.Mutex
	tenants *simplelru.LRU[string, *Tenant]
}

// Tenant holds the numbers of one tenant.
type Tenant struct {
	until time.Time

	mutex sync.Mutex
	// total is the number of all passages, or unknown.
	total int
	// average is the average length of passages, or zero if it is not known.
	average float64
	terms   *simplelru.LRU[string, int]
}

const unknown = -1

func NewCounts() *Counts {
	tenants, _ := simplelru.NewLRU[string, *Tenant](countedTenants, nil) // fails below one
	return &Counts{tenants: tenants}
}

// Of returns the numbers of a tenant. Numbers that a caller puts into them after
// the tenant was forgotten have no effect.
func (c *Counts) Of(tenant string) *Tenant {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if known, ok := c.tenants.Get(tenant); ok && time.Now().Before(known.until) {
		return known
	}
	terms, _ := simplelru.NewLRU[string, int](countedTerms, nil) // fails below one
	known := &Tenant{until: time.Now().Add(countsKept), total: unknown, terms: terms}
	c.tenants.Add(tenant, known)
	return known
}

// Forget forgets the numbers of a tenant that has changed.
func (c *Counts) Forget(tenant string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tenants.Remove(tenant)
}

// ForgetAll forgets all numbers, after a rebuild.
func (c *Counts) ForgetAll() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tenants.Purge()
}

// Missing returns the terms whose number is not known, and an empty term if the
// number of all passages is not known.
func (t *Tenant) Missing(terms []retrieval.Term) (missing []string) {
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

// Put keeps the number of passages with a term or, under the empty term, the number
// of all passages.
func (t *Tenant) Put(term string, n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if term == "" {
		t.total = n
		return
	}
	t.terms.Add(term, n)
}

// AverageLength is what [Tenant.PutAverageLength] kept, or zero.
func (t *Tenant) AverageLength() float64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.average
}

// PutAverageLength keeps the average length of a passage, in terms.
func (t *Tenant) PutAverageLength(average float64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.average = average
}

var errNotCounted = errors.New("weaviate: the count of a term was dropped before it was read")

// IDF returns the idf of each term.
func (t *Tenant) IDF(terms []retrieval.Term) ([]float64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := make([]float64, len(terms))
	for i, term := range terms {
		n, ok := t.terms.Get(term.Text)
		if !ok || t.total == unknown {
			return nil, errNotCounted
		}
		list[i] = idfOf(t.total, n)
	}
	return list, nil
}
