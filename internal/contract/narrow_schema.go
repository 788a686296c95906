package contract

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// mayGrow is the extension of a schema to which later versions may add values or kinds of
// events.
const mayGrow = "x-grows"

// schema compares two schemas. What callers send must still be accepted, and what the server
// sends must have been described.
func (c *comparison) schema(oldRef, nowRef *openapi3.SchemaRef) {
	if oldRef == nil || nowRef == nil {
		if (oldRef == nil) != (nowRef == nil) {
			c.refuse("its schema came or went")
		}
		return
	}
	old, now := oldRef.Value, nowRef.Value
	k := keywords{c}
	k.types(old, now)
	k.values(old, now)
	k.bounds(old, now)
	k.properties(old, now)
	if old.Items != nil || now.Items != nil {
		c.within("items", func() { c.schema(old.Items, now.Items) })
	}
	if old.ContentSchema != nil || now.ContentSchema != nil {
		c.within("events", func() { c.schema(old.ContentSchema, now.ContentSchema) })
	}
	k.choices(old, old.OneOf, now.OneOf)
	k.choices(old, old.AnyOf, now.AnyOf)
}

// keywords compares the keywords of two schemas.
type keywords struct{ *comparison }

// lost refuses what callers would lose: something that the server no longer accepts (gone), or
// something that it newly sends (come).
func (c *comparison) lost(gone, come bool, format string, args ...any) {
	if c.answers && come || !c.answers && gone {
		c.refuse(format, args...)
	}
}

func (c keywords) types(old, now *openapi3.Schema) {
	before, after := old.Type.Slice(), now.Type.Slice()
	if len(after) == 0 && (len(before) == 0 || now.ContentMediaType != "") { // a text of some type of content is one without saying so
		return
	}
	for _, name := range before {
		c.lost(!slices.Contains(after, name) && len(after) > 0, false, "it is no longer %s", name)
	}
	for _, name := range after {
		c.lost(len(before) == 0, !slices.Contains(before, name) && len(before) > 0, "it may be %s", name)
	}
	c.lost(false, len(after) == 0, "it may be anything")
}

func (c keywords) values(old, now *openapi3.Schema) {
	before, after := old.Enum, now.Enum
	if old.Const != nil {
		before = []any{old.Const}
	}
	if now.Const != nil {
		after = []any{now.Const}
	}
	grows, _ := old.Extensions[mayGrow].(bool)
	for _, value := range before {
		c.lost(len(after) > 0 && !has(after, value), false, "%v is no longer a value", value)
	}
	for _, value := range after {
		c.lost(len(before) == 0, len(before) > 0 && !has(before, value) && !grows, "%v is a new value", value)
	}
	c.lost(false, len(before) > 0 && len(after) == 0, "it may have any value")
}

func has(values []any, value any) bool {
	return slices.ContainsFunc(values, func(v any) bool { return reflect.DeepEqual(v, value) })
}

// bounds compares what limits values. A limit that is tighter accepts less, and one that is
// looser sends more.
func (c keywords) bounds(old, now *openapi3.Schema) {
	c.lower("minLength", float(&old.MinLength), float(&now.MinLength))
	c.lower("minItems", float(&old.MinItems), float(&now.MinItems))
	c.lower("minimum", old.Min, now.Min)
	c.upper("maxLength", float(old.MaxLength), float(now.MaxLength))
	c.upper("maxItems", float(old.MaxItems), float(now.MaxItems))
	c.upper("maximum", old.Max, now.Max)
	for name, pair := range map[string][2]string{"pattern": {old.Pattern, now.Pattern}, "format": {old.Format, now.Format}} {
		if pair[0] != pair[1] {
			c.lost(pair[1] != "", pair[0] != "", "its %s is another", name)
		}
	}
	c.lost(now.UniqueItems && !old.UniqueItems, old.UniqueItems && !now.UniqueItems, "uniqueItems is another")
}

func float(n *uint64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func (c keywords) lower(name string, old, now *float64) {
	c.lost(now != nil && (old == nil || *now > *old), old != nil && (now == nil || *now < *old), "%s was %s and is %s", name, said(old), said(now))
}

func (c keywords) upper(name string, old, now *float64) {
	c.lost(now != nil && (old == nil || *now < *old), old != nil && (now == nil || *now > *old), "%s was %s and is %s", name, said(old), said(now))
}

func said(bound *float64) string {
	if bound == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *bound)
}

func (c keywords) properties(old, now *openapi3.Schema) {
	for _, name := range slices.Sorted(maps.Keys(old.Properties)) {
		c.within(name, func() {
			if now.Properties[name] == nil {
				c.refuse("it is gone")
				return
			}
			c.schema(old.Properties[name], now.Properties[name])
		})
	}
	for _, name := range now.Required {
		c.lost(!slices.Contains(old.Required, name), false, "%s is required", name)
	}
	for _, name := range old.Required {
		c.lost(false, !slices.Contains(now.Required, name), "%s may be missing", name)
	}
}

// choices compares oneOf or anyOf. They belong together by the names of their schemas.
func (c keywords) choices(of *openapi3.Schema, old, now openapi3.SchemaRefs) {
	grows, _ := of.Extensions[mayGrow].(bool)
	named := func(refs openapi3.SchemaRefs, i int) string {
		if refs[i].Ref != "" {
			return refs[i].Ref
		}
		return fmt.Sprint(i)
	}
	in := func(refs openapi3.SchemaRefs, name string) int {
		for i := range refs {
			if named(refs, i) == name {
				return i
			}
		}
		return -1
	}
	for i := range old {
		name := named(old, i)
		c.within(name, func() {
			at := in(now, name)
			if at < 0 {
				c.refuse("it is gone")
				return
			}
			c.schema(old[i], now[at])
		})
	}
	for i := range now {
		if name := named(now, i); in(old, name) < 0 {
			c.lost(len(old) == 0, !grows, "%s is new", name)
		}
	}
}
