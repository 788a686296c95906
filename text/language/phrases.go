package language

import (
	"embed"
	"strings"
	"sync"
)

//go:embed phrases/*.txt
var catalog embed.FS

// Phrases are what Parley itself says, beside what documents and models say.
type Phrases struct {
	// NoAnswer says that the documents do not answer a question, and NextStep what to do
	// then. Both are sentences.
	NoAnswer, NextStep string
	// Source stands before the name of a document, with its colon.
	Source string
	// Untitled stands for the name of a document that has none.
	Untitled string
	// Welcome greets people in the name of a chatbot, {name}. WelcomeAbout also says what
	// it knows about: {subjects}, which are one, Two or Three, with {1}, {2} and {3}.
	Welcome, WelcomeAbout, Two, Three string
	// About asks about a {subject} in general.
	About string
}

// PhrasesIn returns the phrases of a language, or the English ones if the language is not
// known. Each language is a file of lines "name = text".
func PhrasesIn(code Code) Phrases {
	all := phrases()
	if found, ok := all[code]; ok {
		return found
	}
	return all[English]
}

var phrases = sync.OnceValue(func() map[Code]Phrases {
	all := map[Code]Phrases{}
	files, _ := catalog.ReadDir("phrases") // it is embedded
	for _, file := range files {
		text, _ := catalog.ReadFile("phrases/" + file.Name())
		all[Code(strings.TrimSuffix(file.Name(), ".txt"))] = parsed(string(text))
	}
	return all
})

func parsed(text string) (p Phrases) {
	fields := map[string]*string{
		"no_answer": &p.NoAnswer, "next_step": &p.NextStep, "source": &p.Source, "untitled": &p.Untitled,
		"welcome": &p.Welcome, "welcome_about": &p.WelcomeAbout, "two": &p.Two, "three": &p.Three, "about": &p.About,
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, "=")
		if field := fields[strings.TrimSpace(name)]; field != nil {
			*field = strings.TrimSpace(value)
		}
	}
	return p
}
