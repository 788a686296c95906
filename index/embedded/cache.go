package embedded

import (
	"container/list"
	"context"
	"database/sql"
	"sync"

	"parley/core/knowledge"
)

// maxStatements is the number of chatbots whose statements stay prepared.
const maxStatements = 256

// cache keeps the prepared searches of the chatbots searched last.
type cache struct {
	db  *sql.DB
	max int

	mu      sync.Mutex
	entries map[knowledge.Scope]*list.Element
	recent  *list.List // of *prepared, the most recent first
}

// prepared is the search of one scope. users and gone are guarded by the
// cache's mutex; who is last out closes.
type prepared struct {
	scope        knowledge.Scope
	question     *sql.Stmt
	conversation *sql.Stmt
	users        int
	gone         bool
}

func (p *prepared) query(ctx context.Context, m matches, limit int) (*sql.Rows, error) {
	if m.context == nothing {
		return p.question.QueryContext(ctx, m.question, limit)
	}
	return p.conversation.QueryContext(ctx, m.question, limit, m.context)
}

func newCache(db *sql.DB) *cache {
	return &cache{db: db, max: maxStatements, entries: map[knowledge.Scope]*list.Element{}, recent: list.New()}
}

// acquire returns the prepared search of a scope, or nil for a scope without a
// table. The caller releases it.
func (c *cache) acquire(ctx context.Context, scope knowledge.Scope) (*prepared, error) {
	if p := c.lookup(scope); p != nil {
		return p, nil
	}
	table, err := findTable(ctx, c.db, scope)
	if err != nil || table == 0 {
		return nil, err
	}
	question, err := c.db.PrepareContext(ctx, questionSQL(table))
	if err != nil {
		return nil, err
	}
	conversation, err := c.db.PrepareContext(ctx, conversationSQL(table))
	if err != nil {
		_ = question.Close()
		return nil, err
	}
	return c.insert(&prepared{scope: scope, question: question, conversation: conversation, users: 1}), nil
}

func (c *cache) lookup(scope knowledge.Scope) *prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[scope]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(element)
	p := element.Value.(*prepared)
	p.users++
	return p
}

// insert puts p in the place of what two callers may have prepared at once.
func (c *cache) insert(p *prepared) *prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(c.entries[p.scope])
	c.entries[p.scope] = c.recent.PushFront(p)
	if c.recent.Len() > c.max {
		c.evict(c.recent.Back())
	}
	return p
}

func (c *cache) release(p *prepared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.users--
	c.closeUnused(p)
}

// forget drops the prepared search of a scope.
func (c *cache) forget(scope knowledge.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(c.entries[scope])
}

func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, element := range c.entries {
		c.evict(element)
	}
}

func (c *cache) evict(element *list.Element) {
	if element == nil {
		return
	}
	p := c.recent.Remove(element).(*prepared)
	delete(c.entries, p.scope)
	p.gone = true
	c.closeUnused(p)
}

func (c *cache) closeUnused(p *prepared) {
	if p.gone && p.users == 0 {
		_ = p.question.Close()
		_ = p.conversation.Close()
	}
}
