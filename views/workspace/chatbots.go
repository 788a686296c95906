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
