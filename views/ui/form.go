// Package ui owns the components that pages are made of.
package ui

// Form is what was typed into a form, by the name of the input, and what is
// Wrong with it. Values has an entry for every input that can be wrong.
type Form struct {
	Values map[string]string
	// Field names the input that is wrong.
	Field string
	// Message says what is wrong, empty when nothing is.
	Message string
}

// Value returns what was typed into an input.
func (f Form) Value(name string) string { return f.Values[name] }

// Error returns what is wrong with an input.
func (f Form) Error(name string) string {
	if f.Field != name {
		return ""
	}
	return f.Message
}

// Banner returns what is wrong with none of the inputs in particular.
func (f Form) Banner() string {
	if _, ofAnInput := f.Values[f.Field]; ofAnInput {
		return ""
	}
	return f.Message
}
