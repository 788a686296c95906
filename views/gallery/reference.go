package gallery

import (
	"github.com/a-h/templ"

	"parley/views/reference"
	"parley/views/ui"
)

// referencePages returns the pages of the API reference.
func referencePages() map[string]templ.Component {
	all := reference.Reference{Title: "Parley API", About: "<p>Send a question.</p>", Groups: []reference.Group{{Slug: "chat", Name: "Chat", About: "<p>Ask.</p>", Operations: []reference.Operation{{
		ID: "chat", Method: "POST", Path: "/api/v1/chat/" + hostile, Title: hostile, Access: "A token with the scope", Scopes: []string{"chat"}, Deprecated: true,
		Parameters: []reference.Parameters{{Title: "Headers", Fields: []reference.Field{{Name: hostile, Type: "string", Required: true, Limits: []string{"at most 255 characters"}}}}},
		Bodies:     []reference.Body{{Type: "application/json", Fields: []reference.Field{{Name: "format", Values: []string{hostile}, Deprecated: true, Children: []reference.Field{{Name: "inner"}}}}}},
		Answers: []reference.Answer{
			{Status: "200", Good: true, About: "<p>The answer.</p>", Bodies: []reference.Body{{Type: "application/json", Examples: []reference.Example{{Name: "An answer", Code: hostile}}}}},
			{Status: "404", About: "<p>There is none.</p>"},
		},
		Samples: []ui.Sample{{Name: "curl", Code: "curl " + hostile}, {Name: "Python", Code: "import os"}},
		Tryable: true, Inputs: []reference.Input{{In: "path", Name: "id", Example: hostile, Required: true}, {In: "file", Name: "file"}}, Body: hostile,
	}}}}}
	return map[string]templ.Component{
		"reference":       reference.ReferencePage(plain("Parley API"), reference.Page{Reference: all}),
		"reference-group": reference.ReferencePage(plain("Chat"), reference.Page{Reference: all, Current: all.Groups[0]}),
	}
}
