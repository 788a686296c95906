package language

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
// known.
func PhrasesIn(code Code) Phrases { return phrases(code.OrEnglish()) }

var phrases = Once(func(code Code) (p Phrases) {
	fields := map[string]*string{
		"no_answer": &p.NoAnswer, "next_step": &p.NextStep, "source": &p.Source, "untitled": &p.Untitled,
		"welcome": &p.Welcome, "welcome_about": &p.WelcomeAbout, "two": &p.Two, "three": &p.Three, "about": &p.About,
	}
	for name, text := range code.Named("phrases") {
		*fields[name] = text
	}
	return p
})
