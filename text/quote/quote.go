// Package quote answers without a language model: it quotes what a careful person would
// copy out of passages, and cites it, or says that it does not know. It never says anything
// that no passage says.
//
// It does not own the search for passages (package core/retrieval) nor the
// rendering of Markdown (package markdown).
package quote

import (
	"cmp"
	"slices"
	"strings"

	"parley/text/encode"
	"parley/text/language"
	"parley/text/language/courtesy"
)

// Question is a question with what it is answered from.
type Question struct {
	Text string
	// Language is the question's language or, if the question does not tell, the language
	// of the questions before it. It may be empty.
	Language language.Code
	// Earlier are the questions before it, oldest first.
	Earlier []string
	// Passages are what was found, best first. There may be none. A citation counts them
	// from 1.
	Passages []Passage
	// NoAnswer is what is said if the passages do not answer the question.
	NoAnswer string
	// Gone, unless nil, reports whether nobody waits for the answer any more. It is asked
	// again and again; what is returned then is worth nothing.
	Gone func() bool
}

// Passage is a piece of a document that was found.
type Passage struct {
	// Title is the document's, and HeadingPath the headings above the passage, outermost
	// first.
	Title       string
	HeadingPath []string
	// Text is Markdown.
	Text string
	// Score is the search's, or zero if the search does not score.
	Score float64
	// Closeness is how close the passage's encoding is to the question's, as the cosine
	// of their angle, from −1 to 1; zero where one of them is not known.
	Closeness float64
	// Compared is how many passages the search compared with the question by their
	// vectors, or zero where that is not known.
	Compared int
	// Parts are the parts of the text whose closeness is known, in order.
	Parts []encode.Part
}

// Answer is what a question is answered with, in Markdown: always the same for the same
// question and passages.
func Answer(asked Question) string {
	if isCourtesy(asked.Text) && asked.NoAnswer != "" {
		return asked.NoAnswer // which returns it
	}
	in := languageOfQuestion(asked)
	gone := asked.Gone
	if gone == nil {
		gone = waits
	}
	found := choose(asked.Text, slices.DeleteFunc(slices.Clone(asked.Earlier), isCourtesy), in, asked.Passages, gone)
	phrases := language.PhrasesIn(in)
	if len(found) > 0 {
		return compose(found, phrases)
	}
	if text := strings.TrimSpace(asked.NoAnswer); text != "" && text != phrases.NoAnswer {
		return asked.NoAnswer
	}
	return phrases.NoAnswer + " " + phrases.NextStep
}

// waits says that somebody waits for the answer.
func waits() bool { return false }

// isCourtesy reports whether a message is nothing but a greeting, thanks or a farewell.
func isCourtesy(message string) bool { return courtesy.Of(message, "").Kind != courtesy.None }

// languageOfQuestion returns the prompt's language or, if that is empty, the question's.
// For a question of a few words that do not tell, it returns the language of the best
// passage, or of the question and the passage together.
func languageOfQuestion(asked Question) language.Code {
	if in := cmp.Or(asked.Language, language.Of(asked.Text)); in != "" || len(asked.Passages) == 0 {
		return in
	}
	best := asked.Passages[0]
	if in := language.Of(best.Title + "\n" + best.Text); in != "" {
		return in
	}
	return language.Likeliest(asked.Text + "\n" + best.Title + "\n" + best.Text)
}
