package pgtest

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Template is a database that is prepared once, when the first test needs it, and
// copied for each test: a copy takes a fraction of the time of, say, a migration. It
// stays until its throw-away server ends.
type Template struct {
	prepare func(url string) error
	once    sync.Once
	name    string
	err     error
}

// NewTemplate returns a template that a function prepares. The function gets the URL
// of an empty database, and must have closed its connections to it when it returns.
func NewTemplate(prepare func(url string) error) *Template { return &Template{prepare: prepare} }

// New is the package's New for a database that is a copy of the template.
func (m *Template) New(t testing.TB) string {
	t.Helper()
	address := address(t)
	m.once.Do(func() { m.err = m.create(*address) })
	if m.err != nil {
		t.Fatalf("prepare the database that tests copy: %v", m.err)
	}
	return create(t, address, " TEMPLATE "+m.name)
}

func (m *Template) create(address url.URL) error {
	m.name = "template_" + strings.ToLower(rand.Text())
	if err := execute(address.String(), "CREATE DATABASE "+m.name); err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	address.Path = "/" + m.name
	return m.prepare(address.String())
}
