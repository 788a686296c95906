package bot

import (
	"parley/views/shell"
	"parley/views/ui"
)

// The ways to add knowledge.
const (
	WayFiles   = "files"
	WayWebsite = "website"
	WayText    = "text"
	WayPairs   = "pairs"
)

// Add is what adds knowledge.
type Add struct {
	// Way is the one that is shown.
	Way string
	// Text, Pairs, Files and Address are the forms.
	Text, Pairs, Files, Address ui.Form
}

// IsWay reports whether there is such a way to add knowledge.
func IsWay(way string) bool {
	for _, w := range ways {
		if w.name == way {
			return true
		}
	}
	return false
}

var ways = []struct{ name, text string }{
	{WayFiles, "Files"}, {WayWebsite, "Website"}, {WayText, "Text"}, {WayPairs, "Questions and answers"},
}

func (m Add) tabs(chatbotID string) []ui.Tab {
	all := make([]ui.Tab, len(ways))
	for i, w := range ways {
		all[i] = ui.Tab{Text: w.text, URL: shell.AddKnowledgeURL(chatbotID, w.name), Current: w.name == m.Way}
	}
	return all
}

const uploadTypes = ".md,.markdown,.txt,.html,.htm,.pdf,.docx,.pptx,.xlsx,.csv,.epub"

// kindsSentence says which files work.
const kindsSentence = "We can't read this file type. Add PDF, Word, PowerPoint, Excel, CSV, EPUB, HTML, Markdown or text files."

var (
	filesInput = ui.Input{
		Name: "files", Label: "Drop files here, or choose them", Type: "file", Accept: uploadTypes, Required: true,
		Hint: "PDF, Word, PowerPoint, Excel, CSV, EPUB, HTML, Markdown or text, up to 20 MB each.",
	}
	pairsInput = ui.Input{
		Name: "pairs", Label: "Questions and answers", Rows: 10, Required: true,
		Hint: `One pair per line: question,answer. Put quotes around text that contains commas, or paste two columns of a spreadsheet. JSON objects with "question" and "answer" work too.`,
	}
	includeInput = ui.Input{Name: "include", Label: "Only below these paths", Rows: 2, Hint: "One per line, such as /docs/. Leave it empty to read all pages."}
	excludeInput = ui.Input{Name: "exclude", Label: "Not below these paths", Rows: 2, Hint: "One per line, such as /docs/old/."}
)
