package upstream

import (
	"strings"
	"sync/atomic"
)

// Habit is what is known of a model's thoughts. Templates of some models end the
// prompt with the opening tag, so that the answer begins within the thoughts and has
// only their closing tag: until it comes, thoughts look like text. It is safe for
// concurrent use. The zero value knows nothing.
type Habit struct{ state atomic.Int32 }

const (
	notKnown int32 = iota
	// opensNothing is a model whose last answer had a closing tag alone.
	opensNothing
	// saysWhatItMeans is a model whose answer began as thoughts do, and was one.
	saysWhatItMeans
)

// HabitOf returns what a model's name tells.
func HabitOf(model string) *Habit {
	habit := &Habit{}
	model = strings.ToLower(model)
	for _, part := range []string{"deepseek-r1", "qwq", "thinking", "reasoner"} {
		if strings.Contains(model, part) {
			habit.state.Store(opensNothing)
		}
	}
	return habit
}

// hold is how much of an answer's beginning is held back.
type hold int

const (
	nothing hold = iota
	// unsure holds text for as long as it can be the beginning of thoughts.
	unsure
	// everything holds text until a closing tag or the end.
	everything
)

// holds returns how much to hold back of an answer.
func (h *Habit) holds(whole, elsewhere bool) hold {
	switch {
	case whole:
		return everything
	case h == nil || elsewhere || h.state.Load() == saysWhatItMeans:
		return nothing
	case h.state.Load() == opensNothing:
		return everything
	}
	return unsure
}

// musings are how thoughts begin. An answer for a visitor seldom does.
var musings = []string{
	"Okay", "Ok,", "Alright", "All right,", "Hmm", "Wait,", "Well,", "Now,", "Right,", "Got it", "So the", "So I", "So we", "So,", "So they",
	"Let me", "Let's", "Let us", "We need", "We should", "We must", "We are asked", "We're asked", "I need", "I should", "I have to", "I must", "I'll",
	"The user", "User", "The question", "The visitor", "The customer", "The query", "The passage", "Passage", "From the passage", "Looking at",
	"First, I", "First, let", "First, the", "First I", "Thinking", "Thought", "Here's a thinking", "Here's my", "Here is my thought",
	"Der Nutzer", "Der Benutzer", "Die Frage", "Also,", "Bon,", "D'accord", "L'utilisateur", "Vale", "El usuario", "Bien,", "L'utente", "O usuário",
	"好的", "嗯", "用户", "首先", "我需要", "让我", "ユーザー", "まず",
}

// musing reports whether a text begins as thoughts do, or may turn out to.
func musing(text string) (begins, may bool) {
	for _, musing := range musings {
		if strings.HasPrefix(text, musing) {
			return true, true
		}
		may = may || strings.HasPrefix(musing, text)
	}
	return false, may
}
