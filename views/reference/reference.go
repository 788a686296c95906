// Package reference owns what the pages of the API's reference show. Where it comes from
// is the business of web/reference.
package reference

import (
	"parley/views/shell"
	"parley/views/ui"
)

// Reference is all that is described.
type Reference struct {
	Title string
	// About is sanitized HTML, as all texts of this name.
	About  string
	Groups []Group
}

// Group is operations about one subject.
type Group struct {
	// Slug is the last part of its address.
	Slug, Name, About string
	Operations        []Operation
}

// Operation is one call.
type Operation struct {
	// ID is its anchor.
	ID, Method, Path, Title, About string
	// Access says who may call, empty for anyone, and Scopes what a token needs.
	Access     string
	Scopes     []string
	Deprecated bool
	Parameters []Parameters
	// Bodies are the forms that its body may have.
	Bodies  []Body
	Answers []Answer
	Samples []ui.Sample

	// Tryable says that the page can call it, with these inputs and this body.
	Tryable bool
	Inputs  []Input
	Body    string
}

// Parameters are those in one place.
type Parameters struct {
	Title  string
	Fields []Field
}

// Field is a parameter, a property, or one form of something.
type Field struct {
	Name, Type, About    string
	Required, Deprecated bool
	// Limits are short, such as "at most 255 characters".
	Limits []string
	// Values are all that it may have, or none.
	Values   []string
	Children []Field
}

// Body is one form of a body.
type Body struct {
	Type     string
	Fields   []Field
	Examples []Example
}

// Example is a body as it may be.
type Example struct{ Name, Code string }

// Answer is what may come back.
type Answer struct {
	Status, About string
	// Good says that it is no failure.
	Good   bool
	Bodies []Body
}

// Input is one of the form that tries a call. In is path, query, header or file.
type Input struct {
	In, Name, Example string
	Required          bool
}

// Page is one page of the reference.
type Page struct {
	Reference
	// Current is the group that is shown, zero for the beginning.
	Current Group
}

func (p Page) tries() bool {
	for _, o := range p.Current.Operations {
		if o.Tryable {
			return true
		}
	}
	return false
}

// failures are the answers of an operation that are none of the good ones.
func (o Operation) failures() (all []Answer) {
	for _, a := range o.Answers {
		if !a.Good {
			all = append(all, a)
		}
	}
	return all
}

func (o Operation) good() (all []Answer) {
	for _, a := range o.Answers {
		if a.Good {
			all = append(all, a)
		}
	}
	return all
}

func (o Operation) id(part string) string { return o.ID + "-" + part }

func (i Input) id(o Operation) string { return o.id(i.In + "-" + ui.Slug(i.Name)) }

func url(slug string) string { return shell.ReferenceURL + "/" + slug }
