package chatbot

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
)

const (
	// MaxSuggestedQuestions is how many questions a chatbot suggests at most.
	MaxSuggestedQuestions = 6
	maxWelcome            = 300
	maxSuggestedQuestion  = 200
)

// Greeting is what people see of a chatbot before they ask, in the owner's words. What
// is empty is made from the documents: see package browse.
type Greeting struct {
	// Welcome is plain text of at most 300 characters.
	Welcome string
	// SuggestedQuestions are at most [MaxSuggestedQuestions], each of a line of at most
	// 200 characters.
	SuggestedQuestions []string
	// SuggestNothing says that no questions are suggested: neither these, nor made ones,
	// nor any that follow an answer.
	SuggestNothing bool
}

// check returns a greeting as it is stored, or refuses it. Empty questions are left
// out, and so are those that stand there already.
func (g Greeting) check() (Greeting, error) {
	welcome, err := checkText("welcome", g.Welcome, maxWelcome)
	if err != nil {
		return g, err
	}
	var questions []string
	for _, question := range g.SuggestedQuestions {
		if question, err = checkQuestion(question); err != nil {
			return g, err
		}
		if strings.Trim(question, "-") == "" { // nothing, or a rule
			continue
		}
		isThere := slices.ContainsFunc(questions, func(other string) bool { return strings.EqualFold(other, question) })
		if !isThere {
			questions = append(questions, question)
		}
	}
	if len(questions) > MaxSuggestedQuestions {
		return g, fault.InField("suggested_questions", "Write at most %d questions, one per line. These are %d.", MaxSuggestedQuestions, len(questions))
	}
	return Greeting{Welcome: welcome, SuggestedQuestions: questions, SuggestNothing: g.SuggestNothing}, nil
}

// checkQuestion returns a question as one line, and refuses one that cannot be stored
// or is too long.
func checkQuestion(question string) (string, error) {
	question = strings.TrimSpace(question)
	if !plain.Storable(question) { // as the text that it is, or splitting would hide what cannot be stored
		return checkText("suggested_questions", question, maxSuggestedQuestion)
	}
	question = plain.Spaced(question)
	if n := utf8.RuneCountInString(question); n > maxSuggestedQuestion {
		return "", fault.InField("suggested_questions", "A question is %d characters long; at most %d are allowed. Shorten “%s…”.", n, maxSuggestedQuestion, string([]rune(question)[:40]))
	}
	return question, nil
}
