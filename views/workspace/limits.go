package workspace

import "parley/views/ui"

// OverLimits is the page of chatbots, members and tokens over the limits of a plan.
type OverLimits struct {
	Groups []OverGroup
	// MayChoose says that the person is the one to choose.
	MayChoose bool
	Form      ui.Form
}

// OverGroup is one kind of thing that exceeds its limit.
type OverGroup struct {
	// Resource is what the form calls it, and Title what people do.
	Resource, Title string
	// Includes says how many the plan has.
	Includes string
	// MayChoose says that some can stay.
	MayChoose bool
	Sets      []OverSet
}

// OverSet are the things that one limit is about.
type OverSet struct {
	// Name is the name of the chatbot that has these things, or empty.
	Name  string
	Items []OverItem
	// Suspended says that one of them is.
	Suspended bool
}

// OverItem is one thing.
type OverItem struct {
	ID, Name string
	// Stays says that it is not suspended, and Vital that it never is.
	Stays, Vital bool
}
