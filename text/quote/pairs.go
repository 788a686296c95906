package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	sentences "parley/text/sentence"
)

// An FAQ's "Yes" and "No" answer the question above them and no other: "Yes, from the first
// tooth" says nothing about implants. They are quoted only where the same is asked.

// asksTheSame reports whether a heading is a question, and the one that is asked: in the
// same words, or in others of the same meaning, in any order, but for those that only ask.
// Each word that says more, such as a day, makes it another question.
func (t *terms) asksTheSame(heading, question string) bool {
	if !sentences.Asks(heading) {
		return false
	}
	if slices.Equal(wordsOf(heading), wordsOf(question)) {
		return true
	}
	if len(whether(t.lang)) == 0 || len(wordsOf(heading)) > maxTerms || len(wordsOf(question)) > maxTerms {
		return false
	}
	theirs, ours := t.tellingWords(heading), t.tellingWords(question)
	return len(ours) > 0 && t.haveEach(theirs, ours) && t.haveEach(ours, theirs)
}

// tellingWords are the words of a text but for those that only ask whether something is so.
func (t *terms) tellingWords(text string) []string {
	return slices.DeleteFunc(wordsOf(text), func(word string) bool { return whether(t.lang)[language.Fold(word)] })
}

// haveEach reports whether each of some words is, in some form or by another word for it,
// among others.
func (t *terms) haveEach(some, others []string) bool {
	for _, word := range some {
		bit := t.bit([]byte(shorten(word, maxWord)))
		same := func(other string) bool {
			return other == word || bit != 0 && t.bit([]byte(shorten(other, maxWord))) == bit
		}
		if !slices.ContainsFunc(others, same) {
			return false
		}
	}
	return true
}

// whether has the words of questions that ask whether something is so, and say nothing
// about what.
var whether = language.Once(func(in language.Code) map[string]bool {
	words := map[string]bool{}
	for word := range in.List("asking_whether") {
		words[language.Fold(word)] = true
	}
	return words
})

// withoutReplies returns the units without the "Yes" and "No" that sentences begin with, and
// items behind a question of their own. What was nothing else is left out.
func withoutReplies(units []unit) []unit {
	if !slices.ContainsFunc(units, func(u unit) bool { return u.answering() < len(u.text) }) {
		return units
	}
	kept := make([]unit, 0, len(units))
	for _, u := range units {
		if at := u.answering(); at < len(u.text) {
			rest := u.text[at+replyLength(u.text[at:]):]
			if first, _ := utf8.DecodeRuneInString(rest); unicode.IsLower(first) {
				rest = "… " + rest
			}
			u.text = u.text[:at] + rest
		}
		if hasLetter(u.text) {
			kept = append(kept, u)
		}
	}
	return kept
}

// answering returns where the "Yes" or "No" of a unit begins, or how long its text is.
func (u unit) answering() int {
	at := 0
	switch u.kind {
	case sentence:
	case item:
		length, space := sentences.First(u.text)
		if at = length; !space || !sentences.Asks(u.text[:length]) {
			return len(u.text)
		}
	default:
		return len(u.text)
	}
	at += len(u.text[at:]) - len(strings.TrimLeft(u.text[at:], " "))
	if replyLength(u.text[at:]) == 0 {
		return len(u.text)
	}
	return at
}

// replyLength returns how long the words are with which a text answers whether something is
// so, with the punctuation and the space behind them: 5 of "Yes, we do."
func replyLength(text string) int {
	at := 0
	for {
		rest := text[at:]
		word := strings.IndexFunc(rest, unicode.IsLetter)
		if word < 0 || strings.Trim(rest[:word], "*_\"'“„«»‘ ") != "" {
			return at
		}
		n := oneReply(rest[word:])
		if n == 0 {
			return at
		}
		at += word + n
	}
}

const (
	// maxReply is how long the longest reply may be, in bytes.
	maxReply = 64
	// replyEnds are the characters that end a reply, but for those of emphasis.
	replyEnds = ",.;!–—，。、；！؛،-"
	emphasis  = "*_"
)

// oneReply returns how long one reply is that a text begins with, or 0.
func oneReply(text string) int {
	clause := text[:min(len(text), maxReply)]
	end := strings.IndexAny(clause, replyEnds+emphasis)
	if end < 0 && len(clause) == len(text) {
		end = len(text)
	}
	if end < 0 || !isReply(clause[:end]) {
		return replyBeforePronoun(text)
	}
	behind := strings.TrimLeft(text[end:], replyEnds+emphasis)
	after := strings.TrimLeft(behind, " ")
	next, _ := utf8.DecodeRuneInString(after)
	glued, spaced := behind == after, strings.HasSuffix(clause[:end], " ")
	switch mark := text[end:]; {
	case strings.HasPrefix(mark, "-") && glued && !spaced, // "no-frills"
		strings.HasPrefix(mark, ".") && unicode.IsDigit(next),        // "No. 5"
		spaced && mark != "" && strings.Contains(emphasis, mark[:1]): // "no *smoking*"
		return 0
	}
	return len(text) - len(after)
}

// replyBeforePronoun is oneReply for "Yes we do".
func replyBeforePronoun(text string) int {
	if at := beforePronoun.FindStringSubmatchIndex(text); at != nil {
		return at[2]
	}
	return 0
}

var beforePronoun = regexp.MustCompile(`^(?i:yes|no|yeah|yep|nope)\s+((?i:we|you|it|they|he|she|there)\b|I\b)`)

func isReply(text string) bool { return replies[strings.ToLower(strings.TrimSpace(text))] }

// replies are the words of any language that answer whether something is so.
var replies = language.InAny("replies")

// labelLength returns the length of the "Q:" or "Answer 3." before a question or its answer.
func labelLength(text string) int { return len(labels.FindString(text)) }

var labels = regexp.MustCompile(`^[*_ ]*(?i:\pL|question|answer|frage|antwort|pregunta|respuesta|question|réponse|domanda|risposta|pergunta|resposta|vraag|antwoord|fråga|svar|spørgsmål|spørsmål|kysymys|vastaus|вопрос|ответ|soru|cevap|质?问题?|答案?|質問|回答|답변|질문) ?[0-9]{0,3}[:.)：][*_]* *`)
