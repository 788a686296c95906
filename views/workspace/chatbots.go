// Package workspace owns a workspace's pages, and the models that they show: one
// file a page, named as in the sidebar.
//
// It does not own what the models hold (package web/workspace). Nothing is
// fetched or decided here.
package workspace

import (
	"parley/views/shell"
	"parley/views/ui"
)

// Chatbots is the page of a workspace.
type Chatbots struct {
	Chatbots []shell.Chatbot
	// MayCreate shows the form.
	MayCreate bool
	Form      ui.Form
}

// around has the button that opens the form, where there are chatbots already.
func (m Chatbots) around(l shell.Layout) shell.Layout {
	if m.MayCreate && len(m.Chatbots) > 0 {
		l.Actions = ui.Button(ui.Action{Text: "New chatbot", Icon: "plus", Look: ui.Primary, Opens: "new-chatbot"})
	}
	return l
}

// named is the form; the first chatbot has the name of the business unless
// something was typed.
func (m Chatbots) named(business string) ui.Form {
	if _, typed := m.Form.Values["name"]; !typed && len(m.Chatbots) == 0 {
		return ui.Form{Values: map[string]string{"name": business}}
	}
	return m.Form
}
