package stripetest

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params are the parameters of a request, with names such as items[0][price].
type params url.Values

func (p params) get(name string) string { return url.Values(p).Get(name) }

func (p params) has(name string) bool { return url.Values(p).Has(name) }

func (p params) yes(name string) bool { return p.get(name) == "true" }

// number returns 0 for anything but a number.
func (p params) number(name string) int64 {
	n, _ := strconv.ParseInt(p.get(name), 10, 64)
	return n
}

func (p params) moment(name string) moment { return moment(p.number(name)) }

// hash returns the parameters inside a name: for items[0], price of items[0][price].
func (p params) hash(name string) params {
	inner := params{}
	for key, values := range p {
		rest, ok := strings.CutPrefix(key, name+"[")
		if !ok {
			continue
		}
		first, tail, closed := strings.Cut(rest, "]")
		if closed {
			inner[first+tail] = values
		}
	}
	return inner
}

// keys returns the names at this level, in order.
func (p params) keys() []string {
	found := map[string]bool{}
	for key := range p {
		first, _, _ := strings.Cut(key, "[")
		found[first] = true
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		x, notX := strconv.Atoi(a)
		y, notY := strconv.Atoi(b)
		if notX == nil && notY == nil {
			return x - y
		}
		return strings.Compare(a, b)
	})
}

// list returns the values of name[0], name[1] and so on, or of several name[].
func (p params) list(name string) []string {
	var values []string
	inner := p.hash(name)
	for _, key := range inner.keys() {
		values = append(values, inner[key]...)
	}
	return values
}

// hashes returns the hashes name[0], name[1] and so on.
func (p params) hashes(name string) []params {
	var found []params
	inner := p.hash(name)
	for _, key := range inner.keys() {
		found = append(found, inner.hash(key))
	}
	return found
}

// tree returns the parameters as JSON values.
func (p params) tree() map[string]any {
	tree := map[string]any{}
	for _, key := range p.keys() {
		if p.has(key) {
			tree[key] = scalar(p.get(key))
			continue
		}
		inner := p.hash(key)
		if _, err := strconv.Atoi(inner.keys()[0]); err != nil {
			tree[key] = inner.tree()
			continue
		}
		tree[key] = inner.elements()
	}
	return tree
}

// elements is tree for a list.
func (p params) elements() []any {
	var all []any
	for _, key := range p.keys() {
		if p.has(key) {
			all = append(all, scalar(p.get(key)))
		} else {
			all = append(all, p.hash(key).tree())
		}
	}
	return all
}

func scalar(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	return text
}

// mergeMetadata changes metadata like an update: an empty value removes a key.
func (p params) mergeMetadata(metadata map[string]string) map[string]string {
	merged := maps.Clone(metadata)
	if merged == nil {
		merged = map[string]string{}
	}
	if p.has("metadata") && p.get("metadata") == "" {
		clear(merged)
	}
	inner := p.hash("metadata")
	for key := range inner {
		if merged[key] = inner.get(key); merged[key] == "" {
			delete(merged, key)
		}
	}
	return merged
}
