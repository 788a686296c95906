package weaviate

import (
	"container/list"
	"errors"
	"sync"
	"time"

	"parley/core/knowledge"
)

const (
	// countsKept is for how long the numbers of a tenant are good enough.
	countsKept = 5 * time.Minute
	// Numbers are kept of so many tenants, and of so many terms of each.
	countedTenants, countedTerms = 256, 2000
)

// counts remembers how many passages of a tenant have which terms, for those
// tenants that were searched last. This process's own changes are seen at
// once, those of others after [countsKept].
type counts struct {
	mutex   sync.Mutex
	tenants map[string]*list.Element
	// order begins with the tenant that was searched last.
	order *list.List
}

// tenantCounts are the numbers of one tenant.
type tenantCounts struct {
	tenant string
	until  time.Time

	mutex sync.Mutex
	terms map[string]int
}

func newCounts() *counts {
	return &counts{tenants: map[string]*list.Element{}, order: list.New()}
}

// of returns the numbers of a tenant. Those that are put into it after the
// tenant was forgotten are of no effect.
func (c *counts) of(tenant string) *tenantCounts {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.tenants[tenant]; at != nil {
		if known := at.Value.(*tenantCounts); time.Now().Before(known.until) {
			c.order.MoveToFront(at)
			return known
		}
		c.remove(at)
	}
	for c.order.Len() >= countedTenants {
		c.remove(c.order.Back())
	}
	known := &tenantCounts{tenant: tenant, until: time.Now().Add(countsKept), terms: map[string]int{}}
	c.tenants[tenant] = c.order.PushFront(known)
	return known
}

// forget is for a tenant that was changed.
func (c *counts) forget(tenant string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if at := c.tenants[tenant]; at != nil {
		c.remove(at)
	}
}

// forgetAll is for an index that was rebuilt.
func (c *counts) forgetAll() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	clear(c.tenants)
	c.order.Init()
}

func (c *counts) remove(at *list.Element) {
	c.order.Remove(at)
	delete(c.tenants, at.Value.(*tenantCounts).tenant)
}

// missing returns those terms whose number is not known, and an empty one if
// the number of all passages is not.
func (t *tenantCounts) missing(terms []knowledge.Term) (missing []string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if _, ok := t.terms[""]; !ok {
		missing = append(missing, "")
	}
	for _, term := range terms {
		if _, ok := t.terms[term.Text]; !ok {
			missing = append(missing, term.Text)
		}
	}
	return missing
}

func (t *tenantCounts) put(term string, n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.terms) >= countedTerms {
		total, ok := t.terms[""]
		clear(t.terms)
		if ok {
			t.terms[""] = total
		}
	}
	t.terms[term] = n
}

var errNotCounted = errors.New("weaviate: the number of a term was forgotten at once")

// idf returns the idf of each term.
func (t *tenantCounts) idf(terms []knowledge.Term) ([]float64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	total, known := t.terms[""]
	list := make([]float64, len(terms))
	for i, term := range terms {
		n, ok := t.terms[term.Text]
		if !ok || !known {
			return nil, errNotCounted
		}
		list[i] = idf(total, n)
	}
	return list, nil
}
