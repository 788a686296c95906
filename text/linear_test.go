package text_test

import (
	"strings"
	"testing"

	"parley/text/answertest"
	"parley/text/citation"
	"parley/text/clean"
	"parley/text/ground"
	"parley/text/language"
	"parley/text/language/courtesy"
	"parley/text/language/kinds"
	"parley/text/lexical"
	"parley/text/markdown"
	"parley/text/passage"
	"parley/text/quote"
	"parley/text/sentence"
	"parley/text/shown"
	"parley/text/suggest"
	"parley/text/tokens"
	"parley/text/writing"
)

// readers read a text that anybody may have written: a question, what a model says, or a
// passage.
var readers = map[string]func(text string){
	"language.Of":           func(text string) { language.Of(text) },
	"language.Likeliest":    func(text string) { language.Likeliest(text) },
	"language.MayBeEnglish": func(text string) { language.MayBeEnglish(text) },
	"language.PlaceWords":   func(text string) { language.English.PlaceWords(text) },
	"kinds.AskedBy":         func(text string) { kinds.In(language.English).AskedBy(text) },
	"courtesy.Of":           func(text string) { courtesy.Of(text, "") },
	"lexical.Terms":         func(text string) { lexical.Terms(text, language.English) },
	"lexical.Terms, German": func(text string) { lexical.Terms(text, "de") },
	"lexical.Names":         func(text string) { lexical.Names(text, language.English) },
	"lexical.Question":      func(text string) { lexical.Question(text, nil) },
	"lexical.FollowUp":      func(text string) { lexical.FollowUp("And then?", []string{text}, []string{text}) },
	"lexical.Passage":       func(text string) { lexical.Passage("Hours", []string{text}, text) },
	"lexical.EachAlike":     func(text string) { lexical.EachAlike(text, language.English, func(string, []string) {}) },
	"quote.Answer, question": func(text string) {
		quote.Answer(quote.Question{Text: text, Passages: []quote.Passage{{Title: "Hours", Text: opening}}})
	},
	"quote.Answer, passage": func(text string) {
		quote.Answer(quote.Question{Text: "When do you open?", Passages: []quote.Passage{{Title: "Hours", Text: text}}})
	},
	"quote.Answer, after that": func(text string) {
		quote.Answer(quote.Question{Text: "And then?", Earlier: []string{text}, Passages: []quote.Passage{{Text: opening}}})
	},
	"quote.Units":            func(text string) { quote.Units([]quote.Passage{{Text: text}}) },
	"ground, answer":         func(text string) { throughStage(ground.New(ofText(opening), "", "When do you open?"), text) },
	"ground, passage":        func(text string) { throughStage(ground.New(ofText(text), "", "When do you open?"), opening) },
	"ground, question":       func(text string) { throughStage(ground.New(ofText(opening), "", text), opening) },
	"citation, answer":       func(text string) { throughStage(citation.New(ofText(opening)), text) },
	"citation, passage":      func(text string) { throughStage(citation.New(ofText(text)), "“We open at eight” [1]. ") },
	"citation.Strip":         func(text string) { citation.Strip(text) },
	"citation.Marks":         func(text string) { citation.Marks(text, 5) },
	"citation.Quotable":      func(text string) { citation.Quotable(text) },
	"writing.Plain":          func(text string) { writing.Plain(text) },
	"writing.Logical":        func(text string) { writing.Logical(strings.Split("א"+text+"א", ""), true) },
	"writing.Logical, part":  func(text string) { writing.Logical(strings.Split("a א"+text+"א", ""), false) },
	"markdown as HTML":       func(text string) { markdown.Render(text, markdown.HTML, nil) },
	"markdown as text":       func(text string) { markdown.Render(text, markdown.PlainText, nil) },
	"markdown as it is":      func(text string) { markdown.Render(text, markdown.Markdown, nil) },
	"markdown.Excerpt":       func(text string) { markdown.Excerpt(text) },
	"markdown.WithCitations": func(text string) { markdown.WithCitations(text, func(int) string { return "" }) },
	"shown.Answer":           func(text string) { shown.Answer(text) },
	"shown.Passage":          func(text string) { shown.Passage(text) },
	"shown.WithoutComments":  func(text string) { shown.WithoutComments(text) },
	"shown.Alphabets":        func(text string) { shown.Alphabets{}.Add(text) },
	"clean.Text":             func(text string) { clean.Text(text) },
	"clean.Line":             func(text string) { clean.Line(text, 1_000) },
	"clean.Defuse":           func(text string) { clean.Defuse(text) },
	"sentence.Each":          func(text string) { sentence.Each(text, func(string) {}) },
	"sentence.Asks":          func(text string) { sentence.Asks(text) },
	"suggest.FollowUps": func(text string) {
		suggest.FollowUps([]string{text}, text, []suggest.Near{{Document: suggest.Document{Title: "Hours", Passages: ofText(text)}}}, 3)
	},
	"tokens.Count": func(text string) { tokens.Count(text) },
}

const opening = "We open at eight. Rye bread costs 3.50 €.\n"

func TestHostileTextsTakeLinearTime(t *testing.T) { answertest.TakesLinearTime(t, readers) }

func ofText(text string) []passage.Passage {
	return []passage.Passage{{Document: "doc", Title: "Hours", Text: text}}
}

// throughStage writes a text as a model says it, in small pieces.
func throughStage(stage answertest.Stage, text string) {
	for len(text) > 8 {
		stage.Write(text[:8])
		text = text[8:]
	}
	stage.End(text)
}
