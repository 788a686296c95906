package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// mayChange is the tag of operations that only the program's own pages call.
const mayChange = "Dashboard"

// Narrowings compares a description with the one that was released, and says what callers of
// the released one could no longer rely on. docs/api-policy.md has the rules.
func Narrowings(released, now *Document) []string {
	c := &comparison{}
	for _, old := range released.operations {
		if slices.Contains(old.Tags, mayChange) {
			continue
		}
		c.within(old.Name(), func() {
			at := slices.IndexFunc(now.operations, func(o *Operation) bool { return o.Name() == old.Name() })
			if at < 0 {
				c.refuse("it is gone")
				return
			}
			c.operation(old, now.operations[at])
		})
	}
	c.webhooks(released.Webhooks, now.Webhooks)
	return c.found
}

// webhooks compares what the server sends to other programs.
func (c *comparison) webhooks(released, now map[string]*openapi3.PathItem) {
	c.answers = true
	for _, name := range slices.Sorted(maps.Keys(released)) {
		c.within("webhook "+name, func() {
			if now[name] == nil || now[name].Post == nil {
				c.refuse("it is gone")
				return
			}
			old, new := released[name].Post, now[name].Post
			c.content(old.RequestBody.Value.Content, new.RequestBody.Value.Content)
			for _, header := range old.Parameters {
				of := new.Parameters.GetByInAndName(header.Value.In, header.Value.Name)
				c.within("header "+header.Value.Name, func() {
					if of == nil || header.Value.Required && !of.Required {
						c.refuse("it is gone, or no longer always sent")
						return
					}
					c.schema(header.Value.Schema, of.Schema)
				})
			}
		})
	}
}

// comparison collects what has narrowed, and where.
type comparison struct {
	found []string
	where []string
	// answers says that what is compared is what the server sends.
	answers bool
}

func (c *comparison) within(name string, compare func()) {
	c.where = append(c.where, name)
	compare()
	c.where = c.where[:len(c.where)-1]
}

func (c *comparison) refuse(format string, args ...any) {
	c.found = append(c.found, strings.Join(c.where, ", ")+": "+fmt.Sprintf(format, args...))
}

func (c *comparison) operation(old, now *Operation) {
	c.security(old, now)
	c.answers = false
	c.parameters(old.parameters, now.parameters)
	c.within("body", func() { c.body(old.RequestBody, now.RequestBody) })
	c.answers = true
	c.responses(old.Responses, now.Responses)
}

func (c *comparison) security(old, now *Operation) {
	if len(*old.Security) == 0 && len(*now.Security) > 0 {
		c.refuse("it needs a credential")
	}
	for _, way := range *old.Security {
		same := func(other openapi3.SecurityRequirement) bool {
			return maps.EqualFunc(way, other, func(a, b []string) bool { return slices.Equal(a, b) })
		}
		if len(*now.Security) > 0 && !slices.ContainsFunc(*now.Security, same) {
			c.refuse("the credential %v no longer suffices", slices.Sorted(maps.Keys(way)))
		}
	}
}

func (c *comparison) parameters(old, now []parameter) {
	same := func(a parameter) func(parameter) bool {
		return func(b parameter) bool { return a.Name == b.Name && a.In == b.In }
	}
	for _, p := range old {
		c.within("parameter "+p.Name, func() {
			at := slices.IndexFunc(now, same(p))
			if at < 0 {
				c.refuse("it is gone")
				return
			}
			if now[at].Required && !p.Required {
				c.refuse("it is required")
			}
			c.schema(p.Schema, now[at].Schema)
		})
	}
	for _, p := range now {
		if p.Required && !slices.ContainsFunc(old, same(p)) {
			c.refuse("the new parameter %s is required", p.Name)
		}
	}
}

func (c *comparison) body(old, now *openapi3.RequestBodyRef) {
	switch {
	case old == nil && now != nil && now.Value.Required:
		c.refuse("it is required")
	case old != nil && now == nil:
		c.refuse("it is gone")
	case old != nil:
		if now.Value.Required && !old.Value.Required {
			c.refuse("it is required")
		}
		c.content(old.Value.Content, now.Value.Content)
	}
}

func (c *comparison) content(old, now openapi3.Content) {
	for _, kind := range slices.Sorted(maps.Keys(old)) {
		c.within(kind, func() {
			if now[kind] == nil {
				c.refuse("it is gone")
				return
			}
			c.schema(old[kind].Schema, now[kind].Schema)
		})
	}
}

func (c *comparison) responses(old, now *openapi3.Responses) {
	for _, status := range slices.Sorted(maps.Keys(old.Map())) {
		c.within(status, func() {
			before, after := old.Value(status), now.Value(status)
			if after == nil {
				c.refuse("it is gone")
				return
			}
			for _, name := range slices.Sorted(maps.Keys(before.Value.Headers)) {
				c.within("header "+name, func() { c.header(before.Value.Headers[name], after.Value.Headers[name]) })
			}
			c.content(before.Value.Content, after.Value.Content)
		})
	}
	for _, status := range slices.Sorted(maps.Keys(now.Map())) {
		if old.Value(status) == nil && status < "400" {
			c.refuse("the new status %s is no failure", status)
		}
	}
}

func (c *comparison) header(old, now *openapi3.HeaderRef) {
	if now == nil {
		c.refuse("it is gone")
		return
	}
	if old.Value.Required && !now.Value.Required {
		c.refuse("it may be missing")
	}
	c.schema(old.Value.Schema, now.Value.Schema)
}
