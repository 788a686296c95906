package bot

import (
	"strconv"

	"parley/views/ui"
)

// Playground is the page where members try their chatbot.
type Playground struct {
	// Documents is how many documents the chatbot has, and Ready how many of them it
	// answers from.
	Documents, Ready int
	// MayTry says that the person may ask, MayAdd that they may add knowledge, and
	// MayDraft that they may try settings and publish them.
	MayTry, MayAdd, MayDraft bool
	// Draft is the form of a draft, filled with the settings that are live, and
	// Refused says that it could not be published.
	Draft   ui.Form
	Refused bool
	// Seen is the fingerprint of the live settings.
	Seen      string
	Answering Answering
	// Welcome is the owner's text to greet people with, or empty.
	Welcome string
	// Left is how many questions are left of those Included in the month, and
	// LeftNumber the same without separators. All are empty without a limit.
	Left, LeftNumber, Included string
	// MaxChars is how long a question may be.
	MaxChars int
	// Code asks the same from a program. HasAPI says that the plan includes that.
	Code   []ui.Sample
	HasAPI bool
}

func (m Playground) maxChars() string { return strconv.Itoa(m.MaxChars) }

// welcome stands there until the script has what the documents suggest.
func (m Playground) welcome(name string) string {
	if m.Welcome != "" {
		return m.Welcome
	}
	return "Ask " + name + " a question."
}

// start is what a new conversation begins with where there is nothing to ask about.
func (m Playground) start() ui.Nothing {
	switch {
	case m.Documents == 0:
		return ui.Nothing{ID: "no-knowledge", Icon: "book-open", Title: "Give your chatbot something to answer from", Text: "Drop a file, paste an address or type a text. Questions are suggested here as soon as it has been read."}
	case m.Ready == 0:
		return ui.Nothing{ID: "no-knowledge", Icon: "clock", Title: "Your documents are being read", Text: "Questions are suggested here as soon as the first one is ready."}
	}
	return ui.Nothing{}
}

// formats are how an answer can be read.
var formats = []ui.Option{{Value: "html", Text: "Formatted"}, {Value: "markdown", Text: "Markdown"}, {Value: "plain_text", Text: "Plain text"}}

var draftGroundings = []ui.Option{{Value: "open", Text: "Open: may add what it knows"}, {Value: "strict", Text: "Strict: only what the knowledge supports"}}

// Samples are programs that ask a question, in three languages. The question and
// the format are written as they stand in JSON.
func Samples(apiURL, question, format string) []ui.Sample {
	body := `{"message": ` + question + `, "format": ` + format + `}`
	return []ui.Sample{
		{Name: "curl", Code: "curl " + apiURL + "/chat \\\n  -H \"Authorization: Bearer $PARLEY_TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '" + body + "'"},
		{Name: "JavaScript", Code: "const response = await fetch(\"" + apiURL + "/chat\", {\n  method: \"POST\",\n  headers: {\n    Authorization: `Bearer ${process.env.PARLEY_TOKEN}`,\n    \"Content-Type\": \"application/json\",\n  },\n  body: JSON.stringify(" + body + "),\n});\nconst { data } = await response.json();\nconsole.log(data.message);"},
		{Name: "Python", Code: "import os, requests\n\nresponse = requests.post(\n    \"" + apiURL + "/chat\",\n    headers={\"Authorization\": f\"Bearer {os.environ['PARLEY_TOKEN']}\"},\n    json=" + body + ",\n)\nprint(response.json()[\"data\"][\"message\"])"},
	}
}
