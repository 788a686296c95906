package suggest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/text/language"
)

const (
	// subjects is how many a greeting names at most.
	subjects = 3
	// mostSubject is how long one is, in characters.
	mostSubject = 32
)

// Welcome is a sentence to greet people with, in the language that most documents are
// in: English where none is clear. It names what they are about, if that is clear.
func (l Library) Welcome(name string) string {
	phrases := language.PhrasesIn(l.mostly)
	about := l.subjects(name)
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

// subjects are what the documents in the language of most are about, each document's
// title before what is below it, and one of each document before another.
func (l Library) subjects(name string) []string {
	var of [][]string
	for _, d := range l.documents {
		if d.in == l.mostly {
			of = append(of, d.subjects(l.wording))
		}
	}
	var seen chosen
	own := termsOf(name, l.mostly)
	isNew := func(subject terms) bool {
		// "Delivery or delivery and returns" says one of them twice.
		return !subject.equal(own) && !slices.ContainsFunc(seen.subjects, func(other terms) bool {
			return subject.share(other) == 1 || other.share(subject) == 1
		})
	}
	for depth, more := 0, true; more && len(seen.questions) < subjects; depth++ {
		more = false
		for _, about := range of {
			if depth >= len(about) {
				continue
			}
			more = true
			if len(seen.questions) < subjects && isNew(termsOf(about[depth], l.mostly)) {
				seen.add(candidate{question: about[depth], subject: about[depth], in: l.mostly})
			}
		}
	}
	return seen.questions
}

// subjects are the title and the headings of a document that can stand in a list. A
// heading of which nothing tells whether it is a name cannot: it would have the capital
// of one.
func (d reading) subjects(w wording) []string {
	if d.Pairs {
		return nil
	}
	var all []string
	add := func(heading string) {
		if !d.isSubject(heading) {
			return
		}
		known := true
		if d.in != language.German { // whose nouns are large
			heading, known = w.within(heading, topic(heading, d.in) != "")
		}
		if known {
			all = append(all, heading)
		}
	}
	add(d.title)
	for _, s := range d.sections {
		if s.heading != d.title {
			add(s.heading)
		}
	}
	return all
}

func (d reading) isSubject(heading string) bool {
	switch isShort := utf8.RuneCountInString(heading) <= mostSubject && len(strings.Fields(heading)) <= 3; {
	case !isShort || !phrase.MatchString(heading) || !tellsSomething(heading):
		return false
	case d.in == language.English || d.in == "":
		return isNoun(heading) && !howTo.MatchString(heading)
	}
	return hasUnspaced(heading) || !beginsAsking(heading, d.in)
}
