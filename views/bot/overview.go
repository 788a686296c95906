package bot

import "parley/views/ui"

// Overview is a chatbot's first page.
type Overview struct {
	// Steps lead to a chatbot that answers, each ticked by what really happened.
	Steps []Step
	// Week is nil while no program has ever asked.
	Week *Week
	// Gaps are the questions that most need an answer, Open says how many questions
	// are open in all, and Improve is the page of them.
	Gaps    []GapGroup
	Open    string
	Improve string
	// MayEdit says that the person may add answers.
	MayEdit bool
	// Offer is for a chatbot that answers, in a plan without API access.
	Offer *Offer
}

// Week is what a chatbot did in the last days.
type Week struct {
	// About says which days, and what they are compared with.
	About string
	Tiles []ui.Stat
	Chart ui.Chart
	// Any says that there were questions.
	Any bool
	// Analytics is the page of all figures.
	Analytics string
}

// Offer says what comes after the playground.
type Offer struct{ Title, URL string }

// Step is one of the steps to a chatbot that answers.
type Step struct {
	Title, Text string
	// Button and URL lead to where it is done.
	Button, URL, Icon string
	Done              bool
	// Later says that the plan does not include it, so that nothing waits for it.
	Later bool
}

// next is whether a step is the first that is not done.
func (m Overview) next(at int) bool {
	for i, s := range m.Steps {
		if !s.Done {
			return i == at && !s.Later
		}
	}
	return false
}

// Finished reports whether all steps are done that the plan includes.
func (m Overview) Finished() bool {
	for _, s := range m.Steps {
		if !s.Done && !s.Later {
			return false
		}
	}
	return true
}
