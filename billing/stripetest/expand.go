package stripetest

import (
	"encoding/json"
	"strings"
)

// maxExpand is how deep Stripe expands.
const maxExpand = 4

// plain returns a value as parsed JSON.
func plain(value any) any {
	var made any
	if err := json.Unmarshal(rendered(value), &made); err != nil {
		panic(err) // it was just written as JSON
	}
	return made
}

// expand replaces ids with objects: https://docs.stripe.com/api/expanding_objects.
func (s *Server) expand(value any, paths []string) (any, error) {
	made := plain(value)
	for _, path := range paths {
		steps := strings.Split(path, ".")
		if len(steps) > maxExpand {
			return nil, invalid("expand", "You cannot expand more than %d levels of a property.", maxExpand)
		}
		if !s.expandPath(made, steps) {
			return nil, invalid("expand", "This property cannot be expanded (%s).", path)
		}
	}
	return made, nil
}

// expandPath reports false if there is no such property.
func (s *Server) expandPath(value any, steps []string) bool {
	if all, ok := value.([]any); ok {
		for _, element := range all {
			if !s.expandPath(element, steps) {
				return false
			}
		}
		return true
	}
	object, ok := value.(map[string]any)
	if !ok {
		return value == nil
	}
	if len(steps) == 0 {
		return true
	}
	inner, known := object[steps[0]]
	if id, isID := inner.(string); isID {
		found, exists := s.byID[id]
		if !exists {
			return false
		}
		inner = plain(found)
		object[steps[0]] = inner
	}
	return known && s.expandPath(inner, steps[1:])
}
