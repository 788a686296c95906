package api

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// nullable is a property that a caller may leave out, and for which null is a value.
type nullable[T any] struct {
	// is reports whether the request has the property. Value is nil for null.
	is    bool
	value *T
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (n *nullable[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	n.is = true
	return json.UnmarshalDecode(from, &n.value)
}

// orZero returns the value as a change: nil if the caller left it out, and zero for null.
func (n nullable[T]) orZero() *T {
	if !n.is {
		return nil
	}
	if n.value == nil {
		return new(T)
	}
	return n.value
}
