package suggest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/core/knowledge"
	"parley/core/language"
)

const (
	// subjects is how many a greeting names at most.
	subjects = 3
	// mostSubject is how long one is, in characters.
	mostSubject = 32
)

// Welcome is a sentence to greet people with, in the language that most documents are
// in: English where none is clear. It names what they are about, if that is clear.
func Welcome(name string, from []Document) string {
	in := languageOf(from)
	phrases := language.PhrasesIn(in)
	about := subjectsOf(name, from, in)
	pattern := phrases.WelcomeAbout
	list := "{1}"
	switch len(about) {
	case 0:
		pattern, list = phrases.Welcome, ""
	case 2:
		list = phrases.Two
	case 3:
		list = phrases.Three
	}
	// One after the other, and each once: what is put in may have braces.
	pairs := []string{"{name}", name}
	for i, subject := range about {
		pairs = append(pairs, "{"+strconv.Itoa(i+1)+"}", subject)
	}
	return strings.NewReplacer(pairs...).Replace(strings.Replace(pattern, "{subjects}", list, 1))
}

// subjectsOf are what the documents in a language are about, each document's title
// before what is below it, and one of each document before another.
func subjectsOf(name string, from []Document, in language.Code) []string {
	var seen chosen
	own := termsOf(name, in)
	for depth, more := 0, true; more && len(seen.questions) < subjects; depth++ {
		more = false
		for _, d := range from {
			about := d.subjects(in)
			if depth >= len(about) || d.language(in) != in {
				continue
			}
			more = true
			if len(seen.questions) < subjects && !termsOf(about[depth], in).equal(own) {
				seen.add(candidate{question: about[depth], subject: about[depth], in: in})
			}
		}
	}
	return seen.questions
}

// subjects are the title and the headings of a document that can stand in a list.
func (d Document) subjects(in language.Code) []string {
	var all []string
	text := d.text()
	add := func(heading string) {
		isPhrase := phrase.MatchString(heading) && utf8.RuneCountInString(heading) <= mostSubject && len(strings.Fields(heading)) <= 3
		isSentence := clause.MatchString(heading) || howTo.MatchString(heading) || in != "" && beginsAsking(heading, in) && !hasUnspaced(heading)
		if !isPhrase || isSentence || !tellsSomething(heading) {
			return
		}
		if in != language.German { // whose nouns are large
			heading = uncapitalized(heading, text, topic(heading, in) != "")
		}
		all = append(all, heading)
	}
	if d.Kind == knowledge.Pairs {
		return nil
	}
	add(heading(d.Title))
	for _, s := range d.sections() {
		if s.heading != heading(d.Title) {
			add(s.heading)
		}
	}
	return all
}
