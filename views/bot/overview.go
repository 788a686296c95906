package bot

// Overview is a chatbot's first page.
type Overview struct {
	// Steps lead to a chatbot that answers, each ticked by what really happened.
	Steps []Step
}

// Step is one of the steps to a chatbot that answers.
type Step struct {
	Title, Text string
	// Button and URL lead to where it is done.
	Button, URL, Icon string
	Done              bool
}

// next is whether a step is the first that is not done.
func (m Overview) next(at int) bool {
	for i, s := range m.Steps {
		if !s.Done {
			return i == at
		}
	}
	return false
}

// Finished reports whether all steps are done.
func (m Overview) Finished() bool {
	for _, s := range m.Steps {
		if !s.Done {
			return false
		}
	}
	return true
}
