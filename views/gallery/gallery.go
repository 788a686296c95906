// Package gallery shows every page and component with invented data, in all states
// that look different, so that a designer and a test can look at them without a
// database.
//
// It does not own how a page looks (packages ui, shell, bot, workspace and person).
package gallery

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a-h/templ"

	"parley/views/shell"
	"parley/views/ui"
)

// day is when everything in the gallery happened.
var day = time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)

// hostile is what a name must not do anything with.
const hostile = `<script>alert("1")</script> & "Co" 'x'`

// Pages are all pages by name.
func Pages() map[string]templ.Component {
	all := personPages()
	maps.Copy(all, componentPages())
	maps.Copy(all, workspacePages())
	maps.Copy(all, botPages())
	maps.Copy(all, insightPages())
	maps.Copy(all, referencePages())
	return all
}

// names returns the names of all pages but the index, in order.
func names() []string {
	var all []string
	for name := range Pages() {
		if name != "index" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func acme(section shell.Section, title string) shell.Layout {
	return shell.Layout{
		Title: title, Email: "ada@example.com", Section: section,
		Workspace:  shell.Workspace{ID: "ws_1", Name: "Acme"},
		Chatbots:   []shell.Chatbot{{ID: "cb_1", Name: hostile}, {ID: "cb_2", Name: "Help"}},
		Workspaces: []shell.Workspace{{ID: "ws_1", Name: "Acme"}, {ID: "ws_2", Name: hostile}, {ID: "ws_3", Name: "Old shop", Ending: true}},
	}
}

func ofChatbot(section shell.Section, title string) shell.Layout {
	l := acme(section, title)
	l.Chatbot = shell.Chatbot{ID: "cb_1", Name: hostile, CreatedAt: day}
	return l
}

// refused is a form that was sent back.
func refused(field, message string, values map[string]string) ui.Form {
	return ui.Form{Values: values, Field: field, Message: message}
}

// unconfirmed returns the layout for a person whose address is not confirmed.
func unconfirmed(mails bool) shell.Layout {
	l := acme("", "Your account")
	l.Unconfirmed, l.Mails = true, mails
	return l
}

func mailURL(i int, part string) string { return fmt.Sprintf("/mails/%d/%s", i+1, part) }

func plain(title string) shell.Layout { return shell.Layout{Title: title} }
