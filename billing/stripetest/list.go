package stripetest

import "slices"

// identified is an object with an id.
type identified interface{ id() string }

// list is a page of objects: https://docs.stripe.com/api/pagination.
type list[T any] struct {
	Object  string `json:"object"`
	URL     string `json:"url"`
	HasMore bool   `json:"has_more"`
	Data    []T    `json:"data"`
}

// The limits of a page.
const (
	usualPage   = 10
	largestPage = 100
)

// page returns a page of the wanted objects, the latest first.
func page[T identified](r *Request, objects []T, wanted func(T) bool) (any, error) {
	p := r.params()
	limit := usualPage
	if p.has("limit") {
		limit = int(p.number("limit"))
	}
	if limit < 1 || limit > largestPage {
		return nil, invalid("limit", "This value must be between 1 and %d.", largestPage)
	}
	var found []T
	for _, object := range slices.Backward(objects) {
		if wanted(object) {
			found = append(found, object)
		}
	}
	at := func(id string) int { return slices.IndexFunc(found, func(o T) bool { return o.id() == id }) }
	if after := p.get("starting_after"); after != "" {
		if at(after) < 0 {
			return nil, missing("object", after, "starting_after")
		}
		found = found[at(after)+1:]
	}
	more := len(found) > limit
	if before := p.get("ending_before"); before != "" {
		if at(before) < 0 {
			return nil, missing("object", before, "ending_before")
		}
		found = found[:at(before)]
		more = len(found) > limit
		found = found[max(0, len(found)-limit):]
	}
	found = found[:min(limit, len(found))]
	return list[T]{Object: "list", URL: r.Path, HasMore: more, Data: append([]T{}, found...)}, nil
}

// within reports whether a time is in the range created[gte] and so on.
func (p params) within(name string, at moment) bool {
	bound := p.hash(name)
	switch {
	case p.has(name) && at != p.moment(name),
		bound.has("gt") && at <= bound.moment("gt"), bound.has("gte") && at < bound.moment("gte"),
		bound.has("lt") && at >= bound.moment("lt"), bound.has("lte") && at > bound.moment("lte"):
		return false
	}
	return true
}

// is reports whether a filter is absent or equal to the value.
func (p params) is(name, value string) bool { return !p.has(name) || p.get(name) == value }

// find returns an object by its id.
func find[T identified](objects []T, id string) (T, bool) {
	i := slices.IndexFunc(objects, func(o T) bool { return o.id() == id })
	if i < 0 {
		var none T
		return none, false
	}
	return objects[i], true
}
